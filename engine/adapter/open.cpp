#include "engine/adapter/engine_adapter.h"
#include "engine/adapter/gguf_metadata.h"
#include "engine/cpu.h"
#include "engine/format/safetensors_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <openssl/evp.h>

/// Finding out what kind of file a path is, and holding it to the identity that it should have.
namespace alcove::adapter {

namespace {

namespace fs = std::filesystem;

/// A rank-one adapter that is known to be made for certain model files, and for no others.
struct Approved {
    std::uint64_t bytes;
    std::string_view sha256;
    std::uint64_t base_bytes;
    std::string_view base_sha256;
    std::size_t n_pairs;
    float alpha;
};
constexpr std::array kCatalogue = {
    Approved{9'682'464, "f1669534803d340a496015f5c45125f3437b4d13ec764f40e34488ce83967f42",
             7'206'168'928, "5912bb739217cf25b4283a098c7b893d9baff36bdf2e72d3dbf4cb999d5633d5", 129,
             1.0F},
};

const Approved* find_approved(const AdapterInfo& info) {
    const auto* at = std::find_if(kCatalogue.begin(), kCatalogue.end(), [&](const Approved& a) {
        return a.bytes == info.bytes && a.sha256 == info.sha256;
    });
    return at != kCatalogue.end() ? at : nullptr;
}

constexpr std::uint64_t kRankOneBudget = std::uint64_t{63}
                                         << 20U; // the file; 64 MiB with its header

/// SHA-256 of spans one after another, as lowercase hexadecimal digits.
Result<std::string> sha256_of(std::span<const std::span<const std::byte>> spans,
                              const std::stop_token& stop) {
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                          &EVP_MD_CTX_free);
    if (context == nullptr || EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1)
        return Error{Errc::Internal, "SHA-256 is not available"};
    constexpr std::size_t kBlock = std::size_t{4} << 20U;
    for (std::span<const std::byte> span : spans) {
        for (; !span.empty(); span = span.subspan(std::min(kBlock, span.size()))) {
            if (stop.stop_requested())
                return Error{Errc::Cancelled, "reading the adapter was stopped on request"};
            EVP_DigestUpdate(context.get(), span.data(), std::min(kBlock, span.size()));
        }
    }
    std::array<unsigned char, 32> digest{};
    EVP_DigestFinal_ex(context.get(), digest.data(), nullptr);
    return fmt::format("{:02x}", fmt::join(digest, ""));
}

constexpr const char* kConfigName = "adapter_config.json";
constexpr std::array kGgufMagic{'G', 'G', 'U', 'F'};

std::array<char, 4> magic_of(std::span<const std::byte> bytes) {
    std::array<char, 4> magic{};
    std::memcpy(magic.data(), bytes.data(), std::min(bytes.size(), magic.size()));
    return magic;
}

bool says_adapter(const GgufContents& gguf) {
    return find_text(gguf, "general.type") == "adapter";
}

/// The kind that needs no adapter_config.json.
bool is_gemma(const SafetensorsFile& file) {
    return file.metadata().contains("target_modules") ||
           std::any_of(file.tensors().begin(), file.tensors().end(),
                       [](const auto& t) { return t.name.starts_with("lora.blk."); });
}

bool is_peft(const SafetensorsFile& file) {
    return std::any_of(file.tensors().begin(), file.tensors().end(),
                       [](const auto& t) { return t.name.find(".lora_") != std::string::npos; });
}

/// `path` so that it has a last part and a folder: not "file", "folder/" or ".".
fs::path whole_path(const fs::path& path) {
    std::error_code failure; // of an empty path, or a folder that is gone: opening it says so
    const fs::path whole = fs::absolute(path, failure).lexically_normal();
    if (failure)
        return path;
    return whole.has_filename() ? whole : whole.parent_path();
}

class Opener {
public:
    /// `path`: whole_path() of one.
    Opener(const fs::path& path, const model::LoadedModel* base, const AdapterOptions& options,
           const std::stop_token& stop)
        : path_(path), base_(base), options_(options), stop_(stop),
          refuse_(display_path(path.filename()), options.fault) {}

    Result<AdapterFile> read() {
        if (!options_.bound_base_sha256.empty() && !options_.base_sha256.empty() &&
            options_.bound_base_sha256 != options_.base_sha256)
            return base_mismatch();
        file_.info.path = path_;
        ALCOVE_RETURN_IF_ERROR(read_kind());
        if (file_.info.name.empty())
            file_.info.name = path_.stem().string();
        file_.shown = refuse_.file();
        ALCOVE_RETURN_IF_ERROR(check_scales(refuse_, file_));
        summarize(file_);
        return std::move(file_);
    }

private:
    Status read_kind() {
        std::error_code ignored;
        if (fs::is_directory(path_, ignored))
            return read_folder(path_, path_ / "adapter_model.safetensors");
        if (path_.filename() == kConfigName)
            return read_folder(path_.parent_path(),
                               path_.parent_path() / "adapter_model.safetensors");
        std::array<char, 4> magic{};
        {
            auto map = MemoryMap::open(path_, MemoryMap::Mode::Map);
            if (!map)
                return refuse_.pass_on("open", map.error());
            magic = magic_of(map->bytes());
            if (magic == kGgufMagic)
                ALCOVE_RETURN_IF_ERROR(glance(*map));
        }
        if (magic == kGgufMagic)
            return read_gguf();
        if (path_.extension() == ".safetensors")
            return read_safetensors();
        return refuse_("gguf", "this is no adapter, expected a GGUF file, a safetensors file or a "
                               "PEFT folder");
    }

    /// A model of many gigabytes that was taken for an adapter is not read just to be refused.
    Status glance(const MemoryMap& map) const {
        constexpr std::size_t kBig = std::size_t{64} << 20U;
        if (map.bytes().size() < kBig)
            return ok();
        auto gguf = parse_gguf(map.bytes(), refuse_.file());
        if (!gguf)
            return refuse_.pass_on("gguf", Error{Errc::Adapter, gguf.error().message});
        if (!says_adapter(*gguf))
            return refuse_("general_type", fmt::format("general.type is {}, expected \"adapter\"",
                                                       shown_value(*gguf, "general.type")));
        return ok();
    }

    /// The bytes of the adapter's files, held to the identity that they should have. They are in
    /// memory of their own: what was hashed is what is used.
    template <std::size_t N>
    Result<std::array<std::span<const std::byte>, N>> take(const std::array<fs::path, N>& paths) {
        std::uint64_t n_bytes = 0;
        for (const fs::path& path : paths) {
            std::error_code failure;
            const std::uintmax_t size = fs::file_size(path, failure);
            n_bytes += failure ? 0 : size; // why it cannot be read, opening it says
        }
        ALCOVE_RETURN_IF_ERROR(check_size(n_bytes)); // before reading much that is not wanted
        const std::uint64_t available = available_memory_bytes();
        if (available != 0 && n_bytes > available)
            return refuse_("memory", fmt::format("the adapter has {} bytes, but {} are free",
                                                 n_bytes, available));
        std::array<std::span<const std::byte>, N> spans;
        for (std::size_t i = 0; i < N; ++i) {
            auto map = MemoryMap::open(paths[i], MemoryMap::Mode::Read);
            if (!map)
                return refuse_.pass_on("open", map.error());
            spans[i] = map->bytes();
            file_.info.bytes += spans[i].size();
            file_.memory.push_back(std::move(*map));
        }
        ALCOVE_RETURN_IF_ERROR(check_size(file_.info.bytes));
        ALCOVE_ASSIGN_OR_RETURN(file_.info.sha256, sha256_of(spans, stop_));
        if (!options_.expected_sha256.empty() && file_.info.sha256 != options_.expected_sha256)
            return refuse_("hash_mismatch",
                           fmt::format("the file was changed or damaged: its "
                                       "SHA-256 is {}, expected {}",
                                       file_.info.sha256, options_.expected_sha256));
        return spans;
    }

    Status check_size(std::uint64_t n_bytes) const {
        if (options_.expected_bytes && n_bytes != *options_.expected_bytes)
            return refuse_("size_mismatch", fmt::format("the file has {} bytes, expected {}",
                                                        n_bytes, *options_.expected_bytes));
        return ok();
    }

    Status read_gguf() {
        ALCOVE_ASSIGN_OR_RETURN(const auto spans, take(std::array{path_}));
        const std::span<const std::byte> bytes = spans[0];
        auto gguf = parse_gguf(bytes, refuse_.file());
        if (!gguf)
            return refuse_.pass_on("gguf", Error{Errc::Adapter, gguf.error().message});
        file_.info.name = find_text(*gguf, "general.name").value_or("");
        file_.info.base_name = find_text(*gguf, "general.base_model.0.name").value_or("");
        const bool underscore = find_value(*gguf, "adapter.lora_alpha") != nullptr;
        const bool dotted = find_value(*gguf, "adapter.lora.alpha") != nullptr;
        if (underscore && dotted)
            return refuse_("metadata_value", "both adapter.lora.alpha and adapter.lora_alpha are "
                                             "there, expected one of them");
        if (!underscore && (dotted || find_text(*gguf, "general.architecture") != "qwen35"))
            return read_gguf_lora(*gguf, base_, refuse_, file_);
        if (bytes.size() > kRankOneBudget)
            return refuse_("memory", fmt::format("the rank-one adapter has {} bytes, expected at "
                                                 "most {}",
                                                 bytes.size(), kRankOneBudget));
        ALCOVE_RETURN_IF_ERROR(read_rank_one(*gguf, base_, refuse_, file_));
        return check_catalogue();
    }

    Status check_catalogue() const {
        const Approved* approved = find_approved(file_.info);
        if (approved == nullptr)
            return ok();
        if (base_ != nullptr &&
            (options_.base_sha256.empty() ? base_->file->file_bytes() != approved->base_bytes
                                          : options_.base_sha256 != approved->base_sha256))
            return base_mismatch();
        if (file_.pairs.size() != approved->n_pairs ||
            std::bit_cast<std::uint32_t>(static_cast<float>(file_.info.alpha.value_or(0))) !=
                std::bit_cast<std::uint32_t>(approved->alpha))
            return refuse_("inventory", "the adapter does not agree with its entry in the "
                                        "catalogue");
        return ok();
    }

    Error base_mismatch() const {
        return refuse_("base_mismatch", "this adapter is made for a different model file");
    }

    Status read_safetensors() {
        auto map = SafetensorsFile::open(path_, MemoryMap::Mode::Map);
        const fs::path config = path_.parent_path() / kConfigName;
        std::error_code ignored;
        const bool gemma = map && is_gemma(*map);
        if (!gemma && fs::exists(config, ignored))
            return read_folder(path_.parent_path(), path_);
        if (!map)
            return refuse_.pass_on("safetensors", Error{Errc::Adapter, map.error().message});
        if (!gemma)
            return refuse_("config", "adapter_config.json is missing beside the file: without it "
                                     "the strength is not known");
        ALCOVE_ASSIGN_OR_RETURN(const auto spans, take(std::array{path_}));
        const std::span<const std::byte> bytes = spans[0];
        return read_gemma(bytes, refuse_, file_);
    }

    Status read_folder(const fs::path& folder, const fs::path& weights) {
        const fs::path config = folder / kConfigName;
        std::error_code ignored;
        if (!fs::exists(config, ignored))
            return refuse_("config", "adapter_config.json is missing, expected a PEFT folder");
        if (!fs::exists(weights, ignored))
            return refuse_("open", fs::exists(folder / "adapter_model.bin", ignored)
                                       ? "there is only adapter_model.bin, which may run programs "
                                         "when opened; expected adapter_model.safetensors"
                                       : "adapter_model.safetensors is missing");
        constexpr std::uintmax_t kMaxConfig = 4U << 20U;
        if (fs::file_size(config, ignored) > kMaxConfig)
            return refuse_("config",
                           fmt::format("adapter_config.json has more than {} bytes", kMaxConfig));
        if (weights == folder / "adapter_model.safetensors")
            file_.info.path = folder;
        ALCOVE_ASSIGN_OR_RETURN(const auto spans, take(std::array{config, weights}));
        const auto [text, bytes] = spans;
        file_.info.name = folder.filename().string();
        return read_peft({reinterpret_cast<const char*>(text.data()), text.size()}, bytes, refuse_,
                         file_);
    }

    const fs::path& path_;
    const model::LoadedModel* base_;
    const AdapterOptions& options_;
    const std::stop_token& stop_;
    const Refusal refuse_;
    AdapterFile file_;
};

} // namespace

/// Declared with the readers: it shares their rules.
bool says_adapter(const std::filesystem::path& path) {
    std::error_code failure;
    if (fs::is_directory(path, failure))
        return fs::is_regular_file(path / kConfigName, failure);
    if (path.filename() == kConfigName)
        return fs::is_regular_file(path, failure);
    if (path.extension() == ".safetensors") {
        const auto file = SafetensorsFile::open(path, MemoryMap::Mode::Map);
        return file && (is_gemma(*file) || is_peft(*file));
    }
    const auto map = MemoryMap::open(path, MemoryMap::Mode::Map);
    if (!map || magic_of(map->bytes()) != kGgufMagic)
        return false;
    const auto gguf = parse_gguf(map->bytes(), display_path(path.filename()));
    return gguf && says_adapter(*gguf);
}

Result<AdapterFile> read_adapter_file(const std::filesystem::path& path,
                                      const model::LoadedModel* base, const AdapterOptions& options,
                                      const std::stop_token& stop) {
    const fs::path whole = whole_path(path);
    return Opener(whole, base, options, stop).read();
}

} // namespace alcove::adapter
