#include "ui/models/app_model.h"

#include "ui/models/format.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QPointer>
#include <QThreadPool>

namespace alcove::ui {

using app::AnswerPhase;
using app::Conversation;
using app::ConversationController;
using app::Message;
using app::MessageState;

namespace {

const QString kLastConversation = QStringLiteral("window/lastConversation");

QString endedInWords(MessageState state) {
    switch (state) {
    case MessageState::Complete:
        return AppModel::tr("ended by itself");
    case MessageState::Writing:
        return {};
    case MessageState::Stopped:
        return AppModel::tr("stopped by you");
    case MessageState::LengthLimit:
        return AppModel::tr("length limit");
    case MessageState::ContextFull:
        return AppModel::tr("context full");
    case MessageState::Failed:
        return AppModel::tr("failed");
    case MessageState::Interrupted:
        return AppModel::tr("interrupted");
    }
    return {};
}

StatusModel::Progress progressOf(const app::AnswerFacts& facts) {
    StatusModel::Progress progress;
    progress.promptTokens = facts.promptTokens;
    progress.cachedTokens = facts.cachedTokens;
    progress.prefilledTokens = facts.promptTokens - facts.cachedTokens;
    progress.generatedTokens = facts.generatedTokens;
    progress.contextSize = facts.contextSize;
    progress.contextUsed = facts.contextUsed;
    progress.readSpeed = facts.prefillTokensPerSecond();
    progress.writeSpeed = facts.decodeTokensPerSecond();
    progress.firstTokenSeconds = facts.firstTokenSeconds;
    return progress;
}

StatusModel::Progress progressOf(const app::ReadingProgress& reading) {
    StatusModel::Progress progress;
    progress.promptTokens = reading.cached + reading.total;
    progress.cachedTokens = reading.cached;
    progress.prefilledTokens = reading.done;
    progress.contextSize = reading.contextSize;
    progress.contextUsed = reading.contextUsed;
    progress.readSpeed = reading.tokensPerSecond;
    progress.readingSecondsLeft = reading.secondsLeft;
    return progress;
}

StatusModel::Progress progressOf(const app::Throughput& rate) {
    StatusModel::Progress progress;
    progress.promptTokens = rate.promptTokens;
    progress.cachedTokens = rate.cachedTokens;
    progress.prefilledTokens = rate.promptTokens - rate.cachedTokens;
    progress.generatedTokens = rate.generatedTokens;
    progress.contextSize = rate.contextSize;
    progress.contextUsed = rate.contextUsed;
    progress.readSpeed = rate.readTokensPerSecond;
    progress.recentWriteSpeed = rate.writeTokensPerSecond;
    progress.writeSpeed = rate.meanWriteTokensPerSecond;
    progress.firstTokenSeconds = rate.firstTokenSeconds;
    return progress;
}

QString bestInstructionSet(const CpuInfo& cpu) {
    return cpu.isas.empty() ? QString() : QString::fromStdString(cpu.isas.front()).toUpper();
}

} // namespace

AppModel::AppModel(const Parts& parts, QObject* parent)
    : QObject(parent), m_store(parts.store), m_engine(parts.engine), m_controller(parts.controller),
      m_library(parts.library), m_settings(parts.settings), m_appearance(parts.settings),
      m_placement(parts.settings, parts.screens), m_conversations(parts.store, parts.controller),
      m_feed(parts.controller, m_rows), m_composer(parts.controller, parts.engine),
      m_models(parts.library, parts.controller), m_adapters(parts.store, parts.controller),
      m_modelBar(parts.controller, parts.engine),
      m_status([&engine = parts.engine] { return engine.memory(); }) {
    connect(&m_controller, &ConversationController::conversationChanged, this, [this] {
        if (m_controller.conversationId() != 0)
            m_settings.setValue(kLastConversation, m_controller.conversationId());
        Q_EMIT conversationChanged();
        Q_EMIT systemPromptChanged();
        Q_EMIT elsewhereChanged();
    });
    connect(&m_controller, &ConversationController::messagesReset, this, &AppModel::takeMessages);
    connect(&m_controller, &ConversationController::messageAdded, this,
            [this](const Message& message) {
                ++m_messages;
                if (message.role == app::Role::Assistant)
                    m_lastAnswer = message.id;
                Q_EMIT emptyChanged();
            });
    connect(&m_controller, &ConversationController::messagesReplaced, this,
            [this](qint64, const QVector<Message>& messages) {
                for (const Message& message : messages) {
                    if (message.role == app::Role::Assistant) {
                        m_lastAnswer = message.id;
                        m_lastAnswerText = message.text;
                    } else {
                        m_questions.insert(message.id);
                    }
                }
            });
    connect(&m_controller, &ConversationController::sendAccepted, this, &AppModel::sent);
    connect(&m_controller, &ConversationController::answerFinished, this, &AppModel::takeFinished);
    connect(&m_controller, &ConversationController::modelNeeded, this, &AppModel::modelNeeded);
    connect(&m_controller, &ConversationController::failed, this,
            [this](const QString& action, const alcove::Error& error) {
                if (action == QLatin1String("load"))
                    return; // shown by the model bar
                const Attempt attempt =
                    action == QLatin1String("answer") ? Attempt::Answer : Attempt::Save;
                m_failure = failureFor(attempt, error, m_controller.model().name);
                m_failedAction = action;
                Q_EMIT failureChanged();
                m_status.announce(m_failure.text);
            });
    connect(&m_controller, &ConversationController::notice, this, [this](const QString& sentence) {
        m_notice = sentence;
        Q_EMIT noticeChanged();
    });
    connect(&m_controller, &ConversationController::answeringChanged, this,
            [this](qint64 id, bool answering) {
                if (answering)
                    m_answering.insert(id);
                else
                    m_answering.remove(id);
                Q_EMIT elsewhereChanged();
            });
    connect(&m_library, &app::ModelLibrary::scanFailed, this, [this](const alcove::Error& error) {
        m_notice = QString::fromStdString(error.message);
        Q_EMIT noticeChanged();
    });
    connectStatus();
}

void AppModel::connectStatus() {
    connect(&m_controller, &ConversationController::modelStateChanged, this, [this] {
        if (m_controller.modelState() == app::ModelState::Loading) {
            m_status.showLoading(m_controller.model().name, m_controller.loadFraction());
        } else if (m_status.phase() == StatusModel::Phase::Loading) {
            const bool failed = m_controller.modelState() == app::ModelState::Failed;
            if (m_controller.isAnswering() && !failed)
                m_status.showAnswering();
            else
                m_status.showIdle({}, failed ? m_modelBar.failure().text
                                             : tr("%1 is loaded").arg(m_modelBar.name()));
        }
        updateIdleText();
        Q_EMIT modelFactsChanged();
    });
    connect(&m_engine, &app::EngineService::modelChanged, this, [this] {
        m_status.setModel(m_engine.model());
        Q_EMIT modelFactsChanged();
        m_status.refresh();
    });
    connect(&m_controller, &ConversationController::phaseChanged, this, [this](AnswerPhase phase) {
        switch (phase) {
        case AnswerPhase::Waiting:
        case AnswerPhase::Reading:
            if (m_status.phase() != StatusModel::Phase::Reading)
                m_status.showAnswering();
            break;
        case AnswerPhase::Loading:
            m_status.showLoading(m_controller.model().name, m_controller.loadFraction());
            break;
        case AnswerPhase::Writing:
            break; // the first throughput says so
        case AnswerPhase::None:
            if (m_status.busy() && m_status.phase() != StatusModel::Phase::Loading)
                m_status.showIdle(m_status.stopReason(), {});
            break;
        }
    });
    connect(&m_controller, &ConversationController::readingProgress, this,
            [this](const app::ReadingProgress& reading) {
                m_status.showProgress(progressOf(reading));
            });
    connect(&m_controller, &ConversationController::throughput, this,
            [this](const app::Throughput& rate) { m_status.showProgress(progressOf(rate)); });
}

void AppModel::start() {
    m_controller.begin();
    connect(&m_conversations, &ConversationListModel::loaded, this, &AppModel::openLast,
            Qt::SingleShotConnection);
    // A model that already lies in the models folder is ready to be asked on the first start.
    connect(&m_library, &app::ModelLibrary::changed, &m_controller,
            &ConversationController::chooseDefaultModel);
    m_conversations.load();
    QTimer::singleShot(0, this, [this] {
        m_library.rescan();
        m_adapters.list();
        m_appearance.followDesktop();
        m_status.refresh();
        Q_EMIT roomChanged();
    });
}

void AppModel::openLast() {
    // Who was quicker than the list has a conversation already, or text that belongs to a new one.
    if (m_hasOpened || !m_composer.text().isEmpty()) {
        Q_EMIT started();
        return;
    }
    connect(&m_controller, &ConversationController::messagesReset, this, &AppModel::started,
            Qt::SingleShotConnection);
    const qint64 last = m_settings.value(kLastConversation, 0).toLongLong();
    const qint64 id = m_conversations.titleOf(last).isEmpty() ? m_conversations.idAt(0) : last;
    if (id != 0)
        m_controller.open(id);
    else
        m_controller.openNew();
}

void AppModel::takeMessages(const QVector<Message>& messages) {
    m_messages = int(messages.size());
    m_lastAnswer = 0;
    m_questions.clear();
    const Message* last = nullptr;
    for (const Message& message : messages) {
        if (message.role == app::Role::Assistant)
            last = &message;
        else
            m_questions.insert(message.id);
    }
    m_lastAnswerText.clear();
    StatusModel::Progress progress;
    QString reason;
    if (last != nullptr) {
        m_lastAnswer = last->id;
        m_lastAnswerText = last->text;
        if (last->facts)
            progress = progressOf(*last->facts);
        reason = endedInWords(last->state);
    }
    if (progress.contextSize == 0 && m_engine.model())
        progress.contextSize = m_engine.model()->contextSize;
    m_status.showFacts(progress, reason);
    dropFailure();
    Q_EMIT emptyChanged();
}

void AppModel::takeFinished(const Message& message) {
    if (message.id == m_lastAnswer)
        m_lastAnswerText = message.text;
    if (message.facts)
        m_status.showProgress(progressOf(*message.facts));
    const QString announcement = message.state == MessageState::Stopped ? tr("Stopped")
                                 : message.state == MessageState::Failed
                                     ? QString()
                                     : tr("Answer finished, %n token(s)", nullptr,
                                          message.facts ? message.facts->generatedTokens : 0);
    m_status.showIdle(endedInWords(message.state), announcement);
}

void AppModel::updateIdleText() {
    switch (m_controller.modelState()) {
    case app::ModelState::None:
        m_status.setIdleText(tr("No model chosen"));
        break;
    case app::ModelState::Failed:
        m_status.setIdleText(tr("%1 could not be loaded").arg(m_controller.model().name));
        break;
    default:
        m_status.setIdleText({});
        break;
    }
}

QString AppModel::version() const {
    return QStringLiteral(ALCOVE_VERSION);
}

QString AppModel::title() const {
    const Conversation& conversation = m_controller.conversation();
    return conversation.title.isEmpty() ? tr("New conversation") : conversation.title;
}

void AppModel::setSystemPrompt(const QString& text) {
    if (text != systemPrompt())
        m_controller.setSystemPrompt(text);
}

QString AppModel::modelFacts() const {
    const app::ModelRecord& model = m_controller.model();
    const auto& loaded = m_engine.model();
    const bool isLoaded = loaded && loaded->path == model.path;
    // The context that a session gets without other wishes (SessionOptions::n_ctx).
    constexpr int kUsualContext = 4096;
    const int context =
        isLoaded ? loaded->contextSize : std::min(model.contextTrained, kUsualContext);
    if (context <= 0)
        return model.quantization;
    return tr("%1 \u00b7 sees %2 tokens at once", "kind of weights, context")
        .arg(model.quantization, formatCount(context));
}

QString AppModel::computer() const {
    static const CpuInfo cpu = cpu_info();
    const QString memory = formatBytes(app::readMemoryFacts().systemTotal);
    const QString cores = tr("%n core(s)", nullptr, int(cpu.n_physical_cores));
    const QString isa = bestInstructionSet(cpu);
    return isa.isEmpty() ? tr("%1, %2 memory").arg(cores, memory)
                         : tr("%1, %2 memory, %3").arg(cores, memory, isa);
}

QString AppModel::roomForModels() const {
    const qint64 available = app::readMemoryFacts().systemAvailable;
    if (available <= 0)
        return {};
    // The rule of the picker's word "fits": at most 80 % of what is free; the rest is for context
    // and work space.
    constexpr double kFits = 0.8;
    constexpr double kForContext = 0.85;
    return tr("Models up to about %1 should run well here.")
        .arg(formatBytes(qint64(double(available) * kFits * kForContext)));
}

QString AppModel::busyElsewhere() const {
    for (const qint64 id : m_answering) {
        if (id != m_controller.conversationId())
            return m_conversations.titleOf(id);
    }
    return {};
}

void AppModel::open(qint64 conversationId) {
    if (conversationId == 0 || conversationId == m_controller.conversationId())
        return;
    m_hasOpened = true;
    m_composer.flush();
    m_controller.open(conversationId);
}

void AppModel::addFile(const QUrl& file) {
    // The disk may be slow, or a network: the window does not wait for it.
    QThreadPool::globalInstance()->start([self = QPointer<AppModel>(this), file] {
        const bool isAdapter = file.isLocalFile() && app::isAdapterFile(file.toLocalFile());
        QMetaObject::invokeMethod(
            qApp,
            [self, file, isAdapter] {
                if (self)
                    isAdapter ? self->m_adapters.add(file) : self->m_models.add(file);
            },
            Qt::QueuedConnection);
    });
}

void AppModel::openNew() {
    m_hasOpened = true;
    m_composer.flush();
    m_controller.openNew();
    Q_EMIT focusComposer();
}

void AppModel::openElsewhere() {
    for (const qint64 id : m_answering) {
        if (id != m_controller.conversationId()) {
            open(id);
            return;
        }
    }
}

void AppModel::openNeighbour(int by) {
    open(m_conversations.neighbour(by));
}
void AppModel::openNth(int n) {
    open(m_conversations.idAt(n));
}
void AppModel::removeCurrent() {
    m_conversations.remove(m_controller.conversationId());
}

void AppModel::writeAgain() {
    if (m_lastAnswer != 0 && !m_controller.isAnswering())
        m_controller.regenerate(m_lastAnswer);
}

void AppModel::editMessage(qint64 messageId) {
    if (m_controller.isAnswering())
        return;
    const QString text = m_rows.messageText(messageId);
    if (m_questions.contains(messageId))
        m_composer.editMessage(messageId, text);
    else
        m_composer.editAnswer(messageId, text);
    Q_EMIT focusComposer();
}

void AppModel::writeAnswerAgain(qint64 answerId) {
    if (!m_controller.isAnswering())
        m_controller.regenerate(answerId);
}

void AppModel::continueAnswer(qint64 answerId) {
    if (!m_controller.isAnswering())
        m_controller.continueAnswer(answerId);
}

void AppModel::stepBranch(qint64 messageId, int step) {
    if (m_controller.isAnswering())
        return;
    m_store
        .run([messageId](app::Database& db) { return app::MessageStore(db).siblings(messageId); })
        .then(this, [this, messageId, step](const Result<QVector<app::RowId>>& siblings) {
            if (!siblings)
                return;
            const qsizetype next = siblings->indexOf(messageId) + step;
            if (next >= 0 && next < siblings->size())
                m_controller.selectSibling((*siblings)[next]);
        });
}

void AppModel::stop() {
    if (m_controller.isAnswering()) {
        m_status.showStopping();
        m_controller.stop();
    } else if (m_controller.modelState() == app::ModelState::Loading) {
        m_controller.cancelLoad();
    }
}

void AppModel::copyText(const QString& text) {
    QGuiApplication::clipboard()->setText(text);
}

void AppModel::copyLastAnswer() {
    if (m_lastAnswerText.isEmpty())
        return;
    copyText(m_lastAnswerText);
    m_status.announce(tr("Copied"));
}

void AppModel::retry() {
    const QString action = m_failedAction;
    dropFailure();
    if (action == QLatin1String("answer"))
        writeAgain();
    else if (action == QLatin1String("send"))
        m_composer.send();
    else if (action == QLatin1String("open"))
        m_conversations.load();
    else if (action == QLatin1String("save"))
        m_composer.flush();
}

void AppModel::dropFailure() {
    if (!m_failure.present())
        return;
    m_failure = {};
    Q_EMIT failureChanged();
}

void AppModel::dropNotice() {
    m_notice.clear();
    Q_EMIT noticeChanged();
}

void AppModel::setWindowShown(bool shown) {
    constexpr int kShownUpdates = 30;
    constexpr int kHiddenUpdates = 1;
    m_engine.setUpdatesPerSecond(shown ? kShownUpdates : kHiddenUpdates);
    m_composer.setShown(shown);
    if (shown)
        m_library.rescan();
}

void AppModel::finish() {
    m_composer.flush();
}

} // namespace alcove::ui
