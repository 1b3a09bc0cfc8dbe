#include "engine/text/grammar_ast.h"

#include "engine/text/utf8.h"

#include <algorithm>

namespace alcove {

Error grammar_error(std::string message) {
    return {Errc::Grammar, std::move(message)};
}

CodeSet normalized(CodeSet ranges) {
    CodeSet clean;
    for (auto [first, last] : ranges) {
        last = std::min<char32_t>(last, 0x10FFFF);
        if (first > last)
            continue;
        // Surrogates are no characters.
        if (first < 0xD800)
            clean.emplace_back(first, std::min<char32_t>(last, 0xD7FF));
        if (last > 0xDFFF)
            clean.emplace_back(std::max<char32_t>(first, 0xE000), last);
    }
    std::sort(clean.begin(), clean.end());
    CodeSet merged;
    for (const CodeRange& range : clean) {
        if (!merged.empty() && range.first <= merged.back().second + 1)
            merged.back().second = std::max(merged.back().second, range.second);
        else
            merged.push_back(range);
    }
    return merged;
}

CodeSet complement(const CodeSet& ranges) {
    CodeSet out;
    char32_t next = 0;
    for (const auto& [first, last] : normalized(ranges)) {
        if (first > next)
            out.emplace_back(next, first - 1);
        next = last + 1;
    }
    if (next <= 0x10FFFF)
        out.emplace_back(next, 0x10FFFF);
    return normalized(std::move(out));
}

CodeSet intersection(const CodeSet& a, const CodeSet& b) {
    CodeSet out;
    for (const auto& [first, last] : a)
        for (const auto& [low, high] : b)
            if (std::max(first, low) <= std::min(last, high))
                out.emplace_back(std::max(first, low), std::min(last, high));
    return normalized(std::move(out));
}

ExprId GrammarAst::add(Expr expr) {
    exprs_.push_back(std::move(expr));
    return static_cast<ExprId>(exprs_.size() - 1);
}

ExprId GrammarAst::set(CodeSet ranges) {
    Expr expr;
    expr.kind = Kind::Set;
    expr.set = normalized(std::move(ranges));
    return add(std::move(expr));
}

ExprId GrammarAst::literal(std::string_view utf8) {
    std::vector<ExprId> parts;
    for (std::size_t position = 0; position < utf8.size();) {
        const char32_t c = utf8_next(utf8, position);
        parts.push_back(set({{c, c}}));
    }
    return sequence(std::move(parts));
}

ExprId GrammarAst::sequence(std::vector<ExprId> parts) {
    if (parts.size() == 1)
        return parts[0];
    Expr expr;
    expr.kind = Kind::Sequence;
    expr.parts = std::move(parts);
    return add(std::move(expr));
}

ExprId GrammarAst::choice(std::vector<ExprId> parts) {
    if (parts.empty())
        return never();
    if (parts.size() == 1)
        return parts[0];
    Expr expr;
    expr.kind = Kind::Choice;
    expr.parts = std::move(parts);
    return add(std::move(expr));
}

ExprId GrammarAst::repeat(ExprId body, std::uint32_t min, std::uint32_t max) {
    Expr expr;
    expr.kind = Kind::Repeat;
    expr.parts = {body};
    expr.min = min;
    expr.max = max;
    return add(std::move(expr));
}

ExprId GrammarAst::rule(RuleId id) {
    Expr expr;
    expr.kind = Kind::Rule;
    expr.rule = id;
    return add(std::move(expr));
}

RuleId GrammarAst::new_rule(std::string name) {
    rules_.push_back({std::move(name), 0, false});
    return static_cast<RuleId>(rules_.size() - 1);
}

void GrammarAst::define(RuleId id, ExprId body) {
    rules_[id].body = body;
    rules_[id].defined = true;
}

} // namespace alcove
