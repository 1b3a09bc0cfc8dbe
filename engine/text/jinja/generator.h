#pragma once

#include "engine/text/jinja/runtime.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace alcove::jinja {

/// A value that computes its elements when they are asked for, once: what `map`, `select` and their
/// like return.
template <typename Next> class Generator final : public Object {
public:
    Generator(int depth, Next next_element) : depth_(depth), next_(std::move(next_element)) {}
    std::string_view type_name() const override { return "generator"; }
    int depth() const override { return depth_; }
    bool iterable() const override { return true; }
    std::optional<Value> next(Runtime& runtime) override { return next_(runtime); }

private:
    int depth_;
    Next next_;
};

/// A generator over the elements of `source`: `next(runtime, iteration)` gives the next element.
template <typename Next>
Value make_generator(Runtime& runtime, const Value& source, Next next_element) {
    const int depth = depth_of(source) + 1;
    if (depth > kMaxValueDepth)
        fail_runtime(fmt::format("values nest deeper than {}", kMaxValueDepth));
    auto walk = std::make_shared<Iteration>(runtime, source);
    auto next = [walk = std::move(walk), next_element = std::move(next_element)](
                    Runtime& use) mutable { return next_element(use, *walk); };
    return runtime.object<Generator<decltype(next)>>(depth, std::move(next));
}

/// A generator over elements computed beforehand.
inline Value make_generator(Runtime& runtime, std::vector<Value> items) {
    return make_generator(runtime, runtime.list(std::move(items)),
                          [](Runtime& /*use*/, Iteration& walk) { return walk.next(); });
}

} // namespace alcove::jinja
