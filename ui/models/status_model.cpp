#include "ui/models/status_model.h"

#include "ui/models/format.h"

#include <algorithm>

namespace alcove::ui {
namespace {

constexpr double kFilling = 0.80;
constexpr double kNearlyFull = 0.95;

QString dash() {
    return QStringLiteral("\u2013");
}

} // namespace

StatusModel::StatusModel(std::function<alcove::app::MemoryFacts()> memory, QObject* parent)
    : QObject(parent), m_readMemory(std::move(memory)) {
    m_timer.setInterval(kRefreshMs);
    connect(&m_timer, &QTimer::timeout, this, &StatusModel::tick);
}

void StatusModel::setPhase(Phase phase) {
    m_phase = phase;
    if (busy() && !m_timer.isActive()) {
        m_ticks = 0;
        m_timer.start();
    }
    if (!busy())
        m_timer.stop();
    Q_EMIT changed();
}

void StatusModel::showLoading(const QString& modelName, double fraction) {
    m_modelName = modelName;
    m_loadFraction = fraction;
    if (m_phase != Phase::Loading)
        setPhase(Phase::Loading);
}

void StatusModel::showAnswering() {
    const int contextSize = m_latest.contextSize;
    const int contextUsed = m_latest.contextUsed;
    m_latest = {};
    m_latest.contextSize = contextSize;
    m_latest.contextUsed = contextUsed;
    m_shown = m_latest;
    m_stopReason.clear();
    setPhase(Phase::Reading);
}

void StatusModel::showProgress(const Progress& progress) {
    m_latest = progress;
    if (m_phase == Phase::Stopping)
        return;
    const Phase phase = progress.generatedTokens > 0 ? Phase::Writing : Phase::Reading;
    if (phase != m_phase) {
        m_shown = m_latest;
        setPhase(phase);
    }
}

void StatusModel::showStopping() {
    if (busy())
        setPhase(Phase::Stopping);
}

void StatusModel::showIdle(const QString& stopReason, const QString& announcement) {
    m_shown = m_latest;
    m_stopReason = stopReason;
    readSystem();
    setPhase(Phase::Idle);
    if (!announcement.isEmpty())
        announce(announcement);
}

void StatusModel::showFacts(const Progress& progress, const QString& stopReason) {
    if (busy())
        return;
    m_latest = m_shown = progress;
    m_stopReason = stopReason;
    Q_EMIT changed();
}

void StatusModel::setModel(const std::optional<alcove::app::ModelFacts>& model) {
    m_model = model;
    if (m_latest.contextSize == 0 && model) {
        m_latest.contextSize = m_shown.contextSize = model->contextSize;
    }
    Q_EMIT changed();
}

void StatusModel::setIdleText(const QString& text) {
    if (m_idleText == text)
        return;
    m_idleText = text;
    Q_EMIT changed();
}

void StatusModel::announce(const QString& text) {
    m_announcement = text;
    Q_EMIT announced(text);
}

void StatusModel::refresh() {
    readSystem();
    Q_EMIT changed();
}

void StatusModel::tick() {
    m_shown = m_latest;
    readSystem();
    ++m_ticks;
    if (m_phase == Phase::Writing && m_ticks % (kSampleMs / kRefreshMs) == 0)
        sample(m_shown.recentWriteSpeed);
    Q_EMIT changed();
}

void StatusModel::sample(double tokensPerSecond) {
    m_samples.append(tokensPerSecond);
    while (m_samples.size() > kSamples)
        m_samples.removeFirst();
    Q_EMIT samplesChanged();
}

void StatusModel::readSystem() {
    m_memory = m_readMemory();
    m_processorFraction = m_processor.read();
}

QString StatusModel::text() const {
    switch (m_phase) {
    case Phase::Idle:
        return m_idleText.isEmpty() ? tr("Ready") : m_idleText;
    case Phase::Loading:
        return tr("Loading %1 \u00b7 %2").arg(m_modelName, formatPercent(m_loadFraction));
    case Phase::Reading: {
        const int fresh = m_shown.promptTokens - m_shown.cachedTokens;
        if (fresh <= 0)
            return tr("Reading \u00b7 Esc stops");
        return tr("Reading %1 new tokens \u00b7 %2 \u00b7 Esc stops")
            .arg(formatCount(fresh), formatPercent(readingFraction()));
    }
    case Phase::Writing:
        return tr("Answering \u00b7 Esc stops");
    case Phase::Stopping:
        return tr("Stopping");
    }
    return {};
}

QString StatusModel::readingTitle() const {
    const int fresh = m_shown.promptTokens - m_shown.cachedTokens;
    return fresh > 0 ? tr("Reading %n new token(s)", nullptr, fresh) : tr("Reading");
}

QString StatusModel::reading() const {
    return formatSpeed(m_shown.readSpeed);
}

QString StatusModel::writing() const {
    return formatSpeed(m_phase == Phase::Writing ? m_shown.recentWriteSpeed : m_shown.writeSpeed);
}

QString StatusModel::writingMean() const {
    return formatSpeed(m_shown.writeSpeed);
}

QString StatusModel::firstWord() const {
    return m_shown.firstTokenSeconds > 0 ? formatDuration(m_shown.firstTokenSeconds) : dash();
}

QString StatusModel::tokens() const {
    return m_shown.generatedTokens > 0 ? formatCount(m_shown.generatedTokens) : dash();
}

QString StatusModel::stopReason() const {
    return m_stopReason.isEmpty() ? dash() : m_stopReason;
}

double StatusModel::readingFraction() const {
    const int fresh = m_shown.promptTokens - m_shown.cachedTokens;
    return fresh > 0 ? std::clamp(double(m_shown.prefilledTokens) / fresh, 0.0, 1.0) : 0;
}

double StatusModel::contextFraction() const {
    return hasContext() ? std::clamp(double(m_shown.contextUsed) / m_shown.contextSize, 0.0, 1.0)
                        : 0;
}

StatusModel::ContextLevel StatusModel::contextLevel() const {
    const double fraction = contextFraction();
    if (fraction > kNearlyFull)
        return ContextLevel::NearlyFull;
    return fraction >= kFilling ? ContextLevel::Filling : ContextLevel::Plain;
}

QString StatusModel::context() const {
    return hasContext()
               ? tr("%1 of %2 tokens")
                     .arg(formatCount(m_shown.contextUsed), formatCount(m_shown.contextSize))
               : dash();
}

QString StatusModel::contextShort() const {
    return hasContext() ? tr("%1 / %2").arg(formatCount(m_shown.contextUsed),
                                            formatCount(m_shown.contextSize))
                        : dash();
}

QString StatusModel::contextSpoken() const {
    return hasContext()
               ? tr("%1 percent, %2 of %3 tokens")
                     .arg(qRound(contextFraction() * 100))
                     .arg(formatCount(m_shown.contextUsed), formatCount(m_shown.contextSize))
               : tr("not known yet");
}

QString StatusModel::contextAdvice() const {
    switch (contextLevel()) {
    case ContextLevel::Plain:
        return {};
    case ContextLevel::Filling: {
        const int exchange = m_shown.promptTokens - m_shown.cachedTokens + m_shown.generatedTokens;
        if (exchange <= 0)
            return {};
        const int left = (m_shown.contextSize - m_shown.contextUsed) / exchange;
        return tr("About %n more exchange(s) fit", nullptr, left);
    }
    case ContextLevel::NearlyFull:
        return tr("The answer will stop when the context is full");
    }
    return {};
}

QString StatusModel::keptTokens() const {
    if (m_shown.promptTokens <= 0)
        return dash();
    return tr("%1 kept, %2 new")
        .arg(formatCount(m_shown.cachedTokens),
             formatCount(m_shown.promptTokens - m_shown.cachedTokens));
}

QString StatusModel::modelMemory() const {
    return m_model ? formatBytes(m_model->weightsBytes) : dash();
}

QString StatusModel::contextMemory() const {
    if (!m_model)
        return dash();
    return formatBytes(std::max(m_memory.contexts, m_model->contextBytes));
}

QString StatusModel::usedMemory() const {
    return m_memory.processResident > 0 ? formatBytes(m_memory.processResident) : dash();
}

QString StatusModel::freeMemory() const {
    return m_memory.systemAvailable > 0 ? formatBytes(m_memory.systemAvailable) : dash();
}

QString StatusModel::keptConversations() const {
    return m_memory.warmConversations > 0
               ? tr("%n conversation(s), %1", nullptr, m_memory.warmConversations)
                     .arg(formatBytes(m_memory.contexts))
               : dash();
}

QString StatusModel::threads() const {
    if (!m_model)
        return dash();
    return m_model->threads > 0 ? tr("%n thread(s)", nullptr, m_model->threads)
                                : tr("threads: automatic");
}

QString StatusModel::processor() const {
    return busy() && m_processorFraction >= 0 ? formatPercent(m_processorFraction) : dash();
}

QString StatusModel::samplesText() const {
    if (m_samples.isEmpty())
        return tr("no speed measured yet");
    const auto [low, high] = std::minmax_element(m_samples.cbegin(), m_samples.cend());
    return tr("between %1 and %2").arg(formatSpeed(*low), formatSpeed(*high));
}

QString StatusModel::diagnostics() const {
    const QList<QPair<QString, QString>> lines = {
        {tr("Reading"), reading()},
        {tr("Writing"), writingMean()},
        {tr("First word"), firstWord()},
        {tr("Tokens"), tokens()},
        {tr("Ended"), stopReason()},
        {tr("Context"), context()},
        {tr("Kept"), keptTokens()},
        {tr("Model"), modelMemory()},
        {tr("Context memory"), contextMemory()},
        {tr("Alcove"), usedMemory()},
        {tr("Free"), freeMemory()},
        {tr("Threads"), threads()},
    };
    QString text;
    for (const auto& [name, value] : lines)
        text += name + QStringLiteral(": ") + value + QLatin1Char('\n');
    return text;
}

} // namespace alcove::ui
