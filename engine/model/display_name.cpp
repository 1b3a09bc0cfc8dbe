#include "engine/model/display_name.h"

#include <algorithm>
#include <array>

namespace alcove::model {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}
char to_lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
char to_upper(char c) {
    return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
}

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(), to_lower);
    return result;
}

/// "q4_k_m", "iq3_xxs", "tq1_0", "pq2", "bf16", "i1": how the weights are stored.
bool is_weight_type(std::string_view word) {
    constexpr std::array<std::string_view, 12> kNames = {"f16",  "f32",   "bf16",  "fp16",
                                                         "fp32", "mxfp4", "nvfp4", "mxfp4_moe",
                                                         "ud",   "i1",    "imat",  "gguf"};
    if (std::find(kNames.begin(), kNames.end(), word) != kNames.end())
        return true;
    for (const std::string_view prefix : {"pt", "p", "t", "i"}) {
        if (word.starts_with(prefix) && word.substr(prefix.size()).starts_with('q')) {
            word.remove_prefix(prefix.size());
            break;
        }
    }
    if (word.size() < 2 || word[0] != 'q' || !is_digit(word[1]))
        return false;
    // Then short parts: "_k", "_m", "_xxs", "_0".
    std::size_t part = 0;
    for (const char c : word.substr(2)) {
        part = c == '_' ? 0 : part + 1;
        if (part > 3 || (c != '_' && !is_digit(c) && !is_lower(c)))
            return false;
    }
    return word.size() == 2 || word[2] == '_';
}

/// "-00001-of-00003" at the end.
std::string_view without_part_number(std::string_view stem) {
    constexpr std::string_view kShape = "-00000-of-00000";
    if (stem.size() <= kShape.size())
        return stem;
    const std::string_view end = stem.substr(stem.size() - kShape.size());
    for (std::size_t i = 0; i < kShape.size(); ++i) {
        if (kShape[i] == '0' ? !is_digit(end[i]) : end[i] != kShape[i])
            return stem;
    }
    return stem.substr(0, stem.size() - kShape.size());
}

std::string_view without_weight_type(std::string_view stem) {
    const std::string small = lower(stem);
    for (std::size_t i = 1; i < stem.size(); ++i) {
        const bool separator = std::string_view("-._ ").find(stem[i]) != std::string_view::npos;
        if (separator && is_weight_type(std::string_view(small).substr(i + 1)))
            return without_weight_type(stem.substr(0, i));
    }
    return stem;
}

/// A name that many files have, or a hash.
bool says_nothing(std::string_view stem) {
    const std::string small = lower(stem);
    constexpr std::array<std::string_view, 5> kCommon = {"model", "ggml-model", "weights",
                                                         "consolidated", "unsloth"};
    if (small.empty() || small.starts_with("sha256") || is_weight_type(small) ||
        std::find(kCommon.begin(), kCommon.end(), small) != kCommon.end())
        return true;
    constexpr std::size_t kHash = 16;
    return std::all_of(small.begin(), small.end(), is_digit) ||
           (small.size() >= kHash && std::all_of(small.begin(), small.end(), [](char c) {
                return is_digit(c) || (c >= 'a' && c <= 'f');
            }));
}

/// "7b", "1.5b", "270m", "e4b", "a3b": sizes are written with capitals.
bool is_size(std::string_view word) {
    if (word.size() >= 3 && (to_lower(word[0]) == 'e' || to_lower(word[0]) == 'a'))
        word.remove_prefix(1);
    if (word.size() < 2 || !is_digit(word[0]))
        return false;
    const char unit = to_lower(word.back());
    word.remove_suffix(1);
    return (unit == 'b' || unit == 'm' || unit == 'k') &&
           std::all_of(word.begin(), word.end(), [](char c) { return is_digit(c) || c == '.'; });
}

std::string shown(std::string_view word) {
    std::string result(word);
    if (is_size(word))
        std::transform(result.begin(), result.end(), result.begin(), to_upper);
    else if (std::all_of(word.begin(), word.end(),
                         [](char c) { return is_lower(c) || is_digit(c) || c == '.'; }))
        result[0] = to_upper(result[0]);
    return result;
}

void append_word(std::string& name, std::string_view word) {
    if (!name.empty())
        name += ' ';
    name += shown(word);
}

} // namespace

std::string display_name(std::string_view file_stem, std::string_view general_name) {
    const std::string_view stem = without_weight_type(without_part_number(file_stem));
    if (says_nothing(stem))
        return std::string(general_name.empty() ? file_stem : general_name);
    std::string name;
    std::size_t begin = 0;
    while (begin < stem.size()) {
        const std::size_t end = std::min(stem.find_first_of("-_ ", begin), stem.size());
        if (end > begin)
            append_word(name, stem.substr(begin, end - begin));
        begin = end + 1;
    }
    return name.empty() ? std::string(file_stem) : name;
}

} // namespace alcove::model
