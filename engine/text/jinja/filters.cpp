#include "engine/text/jinja/filters.h"

#include "engine/text/jinja/text_ops.h"

#include <algorithm>
#include <vector>

namespace alcove::jinja {

const Filter* find_filter(std::string_view name) {
    // Built once, then only read.
    static const std::vector<const Filter*> kSorted = [] {
        std::vector<const Filter*> all;
        for (const auto& table : {text_filters(), sequence_filters(), selection_filters()})
            for (const Filter& filter : table)
                all.push_back(&filter);
        std::sort(all.begin(), all.end(),
                  [](const Filter* a, const Filter* b) { return a->name < b->name; });
        return all;
    }();
    const auto found = std::lower_bound(
        kSorted.begin(), kSorted.end(), name,
        [](const Filter* filter, std::string_view wanted) { return filter->name < wanted; });
    return found != kSorted.end() && (*found)->name == name ? *found : nullptr;
}

Value attribute_path(Runtime& runtime, const Value& value, const Value& path) {
    if (!path.is_string())
        return runtime.item(value, path);
    Value current = value;
    std::string_view rest = path.view();
    while (true) {
        const std::size_t dot = std::min(rest.find('.'), rest.size());
        const std::string_view part = rest.substr(0, dot);
        const bool number =
            !part.empty() && part.size() < 18 &&
            std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
        if (number) {
            Int index = 0;
            for (const char c : part)
                index = index * 10 + (c - '0');
            current = runtime.item(current, Value(index));
        } else {
            current = runtime.item(current, runtime.string(part, false));
        }
        if (dot == rest.size())
            return current;
        rest.remove_prefix(dot + 1);
    }
}

Value ignore_case(Runtime& runtime, const Value& value) {
    return value.is_string() ? runtime.string(lower_text(value.text())) : value;
}

} // namespace alcove::jinja
