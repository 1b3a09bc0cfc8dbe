#include "engine/engine_model.h"

#include "engine/cpu.h"
#include "engine/model/display_name.h"
#include "engine/session/memory_need.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <map>
#include <sys/mman.h>
#include <unistd.h>

namespace alcove {

namespace {

/// Brings the weights' pages into memory, slice by slice, so that the first answer does not wait
/// for the disk. False after a stop request. Nothing is read where the weights would not fit.
class Prefault {
public:
    Prefault(const GgufFile& file, const std::function<void(float)>& on_progress,
             const std::stop_token& stop)
        : file_(file), on_progress_(on_progress), stop_(stop) {
        for (const GgufTensor& tensor : file.tensors())
            total_ += tensor.bytes;
    }

    bool run() {
        const std::uint64_t available = available_memory_bytes();
        if (available != 0 && total_ > available)
            return !stop_.stop_requested();
        for (const GgufTensor& tensor : file_.tensors()) {
            if (!touch(tensor.data, tensor.bytes))
                return false;
        }
        return true;
    }

private:
    // Small enough to hear a stop request in time from a slow disk.
    static constexpr std::size_t kSlice = std::size_t{8} << 20U;
    // Callers are told at most this many times.
    static constexpr int kReports = 40;

    bool touch(const std::byte* data, std::size_t n_bytes) {
        for (std::size_t at = 0; at < n_bytes; at += kSlice) {
            if (stop_.stop_requested())
                return false;
            const std::size_t n = std::min(kSlice, n_bytes - at);
            populate(data + at, n);
            done_ += n;
            report();
        }
        return true;
    }

    static void populate(const std::byte* data, std::size_t n_bytes) {
        const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
        const auto begin = reinterpret_cast<std::uintptr_t>(data) / page * page;
        const auto end = reinterpret_cast<std::uintptr_t>(data) + n_bytes;
#ifdef MADV_POPULATE_READ
        if (madvise(reinterpret_cast<void*>(begin), end - begin, MADV_POPULATE_READ) == 0)
            return;
#endif
        // Older kernels: the pages are asked for in one go, then looked at one by one.
        madvise(reinterpret_cast<void*>(begin), end - begin, MADV_WILLNEED);
        for (std::uintptr_t at = begin; at < end; at += page)
            *reinterpret_cast<const volatile std::byte*>(
                std::max(at, reinterpret_cast<std::uintptr_t>(data)));
    }

    void report() {
        const int step = static_cast<int>(done_ * kReports / std::max<std::uint64_t>(total_, 1));
        if (!on_progress_ || step <= reported_)
            return;
        reported_ = step;
        on_progress_(0.2F + 0.79F * static_cast<float>(step) / kReports);
    }

    const GgufFile& file_;
    const std::function<void(float)>& on_progress_;
    const std::stop_token& stop_;
    std::uint64_t total_ = 0, done_ = 0;
    int reported_ = 0;
};

std::string common_weight_type(const GgufFile& file) {
    std::map<QuantType, std::uint64_t> weights;
    for (const GgufTensor& tensor : file.tensors()) {
        if (tensor.n_dims >= 2)
            weights[tensor.type] +=
                tensor.dims[0] * tensor.dims[1] * tensor.dims[2] * tensor.dims[3];
    }
    const auto most =
        std::max_element(weights.begin(), weights.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    const QuantTraits* traits = most != weights.end() ? quant_traits(most->first) : nullptr;
    return traits != nullptr ? std::string(traits->name) : std::string();
}

template <typename T> T value_or(Result<std::optional<T>> found, T fallback) {
    return found && found->has_value() ? **found : fallback;
}

std::int32_t small_count(const GgufFile& file, const std::string& key) {
    const std::uint64_t found = value_or<std::uint64_t>(file.get_u64(key), 0);
    return found <= INT32_MAX ? static_cast<std::int32_t>(found) : 0;
}

Error cancelled() {
    return Error{Errc::Cancelled, "loading was stopped on request"};
}

/// Whether a session with these options would find its memory.
Status check_session_memory(const model::LoadedModel& loaded, const SessionOptions& options) {
    ALCOVE_ASSIGN_OR_RETURN(const Isa isa, choose_isa(options.isa));
    ALCOVE_ASSIGN_OR_RETURN(const SessionOptions resolved, resolve(options, loaded.hparams));
    return check_memory(loaded, resolved, kernel_table(isa), available_memory_bytes());
}

} // namespace

ModelInfo describe(const GgufFile& file) {
    ModelInfo info;
    info.path = file.path();
    info.architecture = value_or<std::string_view>(file.get_string("general.architecture"), "");
    info.name =
        model::display_name(file.path().stem().string(),
                            value_or<std::string_view>(file.get_string("general.name"), ""));
    info.file_bytes = file.file_bytes();
    info.quantization = common_weight_type(file);
    for (const GgufTensor& tensor : file.tensors()) {
        info.n_params += tensor.dims[0] * tensor.dims[1] * tensor.dims[2] * tensor.dims[3];
        info.weight_bytes += tensor.bytes;
    }
    const std::string prefix = info.architecture + ".";
    info.n_layer = small_count(file, prefix + "block_count");
    info.n_embd = small_count(file, prefix + "embedding_length");
    info.n_head = small_count(file, prefix + "attention.head_count");
    info.n_head_kv = small_count(file, prefix + "attention.head_count_kv");
    info.n_ctx_train = small_count(file, prefix + "context_length");
    if (const GgufTensor* table = file.find_tensor("token_embd.weight"))
        info.n_vocab = table->dims[1] <= INT32_MAX ? static_cast<std::int32_t>(table->dims[1]) : 0;
    info.has_chat_template = file.find("tokenizer.chat_template") != nullptr;
    return info;
}

void adopt(ModelInfo& info, const model::LoadedModel& loaded) {
    const model::HParams& hp = loaded.hparams;
    info.n_layer = hp.n_layer;
    info.n_embd = hp.n_embd;
    info.n_head = hp.max_n_head();
    info.n_head_kv = hp.max_n_head_kv();
    info.n_vocab = hp.n_vocab;
    info.n_ctx_train = hp.n_ctx_train;
    info.warnings = loaded.warnings;
}

Result<std::shared_ptr<const Tokenizer>> load_tokenizer(const GgufFile& file,
                                                        const model::HParams& hparams) {
    ALCOVE_ASSIGN_OR_RETURN(std::shared_ptr<const Tokenizer> tokenizer, Tokenizer::load(file));
    if (tokenizer->n_vocab() > hparams.n_vocab)
        return Error{
            Errc::Tokenizer,
            fmt::format("tokenizer.ggml.tokens has {} tokens, expected at most {} (rows of "
                        "token_embd.weight)",
                        tokenizer->n_vocab(), hparams.n_vocab)};
    return tokenizer;
}

Result<std::shared_ptr<const Model>> EngineModel::load(const std::filesystem::path& path,
                                                       const LoadOptions& options,
                                                       const std::stop_token& stop) {
    const auto begin = std::chrono::steady_clock::now();
    const auto report = [&](float fraction) {
        if (options.on_progress)
            options.on_progress(fraction);
    };
    report(0.0F);
    ALCOVE_ASSIGN_OR_RETURN(std::shared_ptr<const GgufFile> file,
                            GgufFile::open(path, {.use_mmap = options.use_mmap}));
    if (stop.stop_requested())
        return cancelled();
    report(0.1F);
    auto made = std::make_shared<EngineModel>();
    const auto named = [&](const Error& error) {
        return Error{error.code, fmt::format("{}: {}", path.filename().string(), error.message)};
    };
    Result<model::LoadedModel> loaded = model::load_model(file);
    if (!loaded)
        return named(loaded.error());
    made->loaded_ = std::move(*loaded);
    Result<std::shared_ptr<const Tokenizer>> tokenizer =
        load_tokenizer(*file, made->loaded_.hparams);
    if (!tokenizer)
        return named(tokenizer.error());
    made->tokenizer_ = std::move(*tokenizer);
    made->chat_format_ = ChatFormat::load(*file, *made->tokenizer_);
    if (options.for_session) {
        const Status fits = check_session_memory(made->loaded_, *options.for_session);
        if (!fits)
            return fits.error();
    }
    report(0.2F);
    if (options.use_mmap && !Prefault(*file, options.on_progress, stop).run())
        return cancelled();
    if (stop.stop_requested())
        return cancelled();
    made->info_ = describe(*file);
    made->info_.runnable = true;
    adopt(made->info_, made->loaded_);
    const auto more = made->tokenizer_->warnings();
    made->info_.warnings.insert(made->info_.warnings.end(), more.begin(), more.end());
    if (!made->chat_format_->problem().empty())
        made->info_.warnings.push_back(fmt::format("{}; the built-in format {} is used instead",
                                                   made->chat_format_->problem(),
                                                   made->chat_format_->fallback_name()));
    made->log_ = options.log;
    if (made->log_) {
        for (const std::string& warning : made->info_.warnings)
            made->log_(LogLevel::Warning, "model", warning);
    }
    made->load_seconds_ =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    report(1.0F);
    return std::shared_ptr<const Model>(std::move(made));
}

std::shared_ptr<const GrammarVocabulary> EngineModel::grammar_vocabulary() const {
    std::call_once(grammar_vocabulary_once_, [this] {
        grammar_vocabulary_ = std::make_shared<const GrammarVocabulary>(*tokenizer_);
    });
    return grammar_vocabulary_;
}

} // namespace alcove
