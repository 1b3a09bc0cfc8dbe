#include "engine/text/utf8.h"

#include <cstring>

namespace alcove {

namespace {

/// Length of the run of ASCII bytes at the begin of `bytes`.
std::size_t ascii_prefix(std::string_view bytes) noexcept {
    std::size_t n = 0;
    for (; n + 8 <= bytes.size(); n += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + n, 8);
        if ((word & 0x8080808080808080U) != 0)
            break;
    }
    while (n < bytes.size() && static_cast<unsigned char>(bytes[n]) < 0x80)
        ++n;
    return n;
}

/// Length of the valid prefix of `bytes`.
std::size_t valid_prefix(std::string_view bytes) noexcept {
    std::size_t n = 0;
    while (n < bytes.size()) {
        n += ascii_prefix(bytes.substr(n));
        if (n == bytes.size())
            break;
        const Utf8Step step = utf8_step(bytes.substr(n));
        if (step.status != Utf8Status::Valid)
            break;
        n += step.length;
    }
    return n;
}

} // namespace

Utf8Step utf8_step(std::string_view bytes) noexcept {
    const auto at = [bytes](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
    const unsigned lead = at(0);
    if (lead < 0x80)
        return {Utf8Status::Valid, 1, lead};
    if (lead < 0xC2 || lead > 0xF4)
        return {Utf8Status::Invalid, 1, 0};

    const unsigned total = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    // The second byte is the only one whose range depends on the lead: no overlong forms, no
    // surrogates, no more than U+10FFFF.
    const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    char32_t code_point = lead & (0xFFU >> (total + 1));
    for (unsigned i = 1; i < total; ++i) {
        if (i == bytes.size())
            return {Utf8Status::Incomplete, static_cast<std::uint8_t>(i), 0};
        const unsigned byte = at(i);
        if (byte < (i == 1 ? low : 0x80U) || byte > (i == 1 ? high : 0xBFU))
            return {Utf8Status::Invalid, static_cast<std::uint8_t>(i), 0};
        code_point = code_point << 6U | (byte & 0x3FU);
    }
    return {Utf8Status::Valid, static_cast<std::uint8_t>(total), code_point};
}

char32_t utf8_next(std::string_view text, std::size_t& position) noexcept {
    const Utf8Step step = utf8_step(text.substr(position));
    position += step.length;
    return step.status == Utf8Status::Valid ? step.code_point : U'\uFFFD';
}

void utf8_append(std::string& out, char32_t code_point) {
    const auto push = [&out](char32_t byte) { out.push_back(static_cast<char>(byte)); };
    if (code_point < 0x80) {
        push(code_point);
    } else if (code_point < 0x800) {
        push(0xC0U | code_point >> 6U);
        push(0x80U | (code_point & 0x3FU));
    } else if (code_point < 0x10000) {
        push(0xE0U | code_point >> 12U);
        push(0x80U | (code_point >> 6U & 0x3FU));
        push(0x80U | (code_point & 0x3FU));
    } else {
        push(0xF0U | code_point >> 18U);
        push(0x80U | (code_point >> 12U & 0x3FU));
        push(0x80U | (code_point >> 6U & 0x3FU));
        push(0x80U | (code_point & 0x3FU));
    }
}

bool utf8_is_valid(std::string_view bytes) noexcept {
    return valid_prefix(bytes) == bytes.size();
}

std::string utf8_repair(std::string_view bytes) {
    std::string out;
    out.reserve(bytes.size());
    while (!bytes.empty()) {
        const std::size_t good = valid_prefix(bytes);
        out.append(bytes.substr(0, good));
        bytes.remove_prefix(good);
        if (bytes.empty())
            break;
        out.append(kReplacement);
        bytes.remove_prefix(utf8_step(bytes).length);
    }
    return out;
}

} // namespace alcove
