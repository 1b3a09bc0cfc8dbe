#pragma once

#include "engine/text/jinja/runtime.h"

#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace alcove::jinja {

/// What `namespace(…)` makes: the one thing that a template can change from inside a loop.
class Namespace final : public Object {
public:
    std::string_view type_name() const override { return "Namespace"; }
    std::optional<Value> attribute(Runtime& runtime, std::string_view name) override;
    void clear() override { attributes_.clear(); }
    /// Fails with Security for names that begin with an underscore, as the reference does.
    void set(Runtime& runtime, std::string_view name, Value value);

private:
    std::vector<std::pair<std::string, Value>> attributes_;
};

/// `strftime` in the C locale, with glibc's flags - _ 0 (as in "%-d").
std::string format_time(std::string_view format, const std::tm& time);

} // namespace alcove::jinja
