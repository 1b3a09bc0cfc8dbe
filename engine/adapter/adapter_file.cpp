#include "engine/adapter/adapter_file.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace alcove::adapter {

Error Refusal::operator()(std::string_view fault, std::string_view sentence) const {
    return pass_on(fault, Error{Errc::Adapter, fmt::format("{}: {}", file_, sentence)});
}

Error Refusal::pass_on(std::string_view fault, const Error& error) const {
    if (fault_ != nullptr)
        *fault_ = fmt::format("adapter.{}", fault);
    return error;
}

std::string target_name(std::string_view tensor) {
    if (tensor.starts_with("blk.")) {
        const std::size_t dot = tensor.find('.', 4);
        tensor.remove_prefix(dot == std::string_view::npos ? 4 : dot + 1);
    }
    if (tensor.ends_with(".weight"))
        tensor.remove_suffix(7);
    return std::string(tensor);
}

void summarize(AdapterFile& file) {
    AdapterInfo& info = file.info;
    std::map<std::string, std::size_t> places; // of the names in info.targets
    for (const Pair& pair : file.pairs) {
        const auto rank = static_cast<std::int32_t>(pair.b.n_cols);
        info.rank_min = info.rank_max == 0 ? rank : std::min(info.rank_min, rank);
        info.rank_max = std::max(info.rank_max, rank);
        info.n_params += static_cast<std::uint64_t>(pair.a.size() + pair.b.size());
        const std::string name = target_name(pair.target);
        const auto [place, is_new] = places.emplace(name, info.targets.size());
        if (is_new)
            info.targets.push_back({name, 1});
        else
            ++info.targets[place->second].n_pairs;
    }
}

Status check_scales(const Refusal& refuse, const AdapterFile& file) {
    for (const Pair& pair : file.pairs) {
        if (!std::isfinite(pair.scale))
            return refuse("alpha_value",
                          fmt::format("the strength of {} is {}, expected a finite number: its "
                                      "alpha is too large for its rank",
                                      alcove::quoted(pair.shown), pair.scale));
    }
    return ok();
}

Status check_finite(const Refusal& refuse, const Factor& factor, std::string_view shown) {
    for (std::int64_t i = 0; i < factor.size(); ++i) {
        const float value = factor.value(i);
        if (!std::isfinite(value))
            return refuse("factor", fmt::format("tensor {} holds {} at {}, expected finite numbers",
                                                alcove::quoted(shown), value, i));
    }
    return ok();
}

Status check_rank(const Refusal& refuse, std::int64_t rank, std::string_view shown) {
    if (rank < 1 || rank > kMaxRank)
        return refuse("rank",
                      fmt::format("{} has rank {}, expected 1 to {}", shown, rank, kMaxRank));
    return ok();
}

} // namespace alcove::adapter
