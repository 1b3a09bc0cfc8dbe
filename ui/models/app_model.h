#pragma once

#include "app/engine/conversation_controller.h"
#include "app/library/model_library.h"
#include "ui/models/adapters/adapter_list_model.h"
#include "ui/models/appearance_model.h"
#include "ui/models/blocks/block_list_model.h"
#include "ui/models/blocks/conversation_feed.h"
#include "ui/models/composer_model.h"
#include "ui/models/conversation_list_model.h"
#include "ui/models/drop_model.h"
#include "ui/models/failure_text.h"
#include "ui/models/model_bar_model.h"
#include "ui/models/model_list_model.h"
#include "ui/models/status_model.h"
#include "ui/models/window_placement.h"

#include <QObject>
#include <QSet>
#include <QUrl>
#include <QtQml/qqmlregistration.h>

namespace alcove::ui {

/// Everything that one window shows, and the few things that concern several of its parts. Made by
/// the program, given to Main.qml. Lives on the window's thread.
class AppModel : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("made by the program")
    Q_PROPERTY(alcove::ui::ConversationListModel* conversations READ conversations CONSTANT FINAL)
    Q_PROPERTY(alcove::ui::BlockListModel* messages READ messages CONSTANT FINAL)
    Q_PROPERTY(alcove::ui::ComposerModel* composer READ composer CONSTANT FINAL)
    Q_PROPERTY(alcove::ui::ModelListModel* models READ models CONSTANT FINAL)
    Q_PROPERTY(alcove::ui::AdapterListModel* adapters READ adapters CONSTANT FINAL)
    Q_PROPERTY(alcove::ui::ModelBarModel* modelBar READ modelBar CONSTANT FINAL)
    Q_PROPERTY(alcove::ui::StatusModel* status READ status CONSTANT FINAL)
    Q_PROPERTY(alcove::ui::AppearanceModel* appearance READ appearance CONSTANT FINAL)
    Q_PROPERTY(alcove::ui::WindowPlacement* placement READ placement CONSTANT FINAL)
    Q_PROPERTY(alcove::ui::DropModel* drop READ drop CONSTANT FINAL)
    Q_PROPERTY(QString title READ title NOTIFY conversationChanged FINAL)
    Q_PROPERTY(QString systemPrompt READ systemPrompt WRITE setSystemPrompt NOTIFY
                   systemPromptChanged FINAL)
    Q_PROPERTY(QString modelFacts READ modelFacts NOTIFY modelFactsChanged FINAL)
    Q_PROPERTY(bool empty READ isEmpty NOTIFY emptyChanged FINAL)
    Q_PROPERTY(alcove::ui::Failure failure READ failure NOTIFY failureChanged FINAL)
    Q_PROPERTY(QString notice READ notice NOTIFY noticeChanged FINAL)
    Q_PROPERTY(QString computer READ computer CONSTANT FINAL)
    Q_PROPERTY(QString roomForModels READ roomForModels NOTIFY roomChanged FINAL)
    Q_PROPERTY(QString busyElsewhere READ busyElsewhere NOTIFY elsewhereChanged FINAL)
    Q_PROPERTY(QString version READ version CONSTANT FINAL)

public:
    /// What the window is made of; all outlive the model.
    struct Parts {
        app::StoreThread& store;
        app::EngineService& engine;
        app::ConversationController& controller;
        app::ModelLibrary& library;
        UiSettings& settings;
        QList<QRect> screens;
    };
    explicit AppModel(const Parts& parts, QObject* parent = nullptr);

    /// The steps of starting, each after a frame: the list and the last conversation, then models
    /// and the desktop's theme.
    Q_INVOKABLE void start();

    ConversationListModel* conversations() { return &m_conversations; }
    BlockListModel* messages() { return &m_rows; }
    ComposerModel* composer() { return &m_composer; }
    ModelListModel* models() { return &m_models; }
    AdapterListModel* adapters() { return &m_adapters; }
    ModelBarModel* modelBar() { return &m_modelBar; }
    StatusModel* status() { return &m_status; }
    AppearanceModel* appearance() { return &m_appearance; }
    WindowPlacement* placement() { return &m_placement; }
    DropModel* drop() { return &m_drop; }

    QString title() const;
    QString systemPrompt() const { return m_controller.conversation().systemPrompt; }
    void setSystemPrompt(const QString& text);
    QString modelFacts() const;                      ///< "Q4_1, sees 4,096 tokens at once"
    bool isEmpty() const { return m_messages == 0; } ///< the conversation shown has no message
    Failure failure() const { return m_failure; }
    QString notice() const { return m_notice; }
    QString computer() const;      ///< "8 cores, 16 GB memory, AVX2"
    QString roomForModels() const; ///< "Models up to about 7 GB should run well here."
    /// The title of another conversation that is being answered, which the next answer waits for;
    /// else empty.
    QString busyElsewhere() const;
    QString version() const;

    Q_INVOKABLE void open(qint64 conversationId);
    /// A model or an adapter, told apart by content.
    Q_INVOKABLE void addFile(const QUrl& file);
    Q_INVOKABLE void openNew();
    Q_INVOKABLE void openElsewhere(); ///< the conversation of busyElsewhere
    Q_INVOKABLE void openNeighbour(int by);
    Q_INVOKABLE void openNth(int n); ///< counted from 0
    Q_INVOKABLE void removeCurrent();
    Q_INVOKABLE void writeAgain(); ///< the last answer
    // What is asked of one message in the chat.
    Q_INVOKABLE void editMessage(qint64 messageId); ///< its text comes into the composer
    Q_INVOKABLE void writeAnswerAgain(qint64 answerId);
    Q_INVOKABLE void continueAnswer(qint64 answerId);
    Q_INVOKABLE void stepBranch(qint64 messageId, int step); ///< to the sibling so many places on
    Q_INVOKABLE void stop();                                 ///< the answer, or the load
    Q_INVOKABLE void copyText(const QString& text);
    Q_INVOKABLE void copyLastAnswer();
    Q_INVOKABLE void retry(); ///< what failed
    Q_INVOKABLE void dropFailure();
    Q_INVOKABLE void dropNotice();
    /// The window is hidden or minimised: text arrives once a second only.
    Q_INVOKABLE void setWindowShown(bool shown);
    /// Before the program ends: nothing that was typed is lost.
    Q_INVOKABLE void finish();
    /// True while some answer is being written; finish() has asked them to stop.
    bool isAnswering() const { return !m_answering.isEmpty(); }

Q_SIGNALS:
    void conversationChanged();
    void systemPromptChanged();
    void modelFactsChanged();
    void emptyChanged();
    void failureChanged();
    void noticeChanged();
    void roomChanged();
    void elsewhereChanged();
    void sent();        ///< a question is stored: the view goes to its end
    void started();     ///< the list is read and a conversation is shown
    void modelNeeded(); ///< show the picker
    void focusComposer();

private:
    void connectStatus();
    void openLast();
    void takeMessages(const QVector<app::Message>& messages);
    void takeFinished(const app::Message& message);
    void updateIdleText();

    app::StoreThread& m_store;
    app::EngineService& m_engine;
    app::ConversationController& m_controller;
    app::ModelLibrary& m_library;
    UiSettings& m_settings;
    AppearanceModel m_appearance;
    WindowPlacement m_placement;
    ConversationListModel m_conversations;
    BlockListModel m_rows;
    ConversationFeed m_feed;
    ComposerModel m_composer;
    ModelListModel m_models;
    AdapterListModel m_adapters;
    ModelBarModel m_modelBar;
    StatusModel m_status;
    DropModel m_drop;
    app::ReadingProgress m_reading;
    Failure m_failure;
    QString m_failedAction, m_notice;
    QSet<qint64> m_answering;
    QSet<qint64> m_questions; ///< messages of the path that the person wrote
    qint64 m_lastAnswer = 0;
    QString m_lastAnswerText;
    int m_messages = 0;
    bool m_hasOpened = false; ///< the person opened a conversation in this run
};

} // namespace alcove::ui
