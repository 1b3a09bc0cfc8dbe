#include "ui/models/blocks/conversation_feed.h"

#include <QLocale>

#include <cmath>

namespace alcove::ui {

using app::ConversationController;

ConversationFeed::ConversationFeed(ConversationController& controller, BlockListModel& rows,
                                   QObject* parent)
    : QObject(parent), m_controller(controller), m_rows(rows) {
    connect(&controller, &ConversationController::messagesReset, &rows,
            &BlockListModel::setMessages);
    connect(&controller, &ConversationController::messageAdded, &rows, &BlockListModel::addMessage);
    connect(&controller, &ConversationController::messageChanged, &rows,
            &BlockListModel::updateMessage);
    connect(&controller, &ConversationController::messagesReplaced, &rows,
            &BlockListModel::replaceFrom);
    connect(&controller, &ConversationController::answerDelta, &rows, &BlockListModel::appendText);
    connect(&controller, &ConversationController::answerFinished, &rows,
            &BlockListModel::finishMessage);
    connect(&controller, &ConversationController::phaseChanged, this,
            &ConversationFeed::followPhase);
    connect(&controller, &ConversationController::modelStateChanged, this,
            &ConversationFeed::followPhase);
    connect(&controller, &ConversationController::messagesReset, this,
            &ConversationFeed::followPhase);
    connect(&controller, &ConversationController::readingProgress, this,
            &ConversationFeed::showReading);
    connect(&controller, &ConversationController::conversationChanged, this,
            [this] { m_rows.setAssistantName(m_controller.model().name); });
    m_rows.setAssistantName(controller.model().name);
}

void ConversationFeed::followPhase() {
    m_rows.setAssistantName(m_controller.model().name);
    const qint64 answer = m_controller.answeringMessage();
    switch (m_controller.phase()) {
    case app::AnswerPhase::None:
    case app::AnswerPhase::Writing:
        return m_rows.clearReading();
    case app::AnswerPhase::Waiting:
        return m_rows.setReading(answer, tr("Waiting for another answer to end"), -1);
    case app::AnswerPhase::Loading: {
        const double fraction = m_controller.loadFraction();
        const QString percent = QLocale().toString(std::lround(fraction * 100));
        return m_rows.setReading(
            answer, tr("Loading %1 … %2 %").arg(m_controller.model().name, percent), fraction);
    }
    case app::AnswerPhase::Reading:
        return m_rows.setReading(answer, tr("Reading …"), -1);
    }
}

void ConversationFeed::showReading(const app::ReadingProgress& progress) {
    if (m_controller.phase() != app::AnswerPhase::Reading || progress.total <= 0)
        return;
    m_rows.setReading(m_controller.answeringMessage(), readingSentence(progress),
                      double(progress.done) / progress.total);
}

QString readingSentence(const app::ReadingProgress& progress) {
    const QLocale locale;
    const int percent = progress.total > 0 ? progress.done * 100 / progress.total : 0;
    const QString left =
        progress.secondsLeft < 0
            ? ConversationFeed::tr("measuring")
            : ConversationFeed::tr("about %1 s")
                  .arg(locale.toString(std::max(1L, std::lround(progress.secondsLeft))));
    QString sentence = ConversationFeed::tr("Reading %1 new tokens … %2 % … %3")
                           .arg(locale.toString(progress.total), locale.toString(percent), left);
    if (progress.cached > 0)
        sentence = ConversationFeed::tr("%1 · %2 tokens are already read")
                       .arg(sentence, locale.toString(progress.cached));
    return sentence;
}

} // namespace alcove::ui
