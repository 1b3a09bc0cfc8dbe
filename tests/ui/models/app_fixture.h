#pragma once

#include "app/engine/conversation_controller.h"
#include "app/library/model_library.h"
#include "ui/models/ui_settings.h"

#include <QTemporaryDir>
#include <QTest>

/// A data folder of its own with store, engine service (no model), controller and library on it,
/// for tests of view models.
struct AppFixture {
    QTemporaryDir dir;
    alcove::app::StoreThread store{dir.filePath(QStringLiteral("alcove.db"))};
    alcove::app::EngineService engine;
    alcove::app::ConversationController controller{store, engine};
    alcove::app::ModelLibrary library{store, dir.filePath(QStringLiteral("models"))};
    alcove::ui::UiSettings settings{dir.filePath(QStringLiteral("window.ini"))};

    /// Runs `work` on the store's thread and waits for its value; a failure fails the test.
    template <class F> auto now(F work) {
        auto future = store.run(std::move(work));
        future.waitForFinished();
        auto result = future.result();
        if (!result)
            qFatal("%s", result.error().message.c_str());
        return *result;
    }

    /// A conversation with one finished exchange.
    alcove::app::Conversation addConversation(const QString& question,
                                              const QString& answer = QStringLiteral("Yes.")) {
        return now([=](alcove::app::Database& db) -> alcove::Result<alcove::app::Conversation> {
            alcove::app::MessageStore messages(db);
            ALCOVE_ASSIGN_OR_RETURN(const auto added, messages.addQuestion(0, 0, question));
            ALCOVE_ASSIGN_OR_RETURN([[maybe_unused]] const auto finished,
                                    messages.finishAnswer(added.answer.id, answer,
                                                          alcove::app::MessageState::Complete, {}));
            return alcove::app::ConversationStore(db).get(added.conversation.id);
        });
    }
    alcove::app::Conversation stored(qint64 id) {
        return now(
            [id](alcove::app::Database& db) { return alcove::app::ConversationStore(db).get(id); });
    }
};
