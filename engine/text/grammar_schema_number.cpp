#include "engine/text/grammar_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace alcove::schema {

namespace {

constexpr std::size_t kMaxDigits = 16;

/// A decimal number: digits before and after the point, without useless zeros.
struct Decimal {
    bool negative = false;
    std::string whole = "0";
    std::string fraction;
    bool is_zero() const { return whole == "0" && fraction.empty(); }
};

Result<Decimal> parse_decimal(const std::string& text) {
    Decimal d;
    std::string_view rest = text;
    if (rest.starts_with('-')) {
        d.negative = true;
        rest.remove_prefix(1);
    }
    const std::size_t exponent_at = rest.find_first_of("eE");
    int exponent = 0;
    if (exponent_at != std::string_view::npos) {
        exponent = std::atoi(std::string(rest.substr(exponent_at + 1)).c_str());
        rest = rest.substr(0, exponent_at);
    }
    const std::size_t point = rest.find('.');
    std::string digits(rest.substr(0, point));
    int places = static_cast<int>(digits.size());
    if (point != std::string_view::npos)
        digits += rest.substr(point + 1);
    places += exponent;
    if (places > static_cast<int>(kMaxDigits) || places < -static_cast<int>(kMaxDigits))
        return grammar_error(fmt::format("the bound {} has more than {} digits", text, kMaxDigits));
    if (places < 0) {
        digits.insert(0, static_cast<std::size_t>(-places), '0');
        places = 0;
    }
    const auto n = static_cast<std::size_t>(places);
    digits.resize(std::max(digits.size(), n), '0');
    d.whole = digits.substr(0, n);
    d.fraction = digits.substr(n);
    d.whole.erase(0, std::min(d.whole.find_first_not_of('0'), d.whole.size()));
    if (d.whole.empty())
        d.whole = "0";
    d.fraction.erase(d.fraction.find_last_not_of('0') + 1);
    d.negative = d.negative && !d.is_zero();
    return d;
}

/// -1, 0, 1 for the absolute values.
int compare(const Decimal& a, const Decimal& b) {
    if (a.whole.size() != b.whole.size())
        return a.whole.size() < b.whole.size() ? -1 : 1;
    const std::string x = a.whole + "." + a.fraction;
    const std::string y = b.whole + "." + b.fraction;
    return x < y ? -1 : x > y ? 1 : 0;
}

struct Bound {
    Decimal at;
    bool exclusive = false;
};
using MaybeBound = std::optional<Bound>;

/// Numbers that are not negative, between two bounds that are not negative.
class Range {
public:
    Range(GrammarAst& ast, bool integral) : ast_(ast), integral_(integral) {}

    ExprId between(Bound low, MaybeBound high) {
        if (integral_)
            round_to_integers(low, high);
        if (high && (compare(low.at, high->at) > 0 ||
                     (compare(low.at, high->at) == 0 && (low.exclusive || high->exclusive))))
            return ast_.never();
        if (high && low.at.whole == high->at.whole)
            return ast_.sequence({ast_.literal(low.at.whole), fraction(low, high)});
        std::vector<ExprId> parts{ast_.sequence({ast_.literal(low.at.whole), fraction(low, {})})};
        if (high) {
            parts.push_back(ast_.sequence({ast_.literal(high->at.whole), fraction({}, high)}));
            parts.push_back(ast_.sequence(
                {wholes(successor(low.at.whole), predecessor(high->at.whole)), fraction({}, {})}));
        } else {
            parts.push_back(ast_.sequence(
                {wholes(successor(low.at.whole), std::string(kMaxDigits, '9')), fraction({}, {})}));
        }
        return ast_.choice(std::move(parts));
    }

private:
    static std::string successor(std::string digits) {
        for (std::size_t i = digits.size(); i-- > 0; digits[i] = '0')
            if (digits[i] != '9') {
                ++digits[i];
                return digits;
            }
        digits.insert(0, 1, '1');
        return digits;
    }
    /// The smallest number of `n` digits, above zero.
    static std::string power_of_ten(std::size_t n) {
        std::string digits(n, '0');
        digits[0] = '1';
        return digits;
    }
    /// Of a positive number; "0" becomes empty, which no range contains.
    static std::string predecessor(std::string digits) {
        if (digits == "0")
            return {};
        for (std::size_t i = digits.size(); i-- > 0; digits[i] = '9')
            if (digits[i] != '0') {
                --digits[i];
                break;
            }
        if (digits.size() > 1 && digits[0] == '0')
            digits.erase(0, 1);
        return digits;
    }

    static void round_to_integers(Bound& low, MaybeBound& high) {
        if (!low.at.fraction.empty() || low.exclusive)
            low.at.whole = successor(low.at.whole);
        low = {{false, low.at.whole, {}}, false};
        if (!high)
            return;
        if (high->at.fraction.empty() && high->exclusive) {
            if (high->at.whole == "0")
                return; // nothing is below zero here; the caller's comparison sees it
            high->at.whole = predecessor(high->at.whole);
        }
        high = Bound{{false, high->at.whole, {}}, false};
    }

    ExprId digit(char from, char to) {
        return ast_.set({{static_cast<char32_t>(from), static_cast<char32_t>(to)}});
    }
    ExprId digits(std::size_t min, std::size_t max) {
        return ast_.repeat(digit('0', '9'), static_cast<std::uint32_t>(min),
                           static_cast<std::uint32_t>(max));
    }

    /// Whole numbers from `low` to `high`, without leading zeros.
    ExprId wholes(const std::string& low, const std::string& high) {
        std::vector<ExprId> parts;
        for (std::size_t n = low.size(); n <= high.size(); ++n) {
            const std::string from = n == low.size() ? low : power_of_ten(n);
            const std::string to = n == high.size() ? high : std::string(n, '9');
            if (from <= to)
                parts.push_back(same_length(from, to, 0));
        }
        return ast_.choice(std::move(parts));
    }

    ExprId same_length(const std::string& low, const std::string& high, std::size_t i) {
        const std::size_t rest = low.size() - i;
        if (low.find_first_not_of('0', i) == std::string::npos &&
            high.find_first_not_of('9', i) == std::string::npos)
            return digits(rest, rest);
        if (low[i] == high[i])
            return rest == 1
                       ? digit(low[i], low[i])
                       : ast_.sequence({digit(low[i], low[i]), same_length(low, high, i + 1)});
        if (rest == 1)
            return digit(low[i], high[i]);
        std::vector<ExprId> parts;
        const std::string nines = high.substr(0, i + 1) + std::string(rest - 1, '9');
        const std::string zeros = low.substr(0, i + 1) + std::string(rest - 1, '0');
        parts.push_back(ast_.sequence({digit(low[i], low[i]), same_length(low, nines, i + 1)}));
        if (low[i] + 1 <= high[i] - 1)
            parts.push_back(
                ast_.sequence({digit(static_cast<char>(low[i] + 1), static_cast<char>(high[i] - 1)),
                               digits(rest - 1, rest - 1)}));
        parts.push_back(ast_.sequence({digit(high[i], high[i]), same_length(zeros, high, i + 1)}));
        return ast_.choice(std::move(parts));
    }

    /// What may follow the whole part: nothing, or a point and digits, so that the fraction lies in
    /// the bounds.
    ExprId fraction(const MaybeBound& low, const MaybeBound& high) {
        if (integral_)
            return ast_.empty();
        std::vector<ExprId> parts;
        if (may_end(low, high, 0))
            parts.push_back(ast_.empty());
        parts.push_back(ast_.sequence({ast_.literal("."), tail(low, high, 0, true)}));
        return ast_.choice(std::move(parts));
    }

    /// The fraction read so far equals the first `i` digits of the bounds that are given (zeros
    /// beyond their end).
    static bool may_end(const MaybeBound& low, const MaybeBound& high, std::size_t i) {
        if (low && (i < low->at.fraction.size() || low->exclusive))
            return false;
        return !high || i < high->at.fraction.size() || !high->exclusive;
    }

    ExprId tail(const MaybeBound& low, const MaybeBound& high, std::size_t i, bool need_digit) {
        if (!low && !high)
            return digits(need_digit ? 1 : 0, kMaxDigits);
        const std::size_t longest =
            std::max(low ? low->at.fraction.size() : 0, high ? high->at.fraction.size() : 0);
        // Only zeros are left of the bounds.
        if (i >= longest) {
            const ExprId zeros = ast_.repeat(ast_.literal("0"), 0, kMaxDigits);
            if (high)
                return may_end(low, high, i)
                           ? ast_.repeat(ast_.literal("0"), need_digit ? 1 : 0, kMaxDigits)
                           : ast_.never();
            if (!low->exclusive)
                return digits(need_digit ? 1 : 0, kMaxDigits);
            return ast_.sequence({zeros, digit('1', '9'), digits(0, kMaxDigits)});
        }
        const auto digit_of = [i](const MaybeBound& bound, char otherwise) {
            return !bound ? otherwise : i < bound->at.fraction.size() ? bound->at.fraction[i] : '0';
        };
        const char from = digit_of(low, '0');
        const char to = digit_of(high, '9');
        std::vector<ExprId> parts;
        if (!need_digit && may_end(low, high, i))
            parts.push_back(ast_.empty());
        for (char c = from; c <= to; ++c) {
            const MaybeBound next_low = low && c == from ? low : MaybeBound{};
            const MaybeBound next_high = high && c == to ? high : MaybeBound{};
            parts.push_back(ast_.sequence({digit(c, c), tail(next_low, next_high, i + 1, false)}));
        }
        return ast_.choice(std::move(parts));
    }

    GrammarAst& ast_;
    bool integral_;
};

} // namespace

Result<ExprId> number_between(GrammarAst& ast, const std::optional<std::string>& low,
                              bool low_exclusive, const std::optional<std::string>& high,
                              bool high_exclusive, bool integral) {
    MaybeBound from;
    MaybeBound to;
    if (low) {
        ALCOVE_ASSIGN_OR_RETURN(Decimal at, parse_decimal(*low));
        from = Bound{std::move(at), low_exclusive};
    }
    if (high) {
        ALCOVE_ASSIGN_OR_RETURN(Decimal at, parse_decimal(*high));
        to = Bound{std::move(at), high_exclusive};
    }
    Range range(ast, integral);
    const Bound zero{};
    const Bound above_zero{{}, true};
    std::vector<ExprId> parts;
    // Zero and above.
    if (!to || !to->at.negative)
        parts.push_back(range.between(from && !from->at.negative ? *from : zero, to));
    // Below zero: the mirror image.
    const bool reaches_below = !from || from->at.negative;
    if (reaches_below) {
        Bound nearest = above_zero;
        if (to && to->at.negative)
            nearest = {{false, to->at.whole, to->at.fraction}, to->exclusive};
        MaybeBound farthest;
        if (from)
            farthest = Bound{{false, from->at.whole, from->at.fraction}, from->exclusive};
        parts.push_back(ast.sequence({ast.literal("-"), range.between(nearest, farthest)}));
    }
    return ast.choice(std::move(parts));
}

} // namespace alcove::schema
