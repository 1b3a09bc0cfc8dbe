#include "engine/text/jinja/methods.h"
#include "engine/text/jinja/unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

namespace alcove::jinja {
namespace {

using Names = std::string_view;
constexpr std::size_t kNotFound = std::string_view::npos;

template <MarkedText (*convert)(const MarkedText&)>
Value convert_case(Runtime& runtime, const Value& self, const Arguments& arguments) {
    Parameters(arguments, "str method", {}, 0);
    runtime.charge_bytes(self.text().size() * 8);
    return runtime.string(convert(self.text()));
}

template <bool left, bool right>
Value strip(Runtime& runtime, const Value& self, const Arguments& arguments) {
    static constexpr Names kNames[] = {"chars"};
    const Parameters given(arguments, "strip", kNames, 0);
    return runtime.string(strip_text(
        self.text(), given.optional(0) == nullptr ? nullptr : given.text(0), left, right));
}

std::size_t max_split(const Parameters& given) {
    const Int n = given.integer(1, -1);
    return n < 0 ? std::numeric_limits<std::size_t>::max() : to_count(n);
}

const MarkedText* separator(const Parameters& given) {
    if (given.optional(0) == nullptr)
        return nullptr;
    const MarkedText* text = given.text(0);
    if (text->empty())
        fail_runtime("empty separator");
    return text;
}

Value split(Runtime& runtime, const Value& self, const Arguments& arguments) {
    static constexpr Names kNames[] = {"sep", "maxsplit"};
    const Parameters given(arguments, "split", kNames, 0);
    const MarkedText& text = self.text();
    const MarkedText* by = separator(given);
    std::size_t left = max_split(given);
    std::vector<Value> out;
    std::size_t pos = 0;
    const auto skip_spaces = [&] {
        while (pos < text.size()) {
            std::size_t next = pos;
            if (!is_space(next_char(text.view(), next)))
                break;
            pos = next;
        }
    };
    runtime.charge_bytes(text.size());
    if (by != nullptr) {
        for (; left > 0; --left) {
            const std::size_t found = find_text(text.view(), by->view(), pos);
            if (found == kNotFound)
                break;
            out.push_back(runtime.string(text.slice(pos, found - pos)));
            pos = found + by->size();
        }
        out.push_back(runtime.string(text.slice(pos, text.size() - pos)));
        return runtime.list(std::move(out));
    }
    for (skip_spaces(); pos < text.size(); skip_spaces()) {
        std::size_t end = left-- == 0 ? text.size() : pos;
        if (end != pos) { // the rest, without the spaces at its end
            out.push_back(
                runtime.string(strip_text(text.slice(pos, end - pos), nullptr, false, true)));
            break;
        }
        while (end < text.size()) {
            std::size_t next = end;
            if (is_space(next_char(text.view(), next)))
                break;
            end = next;
        }
        out.push_back(runtime.string(text.slice(pos, end - pos)));
        pos = end;
    }
    return runtime.list(std::move(out));
}

Value rsplit(Runtime& runtime, const Value& self, const Arguments& arguments) {
    static constexpr Names kNames[] = {"sep", "maxsplit"};
    const Parameters given(arguments, "rsplit", kNames, 0);
    const MarkedText& text = self.text();
    const MarkedText* by = separator(given);
    std::size_t left = max_split(given);
    std::vector<Value> out;
    std::size_t end = text.size();
    while (true) {
        if (by == nullptr)
            end = trim_spaces(text.view().substr(0, end), false, true).size();
        if (by == nullptr && end == 0)
            break;
        std::size_t cut = kNotFound; // where the separator begins
        std::size_t begin = 0;       // where the piece begins
        if (left > 0 && by != nullptr) {
            runtime.charge_bytes(end);
            cut = find_last_text(text.view(), by->view(), end);
            begin = cut == kNotFound ? 0 : cut + by->size();
        } else if (left > 0) {
            for (std::size_t at = end; at > 0;) {
                const std::size_t behind = at;
                if (is_space(previous_char(text.view(), at))) {
                    cut = at;
                    begin = behind;
                    break;
                }
            }
        } else if (by == nullptr) {
            begin = static_cast<std::size_t>(trim_spaces(text.view(), true, false).data() -
                                             text.view().data());
        }
        out.push_back(runtime.string(text.slice(begin, end - begin)));
        if (cut == kNotFound)
            break;
        end = cut;
        --left;
    }
    std::reverse(out.begin(), out.end());
    return runtime.list(std::move(out));
}

template <bool last>
Value partition(Runtime& runtime, const Value& self, const Arguments& arguments) {
    static constexpr Names kNames[] = {"sep"};
    const Parameters given(arguments, "partition", kNames, 1);
    const MarkedText& text = self.text();
    const MarkedText& by = *given.text(0);
    if (by.empty())
        fail_runtime("empty separator");
    const std::size_t found = last ? find_last_text(text.view(), by.view(), text.size())
                                   : find_text(text.view(), by.view());
    const Value empty = runtime.string("", false);
    if (found == kNotFound)
        return last ? runtime.tuple({empty, empty, self}) : runtime.tuple({self, empty, empty});
    const std::size_t behind = found + by.size();
    return runtime.tuple({runtime.string(text.slice(0, found)), given.at(0),
                          runtime.string(text.slice(behind, text.size() - behind))});
}

Value splitlines(Runtime& runtime, const Value& self, const Arguments& arguments) {
    static constexpr Names kNames[] = {"keepends"};
    const Parameters given(arguments, "splitlines", kNames, 0);
    runtime.charge_bytes(self.text().size() * 8);
    std::vector<Value> out;
    for (MarkedText& line : split_lines(self.text(), given.boolean(0, false)))
        out.push_back(runtime.string(std::move(line)));
    return runtime.list(std::move(out));
}

/// The bytes that `start` and `stop` (parameters 1 and 2, in characters) leave of the text.
struct Range {
    std::size_t begin = 0, end = 0;
    bool valid = true;
};
Range byte_range(const Value& self, const Parameters& given) {
    const String& string = self.string();
    const auto offset = [&](std::size_t parameter, std::size_t missing) {
        if (given.optional(parameter) == nullptr)
            return missing;
        Int i = given.integer(parameter, 0);
        if (i < 0)
            i += static_cast<Int>(string.n_chars);
        return to_count(i);
    };
    const std::size_t begin = offset(1, 0);
    const std::size_t end = std::min(offset(2, string.n_chars), string.n_chars);
    if (begin > end)
        return {0, 0, false};
    return {char_offset(string.text.view(), begin), char_offset(string.text.view(), end), true};
}

enum class Search { Find, Last, Count };

/// Character index of the first or last occurrence (−1: none), or how many there are.
Int search(Runtime& runtime, const Value& self, const Arguments& arguments, std::string_view name,
           Search what) {
    static constexpr Names kNames[] = {"sub", "start", "end"};
    const Parameters given(arguments, name, kNames, 1);
    const std::string_view part = given.text(0)->view();
    const Range range = byte_range(self, given);
    runtime.charge_bytes(self.text().size() * 2);
    if (!range.valid)
        return what == Search::Count ? 0 : -1;
    const std::string_view text = self.view().substr(0, range.end);
    if (what == Search::Count) {
        if (part.empty())
            return static_cast<Int>(count_chars(text.substr(range.begin)) + 1);
        Int n = 0;
        for (std::size_t pos = find_text(text, part, range.begin); pos != kNotFound;
             pos = find_text(text, part, pos + part.size()))
            ++n;
        return n;
    }
    const std::size_t found = what == Search::Find ? find_text(text, part, range.begin)
                                                   : find_last_text(text, part, text.size());
    if (found == kNotFound || found < range.begin)
        return -1;
    return static_cast<Int>(count_chars(text.substr(0, found)));
}

template <Search what, bool must>
Value search_method(Runtime& runtime, const Value& self, const Arguments& arguments) {
    const Int found = search(runtime, self, arguments, "find", what);
    if (must && found < 0)
        fail_runtime("substring not found");
    return Value(found);
}

template <bool at_end>
Value starts_or_ends(Runtime& runtime, const Value& self, const Arguments& arguments) {
    static constexpr Names kNames[] = {"affix", "start", "end"};
    const Parameters given(arguments, at_end ? "endswith" : "startswith", kNames, 1);
    const Range range = byte_range(self, given);
    const std::string_view text = self.view().substr(range.begin, range.end - range.begin);
    const auto matches = [&](const Value& affix) {
        require_defined(affix);
        if (!affix.is_string())
            fail_runtime(fmt::format("{} first arg must be str or a tuple of str, not {}",
                                     at_end ? "endswith" : "startswith", type_name(affix)));
        const std::string_view part = affix.view();
        runtime.charge_bytes(part.size());
        return range.valid && text.size() >= part.size() &&
               text.substr(at_end ? text.size() - part.size() : 0, part.size()) == part;
    };
    if (given.at(0).is_sequence(SequenceKind::Tuple)) {
        const auto& affixes = given.at(0).sequence().items;
        return Value(std::any_of(affixes.begin(), affixes.end(), matches));
    }
    return Value(matches(given.at(0)));
}

Value replace(Runtime& runtime, const Value& self, const Arguments& arguments) {
    static constexpr Names kNames[] = {"old", "new", "count"};
    const Parameters given(arguments, "replace", kNames, 2);
    const Int count = given.integer(2, -1);
    return runtime.string(
        replace_text(runtime, self.text(), *given.text(0), *given.text(1),
                     count < 0 ? std::numeric_limits<std::size_t>::max() : to_count(count)));
}

Value join(Runtime& runtime, const Value& self, const Arguments& arguments) {
    static constexpr Names kNames[] = {"iterable"};
    const Parameters given(arguments, "join", kNames, 1);
    MarkedText out;
    std::size_t i = 0;
    for (const Value& item : runtime.to_vector(given.at(0))) {
        if (!item.is_string())
            fail_runtime(fmt::format("sequence item {}: expected str instance, {} found", i,
                                     type_name(item)));
        if (i++ > 0)
            out.append(self.text());
        out.append(item.text());
        runtime.require(out.memory());
    }
    return runtime.string(std::move(out));
}

template <char align> Value pad(Runtime& runtime, const Value& self, const Arguments& arguments) {
    static constexpr Names kNames[] = {"width", "fillchar"};
    const Parameters given(arguments, "ljust", kNames, 1);
    const std::string_view fill = given.has(1) ? given.text(1)->view() : " ";
    if (count_chars(fill) != 1)
        fail_runtime("The fill character must be exactly one character long");
    return runtime.string(
        pad_text(runtime, self.text(), to_count(given.integer(0, 0)), align, fill));
}

Value zfill(Runtime& runtime, const Value& self, const Arguments& arguments) {
    static constexpr Names kNames[] = {"width"};
    const Parameters given(arguments, "zfill", kNames, 1);
    const MarkedText& text = self.text();
    const std::size_t width = to_count(given.integer(0, 0));
    const std::size_t sign =
        !text.empty() && (text.view()[0] == '+' || text.view()[0] == '-') ? 1 : 0;
    MarkedText out = text.slice(0, sign);
    out.append(pad_text(runtime, text.slice(sign, text.size() - sign),
                        width - std::min(width, sign), '>', "0"));
    return runtime.string(std::move(out));
}

template <bool at_end>
Value remove_affix(Runtime& runtime, const Value& self, const Arguments& arguments) {
    static constexpr Names kNames[] = {"affix"};
    const Parameters given(arguments, at_end ? "removesuffix" : "removeprefix", kNames, 1);
    const MarkedText& text = self.text();
    const std::string_view part = given.text(0)->view();
    const std::size_t at = at_end ? text.size() - std::min(text.size(), part.size()) : 0;
    if (part.empty() || text.view().substr(at, part.size()) != part)
        return self;
    return runtime.string(at_end ? text.slice(0, at)
                                 : text.slice(part.size(), text.size() - part.size()));
}

Value expandtabs(Runtime& runtime, const Value& self, const Arguments& arguments) {
    static constexpr Names kNames[] = {"tabsize"};
    const Parameters given(arguments, "expandtabs", kNames, 0);
    const std::size_t size = to_count(given.integer(0, 8));
    const MarkedText& text = self.text();
    MarkedText out;
    std::size_t column = 0;
    for (std::size_t pos = 0; pos < text.size();) {
        const std::size_t begin = pos;
        const char32_t c = next_char(text.view(), pos);
        if (c == '\t') {
            const std::size_t n = size == 0 ? 0 : size - column % size;
            out.append(repeat_text(runtime, MarkedText(" ", text.from_data(begin)), n));
            column += n;
            continue;
        }
        column = c == '\n' || c == '\r' ? 0 : column + 1;
        out.append_range(text, begin, pos - begin);
    }
    return runtime.string(std::move(out));
}

/// The bytes as a list of numbers; only their count and values matter to templates.
Value encode(Runtime& runtime, const Value& self, const Arguments& arguments) {
    static constexpr Names kNames[] = {"encoding", "errors"};
    const Parameters given(arguments, "encode", kNames, 0);
    if (given.has(0) && lower_text(*given.text(0)).view().substr(0, 3) != "utf")
        fail_runtime("encode() knows UTF-8 only");
    runtime.require(self.text().size() * sizeof(Value));
    std::vector<Value> out;
    for (const char c : self.view())
        out.emplace_back(Int{static_cast<unsigned char>(c)});
    return runtime.list(std::move(out));
}

/// True if there is a character and all satisfy `test`.
template <bool (*test)(char32_t)>
Value all_chars(Runtime& runtime, const Value& self, const Arguments& arguments) {
    Parameters(arguments, "str method", {}, 0);
    runtime.charge_bytes(self.text().size());
    const std::string_view text = self.view();
    for (std::size_t pos = 0; pos < text.size();)
        if (!test(next_char(text, pos)))
            return Value(false);
    return Value(!text.empty());
}

bool letter_or_number(char32_t c) {
    return is_letter(c) || is_number(c);
}
bool ascii(char32_t c) {
    return c < 0x80;
}

/// True if there is a cased character and none of the other case.
template <bool (*wanted)(char32_t), bool (*refused)(char32_t)>
Value is_case(Runtime& runtime, const Value& self, const Arguments& arguments) {
    Parameters(arguments, "str method", {}, 0);
    runtime.charge_bytes(self.text().size());
    bool any = false;
    for (std::size_t pos = 0; pos < self.text().size();) {
        const char32_t c = next_char(self.view(), pos);
        if (refused(c) || is_title(c))
            return Value(false);
        any = any || wanted(c);
    }
    return Value(any);
}

Value istitle(Runtime& runtime, const Value& self, const Arguments& arguments) {
    Parameters(arguments, "istitle", {}, 0);
    runtime.charge_bytes(self.text().size());
    bool any = false, in_word = false;
    for (std::size_t pos = 0; pos < self.text().size();) {
        const char32_t c = next_char(self.view(), pos);
        if ((is_upper(c) || is_title(c)) ? in_word : (is_lower(c) && !in_word))
            return Value(false);
        in_word = is_cased(c);
        any = any || in_word;
    }
    return Value(any);
}

Value isidentifier(Runtime& runtime, const Value& self, const Arguments& arguments) {
    const bool digit_first = !self.text().empty() && self.view()[0] >= '0' && self.view()[0] <= '9';
    return digit_first ? Value(false) : all_chars<is_word>(runtime, self, arguments);
}

Value format(Runtime& runtime, const Value& self, const Arguments& arguments) {
    return brace_format(runtime, self.text(), arguments);
}

constexpr Method kStringMethods[] = {
    {"capitalize", convert_case<capitalize_text>},
    {"casefold", convert_case<casefold_text>},
    {"center", pad<'^'>},
    {"count", search_method<Search::Count, false>},
    {"encode", encode},
    {"endswith", starts_or_ends<true>},
    {"expandtabs", expandtabs},
    {"find", search_method<Search::Find, false>},
    {"format", format},
    {"index", search_method<Search::Find, true>},
    {"isalnum", all_chars<letter_or_number>},
    {"isalpha", all_chars<is_letter>},
    {"isascii", all_chars<ascii>},
    {"isdecimal", all_chars<is_digit>},
    {"isdigit", all_chars<is_digit>},
    {"isidentifier", isidentifier},
    {"islower", is_case<is_lower, is_upper>},
    {"isnumeric", all_chars<is_number>},
    {"isprintable", all_chars<is_printable>},
    {"isspace", all_chars<is_space>},
    {"istitle", istitle},
    {"isupper", is_case<is_upper, is_lower>},
    {"join", join},
    {"ljust", pad<'<'>},
    {"lower", convert_case<lower_text>},
    {"lstrip", strip<true, false>},
    {"partition", partition<false>},
    {"removeprefix", remove_affix<false>},
    {"removesuffix", remove_affix<true>},
    {"replace", replace},
    {"rfind", search_method<Search::Last, false>},
    {"rindex", search_method<Search::Last, true>},
    {"rjust", pad<'>'>},
    {"rpartition", partition<true>},
    {"rsplit", rsplit},
    {"rstrip", strip<false, true>},
    {"split", split},
    {"splitlines", splitlines},
    {"startswith", starts_or_ends<false>},
    {"strip", strip<true, true>},
    {"swapcase", convert_case<swapcase_text>},
    {"title", convert_case<title_text>},
    {"upper", convert_case<upper_text>},
    {"zfill", zfill},
};

} // namespace

const Method* find_string_method(std::string_view name) {
    const auto* found = std::lower_bound(
        std::begin(kStringMethods), std::end(kStringMethods), name,
        [](const Method& method, std::string_view wanted) { return method.name < wanted; });
    return found != std::end(kStringMethods) && found->name == name ? found : nullptr;
}

} // namespace alcove::jinja
