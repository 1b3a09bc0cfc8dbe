#pragma once

#include "app/engine/conversation_controller.h"
#include "ui/models/blocks/block_list_model.h"

namespace alcove::ui {

/// Keeps the rows of a BlockListModel those of the conversation that a controller shows, and the
/// row before the first word of an answer. Both outlive it.
class ConversationFeed : public QObject {
    Q_OBJECT

public:
    ConversationFeed(app::ConversationController& controller, BlockListModel& rows,
                     QObject* parent = nullptr);

private:
    void followPhase();
    void showReading(const app::ReadingProgress& progress);

    app::ConversationController& m_controller;
    BlockListModel& m_rows;
};

/// "Reading 2,310 new tokens … 41 % … about 8 s" and what is kept: design 5.5.
QString readingSentence(const app::ReadingProgress& progress);

} // namespace alcove::ui
