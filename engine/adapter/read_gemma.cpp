#include "engine/adapter/safetensors_factor.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <map>

/// Adapters of gemma4 in safetensors: `lora.blk.<layer>.<projection>.A` [rank, in] with `.B` [out,
/// rank]; the whole model's `lm_head` and `embed_tokens` stand under layer 0. The metadata `rank`,
/// `alpha` and `target_modules` (names between commas) must be there.
namespace alcove::adapter {

namespace {

struct Projection {
    std::string_view name, tensor;
    bool of_model;
};
constexpr std::array kProjections = {
    Projection{"attn_q", "attn_q", false},          Projection{"attn_k", "attn_k", false},
    Projection{"attn_v", "attn_v", false},          Projection{"attn_o", "attn_output", false},
    Projection{"ffn_gate", "ffn_gate", false},      Projection{"ffn_up", "ffn_up", false},
    Projection{"ffn_down", "ffn_down", false},      Projection{"lm_head", "output", true},
    Projection{"embed_tokens", "token_embd", true},
};

const Projection* find_projection(std::string_view name) {
    const auto* at = std::find_if(kProjections.begin(), kProjections.end(),
                                  [&](const Projection& p) { return p.name == name; });
    return at != kProjections.end() ? at : nullptr;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
        text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
        text.remove_suffix(1);
    return text;
}

struct Metadata {
    std::int64_t rank = 0;
    double alpha = 0;
    std::vector<const Projection*> targets;
};

class MetadataReader {
public:
    MetadataReader(const SafetensorsFile& file, const Refusal& refuse)
        : file_(file), refuse_(refuse) {}

    Result<Metadata> read() const {
        Metadata metadata;
        ALCOVE_ASSIGN_OR_RETURN(const std::string rank, text("rank", "metadata_missing"));
        const auto [rank_end, rank_error] =
            std::from_chars(rank.data(), rank.data() + rank.size(), metadata.rank);
        if (rank_error != std::errc() || rank_end != rank.data() + rank.size() ||
            metadata.rank < 1 || metadata.rank > kMaxRank)
            return refuse_("metadata_value",
                           fmt::format("the metadata rank is {}, expected a whole number of 1 to "
                                       "{}",
                                       alcove::quoted(rank), kMaxRank));
        ALCOVE_ASSIGN_OR_RETURN(const std::string alpha, text("alpha", "alpha_missing"));
        const auto [alpha_end, alpha_error] =
            std::from_chars(alpha.data(), alpha.data() + alpha.size(), metadata.alpha);
        if (alpha_error != std::errc() || alpha_end != alpha.data() + alpha.size() ||
            !std::isfinite(metadata.alpha) || metadata.alpha <= 0)
            return refuse_("alpha_value",
                           fmt::format("the metadata alpha is {}, expected a finite number above 0",
                                       alcove::quoted(alpha)));
        ALCOVE_ASSIGN_OR_RETURN(metadata.targets, targets());
        return metadata;
    }

private:
    Result<std::string> text(const char* key, std::string_view fault) const {
        const auto found = file_.metadata().find(key);
        if (found == file_.metadata().end())
            return refuse_(fault, fmt::format("the metadata {} is missing, expected rank, alpha "
                                              "and target_modules",
                                              key));
        return std::string(trimmed(found->second));
    }

    Result<std::vector<const Projection*>> targets() const {
        ALCOVE_ASSIGN_OR_RETURN(const std::string list, text("target_modules", "metadata_missing"));
        std::vector<const Projection*> found;
        for (std::size_t at = 0; at <= list.size();) {
            const std::size_t comma = std::min(list.find(',', at), list.size());
            const std::string_view name = trimmed(std::string_view(list).substr(at, comma - at));
            at = comma + 1;
            if (name.empty())
                continue;
            const Projection* projection = find_projection(name);
            if (projection == nullptr)
                return refuse_("metadata_value",
                               fmt::format("target_modules names {}, which is no target here",
                                           alcove::quoted(name)));
            found.push_back(projection);
        }
        if (found.empty())
            return refuse_("metadata_value",
                           "target_modules names no target, expected at least one");
        return found;
    }

    const SafetensorsFile& file_;
    const Refusal& refuse_;
};

struct Key {
    std::int32_t layer;
    const Projection* projection;
    bool operator<(const Key& other) const {
        return layer != other.layer ? layer < other.layer
                                    : projection->name < other.projection->name;
    }
};

struct Halves {
    const SafetensorsTensor* a = nullptr;
    const SafetensorsTensor* b = nullptr;
};

class GemmaReader {
public:
    GemmaReader(const Metadata& metadata, const Refusal& refuse, AdapterFile& file)
        : metadata_(metadata), refuse_(refuse), file_(file) {}

    Status read(const SafetensorsFile& tensors) {
        for (const SafetensorsTensor& tensor : tensors.tensors())
            ALCOVE_RETURN_IF_ERROR(take(tensor));
        for (const auto& [key, halves] : pairs_)
            ALCOVE_RETURN_IF_ERROR(add(key, halves));
        for (const Projection* target : metadata_.targets) {
            const bool present = std::any_of(pairs_.begin(), pairs_.end(), [&](const auto& pair) {
                return pair.first.projection == target;
            });
            if (!present)
                return refuse_("empty", fmt::format("target_modules names {}, but the file has no "
                                                    "factors for it",
                                                    target->name));
        }
        return ok();
    }

private:
    Status take(const SafetensorsTensor& tensor) {
        std::string_view rest = tensor.name;
        const auto strange = [&] {
            return refuse_("tensor_name", fmt::format("tensor {} is not of the form "
                                                      "lora.blk.<layer>.<projection>.A or .B",
                                                      alcove::quoted(tensor.name)));
        };
        constexpr std::string_view kPrefix = "lora.blk.";
        if (!rest.starts_with(kPrefix) || !(rest.ends_with(".A") || rest.ends_with(".B")))
            return strange();
        const bool is_a = rest.ends_with(".A");
        rest = rest.substr(kPrefix.size(), rest.size() - kPrefix.size() - 2);
        Key key{};
        const auto [end, error] =
            std::from_chars(rest.data(), rest.data() + rest.size(), key.layer);
        if (error != std::errc() || key.layer < 0 || end == rest.data() + rest.size() ||
            *end != '.')
            return strange();
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()) + 1);
        key.projection = find_projection(rest);
        if (key.projection == nullptr || (key.projection->of_model && key.layer != 0))
            return strange();
        if (std::find(metadata_.targets.begin(), metadata_.targets.end(), key.projection) ==
            metadata_.targets.end())
            return refuse_("tensor_name",
                           fmt::format("tensor {} is there, but target_modules does "
                                       "not name {}",
                                       alcove::quoted(tensor.name), key.projection->name));
        (is_a ? pairs_[key].a : pairs_[key].b) = &tensor;
        return ok();
    }

    Status add(const Key& key, const Halves& halves) {
        const std::string shown = fmt::format("lora.blk.{}.{}", key.layer, key.projection->name);
        if (halves.b == nullptr)
            return refuse_("b_missing", fmt::format("{}.B is missing", shown));
        if (halves.a == nullptr)
            return refuse_("a_missing", fmt::format("{}.A is missing", shown));
        Pair pair;
        pair.shown = shown;
        pair.target = key.projection->of_model
                          ? fmt::format("{}.weight", key.projection->tensor)
                          : fmt::format("blk.{}.{}.weight", key.layer, key.projection->tensor);
        ALCOVE_ASSIGN_OR_RETURN(pair.a, safetensors_factor(*halves.a, false, refuse_));
        ALCOVE_ASSIGN_OR_RETURN(pair.b, safetensors_factor(*halves.b, false, refuse_));
        if (pair.a.n_rows != metadata_.rank || pair.b.n_cols != metadata_.rank)
            return refuse_("rank",
                           fmt::format("{}.A has {} rows and B {} columns, expected the "
                                       "rank {} of the metadata",
                                       shown, pair.a.n_rows, pair.b.n_cols, metadata_.rank));
        ALCOVE_RETURN_IF_ERROR(check_finite(refuse_, pair.a, halves.a->name));
        ALCOVE_RETURN_IF_ERROR(check_finite(refuse_, pair.b, halves.b->name));
        pair.scale = static_cast<float>(metadata_.alpha / static_cast<double>(metadata_.rank));
        pair.after_embedding_scale = true;
        file_.pairs.push_back(std::move(pair));
        return ok();
    }

    const Metadata& metadata_;
    const Refusal& refuse_;
    AdapterFile& file_;
    std::map<Key, Halves> pairs_;
};

} // namespace

Status read_gemma(std::span<const std::byte> bytes, const Refusal& refuse, AdapterFile& file) {
    file.info.kind = AdapterKind::Gemma;
    file.info.architecture = "gemma4";
    auto tensors = SafetensorsFile::parse(bytes, refuse.file());
    if (!tensors)
        return refuse.pass_on("safetensors", Error{Errc::Adapter, tensors.error().message});
    ALCOVE_ASSIGN_OR_RETURN(const Metadata metadata, MetadataReader(*tensors, refuse).read());
    file.info.alpha = metadata.alpha;
    return GemmaReader(metadata, refuse, file).read(*tensors);
}

} // namespace alcove::adapter
