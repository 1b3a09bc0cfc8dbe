#include "app/engine/engine_worker.h"

namespace alcove::app {

namespace {
constexpr qint64 kReadingIntervalMs = 100;
constexpr qint64 kSpeedWindowMs = 2000;
} // namespace

AnswerReporter::AnswerReporter(JobId job, const EngineEvents& events, const EngineTuning& tuning,
                               double readRate)
    : m_job(job), m_events(events), m_tuning(tuning), m_readRate(readRate) {
    m_clock.start();
}

void AnswerReporter::text(std::string_view piece) {
    m_pending += piece;
}

void AnswerReporter::progress(const GenerateStats& stats) {
    measure(stats);
    if (stats.generated_tokens == 0) {
        reading(stats);
        return;
    }
    const qint64 interval =
        1000 / std::max(1, m_tuning.updatesPerSecond.load(std::memory_order_relaxed));
    if (!m_pending.empty() && (m_lastTextMs < 0 || m_clock.elapsed() - m_lastTextMs >= interval))
        flush();
}

void AnswerReporter::flush() {
    if (m_pending.empty())
        return;
    m_lastTextMs = m_clock.elapsed();
    m_events.textReady(m_job, QString::fromStdString(m_pending), m_rate);
    m_pending.clear();
}

void AnswerReporter::reading(const GenerateStats& stats) {
    const int total = stats.prompt_tokens - stats.cached_tokens;
    const bool last = stats.prefilled_tokens >= total;
    const qint64 now = m_clock.elapsed();
    if (!last && m_lastReadingMs >= 0 && now - m_lastReadingMs < kReadingIntervalMs)
        return;
    m_lastReadingMs = now;
    ReadingProgress progress;
    progress.done = stats.prefilled_tokens;
    progress.total = total;
    progress.cached = stats.cached_tokens;
    progress.tokensPerSecond = stats.prefill_tokens_per_second();
    const double rate = progress.tokensPerSecond > 0 ? progress.tokensPerSecond : m_readRate;
    progress.secondsLeft = rate > 0 ? (total - stats.prefilled_tokens) / rate : -1;
    progress.contextUsed = stats.n_ctx_used;
    progress.contextSize = stats.n_ctx;
    m_events.readingProgress(m_job, progress);
}

void AnswerReporter::measure(const GenerateStats& stats) {
    m_rate.readTokensPerSecond = stats.prefill_tokens_per_second();
    if (m_rate.readTokensPerSecond > 0)
        m_readRate = m_rate.readTokensPerSecond;
    m_rate.meanWriteTokensPerSecond = stats.decode_tokens_per_second();
    m_rate.firstTokenSeconds = stats.first_token_seconds;
    m_rate.promptTokens = stats.prompt_tokens;
    m_rate.cachedTokens = stats.cached_tokens;
    m_rate.generatedTokens = stats.generated_tokens;
    m_rate.contextUsed = stats.n_ctx_used;
    m_rate.contextSize = stats.n_ctx;
    if (stats.generated_tokens == 0)
        return;
    const qint64 now = m_clock.elapsed();
    m_samples.push_back({now, stats.generated_tokens});
    while (m_samples.size() > 2 && now - m_samples.front().ms > kSpeedWindowMs)
        m_samples.pop_front();
    const qint64 span = now - m_samples.front().ms;
    const int tokens = stats.generated_tokens - m_samples.front().tokens;
    m_rate.writeTokensPerSecond =
        span > 0 ? 1000.0 * tokens / static_cast<double>(span) : m_rate.meanWriteTokensPerSecond;
}

} // namespace alcove::app
