#include "app/engine/engine_worker.h"

#include "app/library/adapter_library.h"
#include "app/logging.h"
#include "engine/format/gguf_file.h"

#include <QCryptographicHash>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <sys/resource.h>
#include <unistd.h>

namespace alcove::app {

namespace {

constexpr int kNiceness = 5; // below the window, above batch work
constexpr qint64 kLoadIntervalMs = 40;

Error cancelled(const char* what) {
    return {Errc::Cancelled, std::string(what) + " was stopped"};
}

/// What the engine's calls might throw in spite of their promise (memory above all) becomes an
/// Error.
template <class F> auto contained(F&& body) -> decltype(body()) {
    try {
        return body();
    } catch (const std::bad_alloc&) {
        return Error{Errc::Memory, "memory ran out"};
    } catch (const std::exception& exception) {
        return Error{Errc::Internal,
                     std::string("the engine stopped unexpectedly: ") + exception.what()};
    }
}

QString templateHash(const QString& path) {
    const auto file = GgufFile::open(path.toStdString());
    if (!file)
        return {};
    const auto source = (*file)->get_string("tokenizer.chat_template");
    if (!source || !source->has_value())
        return {};
    const QByteArray bytes(source->value().data(), static_cast<qsizetype>(source->value().size()));
    return QString::fromLatin1(QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex());
}

/// Equal in all that a session is made with. Threads can be changed in place.
bool sameSessions(const SessionOptions& a, const SessionOptions& b) {
    return a.n_ctx == b.n_ctx && a.n_batch == b.n_batch && a.kv_type == b.kv_type &&
           a.activations == b.activations && a.isa == b.isa;
}

QStringList toStrings(const std::vector<std::string>& list) {
    QStringList strings;
    for (const std::string& each : list)
        strings.append(QString::fromStdString(each));
    return strings;
}

ModelFacts factsOf(const Model& model, const Session& session, const SessionOptions& options) {
    const ModelInfo& info = model.info();
    const MemoryEstimate memory = session.memory();
    ModelFacts facts;
    facts.path = QString::fromStdString(info.path.string());
    facts.name = QString::fromStdString(info.name);
    facts.architecture = QString::fromStdString(info.architecture);
    facts.quantization = QString::fromStdString(info.quantization);
    facts.fileBytes = static_cast<qint64>(info.file_bytes);
    facts.parameterCount = static_cast<qint64>(info.n_params);
    facts.contextTrained = info.n_ctx_train;
    facts.contextSize = session.n_ctx();
    facts.threads = options.n_threads;
    facts.weightsBytes = static_cast<qint64>(memory.weights_bytes);
    facts.contextBytes = static_cast<qint64>(memory.kv_bytes);
    facts.workBytes = static_cast<qint64>(memory.work_bytes);
    facts.loadSeconds = model.load_seconds();
    facts.warnings = toStrings(info.warnings);
    return facts;
}

qint64 stateBytes(const Session& session) {
    const MemoryEstimate memory = session.memory();
    return static_cast<qint64>(memory.kv_bytes + memory.work_bytes);
}

nlohmann::ordered_json toMessages(const QVector<ChatTurn>& turns) {
    nlohmann::ordered_json messages = nlohmann::ordered_json::array();
    for (const ChatTurn& turn : turns)
        messages.push_back(
            {{"role", roleName(turn.role).toStdString()}, {"content", turn.text.toStdString()}});
    return messages;
}

} // namespace

EngineWorker::EngineWorker(EngineBackend backend, EngineEvents events,
                           std::shared_ptr<EngineTuning> tuning)
    : m_backend(std::move(backend)), m_events(std::move(events)), m_tuning(std::move(tuning)) {}

void EngineWorker::lowerPriority() {
    // Under Linux a niceness belongs to a thread and is inherited by the threads it starts.
    errno = 0;
    const int present = getpriority(PRIO_PROCESS, static_cast<id_t>(gettid()));
    if (errno != 0 || setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()),
                                  std::min(19, present + kNiceness)) != 0)
        logWarning("engine",
                   QStringLiteral("the engine thread keeps its priority: setpriority failed"));
}

void EngineWorker::run(const EngineJob& job) {
    switch (job.kind) {
    case EngineJob::Kind::Load:
        if (const Status loaded = load(job, job.path, job.options, true); !loaded)
            m_events.failed(job.id, loaded.error());
        break;
    case EngineJob::Kind::Unload:
        unload(job);
        break;
    case EngineJob::Kind::Generate:
        generate(job);
        break;
    }
}

Status EngineWorker::load(const EngineJob& job, const QString& path, SessionOptions options,
                          bool ended) {
    Model::LoadOptions loadOptions;
    loadOptions.log = engineLog();
    QElapsedTimer sinceReport;
    loadOptions.on_progress = [&](float fraction) {
        if (sinceReport.isValid() && sinceReport.elapsed() < kLoadIntervalMs && fraction < 1)
            return;
        sinceReport.start();
        m_events.loadProgress(job.id, static_cast<double>(fraction));
    };
    const std::stop_token stop = job.stop.get_token();
    if (const int threads = m_tuning->threads.load(); threads >= 0)
        options.n_threads = threads;
    loadOptions.for_session = options;
    const bool present = m_model != nullptr && m_facts.path == path;
    ALCOVE_ASSIGN_OR_RETURN(const std::shared_ptr<const Model> model,
                            contained([&]() -> Result<std::shared_ptr<const Model>> {
                                if (present && !ended)
                                    return m_model; // only its sessions change
                                return m_backend.load(path.toStdString(), loadOptions, stop);
                            }));
    if (stop.stop_requested())
        return cancelled("loading");
    // The first session shows whether its memory can be had, while the earlier model is still
    // there.
    ALCOVE_ASSIGN_OR_RETURN(std::unique_ptr<Session> session,
                            contained([&] { return m_backend.createSession(model, options); }));
    if (stop.stop_requested())
        return cancelled("loading");
    m_warm.clear();
    m_adapters.clear();
    m_model = model;
    m_options = options;
    m_facts = factsOf(*m_model, *session, m_options);
    m_facts.path = path; // as it was asked for
    m_facts.templateSha256 = templateHash(path);
    m_readRate = present ? m_readRate : 0;
    m_warm.push_back({0, std::move(session), {}, {}, {}});
    reportWarm();
    m_events.loadFinished(job.id, m_facts, m_model, ended);
    return ok();
}

Status EngineWorker::prepare(const EngineJob& job) {
    const QString& path = job.generate.modelPath;
    if (path.isEmpty() && m_model == nullptr)
        return Error{Errc::NotFound, "no model is loaded"};
    if (path.isEmpty() || (m_model != nullptr && m_facts.path == path &&
                           sameSessions(m_options, job.generate.options)))
        return ok();
    m_events.loadProgress(job.id, 0);
    return load(job, path, job.generate.options, false);
}

void EngineWorker::unload(const EngineJob& job) {
    m_warm.clear();
    m_adapters.clear();
    m_model.reset();
    m_facts = {};
    reportWarm();
    m_events.unloaded(job.id);
}

Result<EngineWorker::Prepared> EngineWorker::makeRequest(const GenerateJob& job,
                                                         AnswerResult& answer) {
    Prepared prepared;
    ALCOVE_ASSIGN_OR_RETURN(ChatPrompt prompt, m_model->render_chat(toMessages(job.turns), {}));
    ALCOVE_ASSIGN_OR_RETURN(prepared.warm, sessionFor(job.conversationId));
    answer.warnings = toStrings(prompt.warnings);
    prepared.prompt = std::move(prompt.tokens);
    if (!job.answerBegin.isEmpty()) {
        const Warm& warm = *prepared.warm;
        if (warm.text == job.answerBegin && warm.prompt == prepared.prompt)
            prepared.begun = warm.answer;
        else
            prepared.begun =
                m_model->tokenizer().encode(job.answerBegin.toStdString(), {.add_special = false});
    }
    GenerateRequest& request = prepared.request;
    request.prompt = prepared.prompt;
    request.prompt.insert(request.prompt.end(), prepared.begun.begin(), prepared.begun.end());
    request.n_predict = job.maxTokens;
    request.sampling = job.sampling;
    for (const QString& stop : job.stopStrings)
        request.stop.push_back(stop.toStdString());
    return prepared;
}

Status EngineWorker::useAdapters(const EngineJob& job, Session& session) {
    std::vector<AdapterUse> uses;
    for (const AdapterChoice& choice : job.generate.adapters) {
        if (choice.scale == 0)
            continue; // not applied, so its file need not be there
        const AdapterRecord& record = choice.adapter;
        std::weak_ptr<const Adapter>& kept = m_adapters[record.sha256];
        std::shared_ptr<const Adapter> adapter = kept.lock();
        if (adapter == nullptr) {
            ALCOVE_ASSIGN_OR_RETURN(adapter,
                                    Adapter::load(record.path.toStdString(), m_model,
                                                  adapterOptions(record, job.generate.modelSha256),
                                                  job.stop.get_token()));
            kept = adapter;
        }
        uses.push_back({std::move(adapter), static_cast<float>(choice.scale)});
    }
    return session.set_adapters(uses);
}

Result<GenerateResult> EngineWorker::answer(const EngineJob& job, AnswerResult& result,
                                            AnswerReporter& reporter) {
    const std::stop_token stop = job.stop.get_token();
    if (stop.stop_requested())
        return cancelled("the answer");
    ALCOVE_RETURN_IF_ERROR(prepare(job));
    ALCOVE_ASSIGN_OR_RETURN(Prepared prepared, makeRequest(job.generate, result));
    ALCOVE_RETURN_IF_ERROR(useAdapters(job, *prepared.warm->session));
    GenerateCallbacks callbacks;
    callbacks.on_text = [&](std::string_view text, TokenId) { reporter.text(text); };
    callbacks.on_progress = [&](const GenerateStats& stats) { reporter.progress(stats); };
    Warm& warm = *prepared.warm;
    warm.text.clear();
    ALCOVE_ASSIGN_OR_RETURN(GenerateResult generated,
                            warm.session->generate(prepared.request, callbacks, stop));
    warm.prompt = std::move(prepared.prompt);
    warm.answer = std::move(prepared.begun);
    warm.answer.insert(warm.answer.end(), generated.ids.begin(), generated.ids.end());
    warm.text = job.generate.answerBegin + QString::fromStdString(generated.text);
    return generated;
}

void EngineWorker::generate(const EngineJob& job) {
    AnswerResult answered;
    AnswerReporter reporter(job.id, m_events, *m_tuning, m_readRate);
    const auto result = contained([&] { return answer(job, answered, reporter); });
    reporter.flush();
    m_readRate = reporter.readRate();
    if (job.generate.conversationId == 0)
        forget(0);
    reportWarm();
    if (!result) {
        m_events.failed(job.id, result.error());
        return;
    }
    const GenerateStats& stats = result->stats;
    answered.text = QString::fromStdString(result->text);
    answered.finish = result->finish;
    AnswerFacts& facts = answered.facts;
    facts.modelName = m_facts.name;
    facts.templateSha256 = m_facts.templateSha256;
    for (const AdapterChoice& choice : job.generate.adapters) {
        if (choice.scale != 0)
            facts.adapters.append({choice.adapter.sha256, choice.adapter.name, choice.scale});
    }
    facts.sampling = samplingToJson(job.generate.sampling);
    facts.seed = job.generate.sampling.seed;
    facts.promptTokens = stats.prompt_tokens;
    facts.cachedTokens = stats.cached_tokens;
    facts.generatedTokens = stats.generated_tokens;
    facts.contextSize = stats.n_ctx;
    facts.contextUsed = stats.n_ctx_used;
    facts.prefillSeconds = stats.prefill_seconds;
    facts.decodeSeconds = stats.decode_seconds;
    facts.firstTokenSeconds = stats.first_token_seconds;
    facts.loadSeconds = m_facts.loadSeconds;
    facts.finish = QString::fromLatin1(finish_reason_name(result->finish));
    facts.finishDetail = QString::fromStdString(result->finish_detail);
    m_events.finished(job.id, answered);
}

Result<EngineWorker::Warm*> EngineWorker::sessionFor(RowId conversationId) {
    auto found = std::find_if(m_warm.begin(), m_warm.end(), [&](const Warm& w) {
        return w.conversationId == conversationId && conversationId != 0;
    });
    if (found == m_warm.end())
        found = std::find_if(m_warm.begin(), m_warm.end(),
                             [](const Warm& w) { return w.conversationId == 0; });
    if (found == m_warm.end() && !m_warm.empty()) {
        qint64 used = 0;
        for (const Warm& warm : m_warm)
            used += stateBytes(*warm.session);
        const qint64 next = stateBytes(*m_warm.back().session);
        if (used + next > m_tuning->warmBudget.load()) {
            found = std::prev(m_warm.end());
            found->session->clear();
            found->text.clear();
        }
    }
    if (found != m_warm.end()) {
        m_warm.splice(m_warm.begin(), m_warm, found);
    } else {
        ALCOVE_ASSIGN_OR_RETURN(auto session, m_backend.createSession(m_model, m_options));
        m_warm.push_front({conversationId, std::move(session), {}, {}, {}});
    }
    Warm& warm = m_warm.front();
    warm.conversationId = conversationId;
    if (const int threads = m_tuning->threads.load(); threads >= 0)
        ALCOVE_RETURN_IF_ERROR(warm.session->set_n_threads(threads));
    return &warm;
}

void EngineWorker::forget(RowId conversationId) {
    for (Warm& warm : m_warm) {
        if (warm.conversationId != conversationId)
            continue;
        warm.session->clear();
        warm.conversationId = 0;
    }
    // One spare session is enough.
    bool spare = false;
    m_warm.remove_if(
        [&](const Warm& warm) { return warm.conversationId == 0 && std::exchange(spare, true); });
    reportWarm();
}

void EngineWorker::clearWarm() {
    for (Warm& warm : m_warm)
        warm.conversationId = 0;
    while (m_warm.size() > 1)
        m_warm.pop_back();
    if (!m_warm.empty())
        m_warm.front().session->clear();
    reportWarm();
}

void EngineWorker::reportWarm() {
    WarmFacts facts;
    facts.weights = m_facts.weightsBytes;
    for (const Warm& warm : m_warm) {
        facts.contexts += stateBytes(*warm.session);
        facts.conversations += warm.conversationId != 0 ? 1 : 0;
    }
    m_events.warmChanged(facts);
}

} // namespace alcove::app
