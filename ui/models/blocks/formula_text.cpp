#include "ui/models/blocks/formula_text.h"

#include <algorithm>
#include <optional>

namespace alcove::ui {
namespace {

struct Symbol {
    QStringView name;
    QStringView text;
};

// Sorted by name; formula_text_test checks it.
constexpr Symbol kSymbols[] = {
    {u"Delta", u"Δ"},       {u"Gamma", u"Γ"},       {u"Lambda", u"Λ"},     {u"Leftarrow", u"⇐"},
    {u"Omega", u"Ω"},       {u"Phi", u"Φ"},         {u"Pi", u"Π"},         {u"Psi", u"Ψ"},
    {u"Rightarrow", u"⇒"},  {u"Sigma", u"Σ"},       {u"Theta", u"Θ"},      {u"Xi", u"Ξ"},
    {u"alpha", u"α"},       {u"angle", u"∠"},       {u"approx", u"≈"},     {u"arccos", u"arccos"},
    {u"arcsin", u"arcsin"}, {u"arctan", u"arctan"}, {u"beta", u"β"},       {u"bullet", u"•"},
    {u"cap", u"∩"},         {u"cdot", u"·"},        {u"cdots", u"⋯"},      {u"chi", u"χ"},
    {u"circ", u"∘"},        {u"cos", u"cos"},       {u"cup", u"∪"},        {u"delta", u"δ"},
    {u"det", u"det"},       {u"div", u"÷"},         {u"dots", u"…"},       {u"ell", u"ℓ"},
    {u"emptyset", u"∅"},    {u"epsilon", u"ε"},     {u"equiv", u"≡"},      {u"eta", u"η"},
    {u"exists", u"∃"},      {u"exp", u"exp"},       {u"forall", u"∀"},     {u"gamma", u"γ"},
    {u"gcd", u"gcd"},       {u"ge", u"≥"},          {u"geq", u"≥"},        {u"iff", u"⇔"},
    {u"implies", u"⇒"},     {u"in", u"∈"},          {u"infty", u"∞"},      {u"int", u"∫"},
    {u"iota", u"ι"},        {u"kappa", u"κ"},       {u"lambda", u"λ"},     {u"land", u"∧"},
    {u"langle", u"⟨"},      {u"lceil", u"⌈"},       {u"ldots", u"…"},      {u"le", u"≤"},
    {u"leftarrow", u"←"},   {u"leq", u"≤"},         {u"lfloor", u"⌊"},     {u"lim", u"lim"},
    {u"ln", u"ln"},         {u"log", u"log"},       {u"lor", u"∨"},        {u"max", u"max"},
    {u"min", u"min"},       {u"mod", u"mod"},       {u"mp", u"∓"},         {u"mu", u"μ"},
    {u"nabla", u"∇"},       {u"ne", u"≠"},          {u"neg", u"¬"},        {u"neq", u"≠"},
    {u"notin", u"∉"},       {u"nu", u"ν"},          {u"omega", u"ω"},      {u"oplus", u"⊕"},
    {u"otimes", u"⊗"},      {u"partial", u"∂"},     {u"perp", u"⊥"},       {u"phi", u"φ"},
    {u"pi", u"π"},          {u"pm", u"±"},          {u"prime", u"′"},      {u"prod", u"∏"},
    {u"propto", u"∝"},      {u"psi", u"ψ"},         {u"rangle", u"⟩"},     {u"rceil", u"⌉"},
    {u"rfloor", u"⌋"},      {u"rho", u"ρ"},         {u"rightarrow", u"→"}, {u"setminus", u"∖"},
    {u"sigma", u"σ"},       {u"sim", u"∼"},         {u"sin", u"sin"},      {u"subset", u"⊂"},
    {u"subseteq", u"⊆"},    {u"sum", u"∑"},         {u"supset", u"⊃"},     {u"tan", u"tan"},
    {u"tau", u"τ"},         {u"theta", u"θ"},       {u"times", u"×"},      {u"to", u"→"},
    {u"top", u"⊤"},         {u"varepsilon", u"ε"},  {u"varphi", u"φ"},     {u"vec", u""},
    {u"xi", u"ξ"},          {u"zeta", u"ζ"},
};

constexpr QStringView kSuperFrom = u"0123456789+-=()niabcdefghjklmoprstuvwxyz";
constexpr QStringView kSuperTo = u"⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻ";
constexpr QStringView kSubFrom = u"0123456789+-=()aehijklmnoprstuvx";
constexpr QStringView kSubTo = u"₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ";
static_assert(kSuperFrom.size() == kSuperTo.size() && kSubFrom.size() == kSubTo.size());

constexpr int kMaxDepth = 12;

/// Reads a formula from left to right; gives up at anything it does not know.
class FormulaReader {
public:
    explicit FormulaReader(QStringView text) : m_text(text) {}

    std::optional<QString> sequence(int depth, bool group) {
        QString out;
        while (m_pos < m_text.size()) {
            if (group && m_text[m_pos] == u'}') {
                ++m_pos;
                return out;
            }
            const std::optional<QString> piece = element(depth);
            if (!piece)
                return std::nullopt;
            out += *piece;
        }
        return group ? std::nullopt : std::optional(out);
    }

private:
    std::optional<QString> element(int depth) {
        if (depth > kMaxDepth)
            return std::nullopt;
        const QChar c = m_text[m_pos++];
        if (c == u'{')
            return sequence(depth + 1, true);
        if (c == u'}' || c == u'&' || c == u'%' || c == u'#')
            return std::nullopt;
        if (c == u'^' || c == u'_')
            return script(depth, c == u'^');
        if (c == u'\\')
            return command(depth);
        if (c == u'~')
            return QStringLiteral(" ");
        if (c == u'-')
            return QStringLiteral("−");
        if (c == u'\'')
            return QStringLiteral("′");
        if (c.isSpace())
            return QStringLiteral(" ");
        return QString(c);
    }

    std::optional<QString> argument(int depth) {
        while (m_pos < m_text.size() && m_text[m_pos].isSpace())
            ++m_pos;
        return m_pos < m_text.size() ? element(depth + 1) : std::nullopt;
    }

    std::optional<QString> script(int depth, bool super) {
        const std::optional<QString> inner = argument(depth);
        if (!inner)
            return std::nullopt;
        QString out;
        const QStringView from = super ? kSuperFrom : kSubFrom;
        const QStringView to = super ? kSuperTo : kSubTo;
        for (const QChar c : *inner) {
            if (c.isSpace())
                continue;
            const qsizetype i = from.indexOf(c == u'−' ? QChar(u'-') : c);
            if (i < 0) {
                // No small letter for it: keep the sign, with brackets where it would be unclear.
                const bool one = inner->size() == 1;
                return QChar(super ? u'^' : u'_') + (one ? *inner : u'(' + *inner + u')');
            }
            out += to[i];
        }
        return out;
    }

    static bool simple(const QString& text) {
        return std::all_of(text.begin(), text.end(), [](QChar c) { return c.isLetterOrNumber(); });
    }
    static QString bracketed(const QString& text) {
        return simple(text) ? text : u'(' + text.trimmed() + u')';
    }

    std::optional<QString> command(int depth) {
        if (m_pos >= m_text.size())
            return std::nullopt;
        const qsizetype start = m_pos;
        while (m_pos < m_text.size() && m_text[m_pos].isLetter() && m_text[m_pos].unicode() < 128)
            ++m_pos;
        const QStringView name = m_text.sliced(start, m_pos - start);
        if (name.isEmpty())
            return escaped(m_text[m_pos++]);
        if (name == u"frac" || name == u"dfrac" || name == u"tfrac") {
            const std::optional<QString> top = argument(depth);
            const std::optional<QString> bottom = top ? argument(depth) : std::nullopt;
            if (!bottom)
                return std::nullopt;
            return bracketed(*top) + u'/' + bracketed(*bottom);
        }
        if (name == u"sqrt") {
            if (m_pos < m_text.size() && m_text[m_pos] == u'[')
                return std::nullopt;
            const std::optional<QString> inner = argument(depth);
            return inner ? std::optional(u'√' + bracketed(*inner)) : std::nullopt;
        }
        if (name == u"text" || name == u"mathrm" || name == u"mathbf" || name == u"mathit" ||
            name == u"operatorname" || name == u"boxed")
            return argument(depth);
        if (name == u"left" || name == u"right" || name == u"big" || name == u"Big" ||
            name == u"displaystyle")
            return QString();
        if (name == u"quad" || name == u"qquad")
            return QStringLiteral("  ");
        const auto* found = std::lower_bound(
            std::begin(kSymbols), std::end(kSymbols), name,
            [](const Symbol& symbol, QStringView wanted) { return symbol.name < wanted; });
        if (found == std::end(kSymbols) || found->name != name || found->text.isEmpty())
            return std::nullopt;
        return found->text.toString();
    }

    static std::optional<QString> escaped(QChar c) {
        if (c == u',' || c == u';' || c == u':' || c == u' ')
            return QStringLiteral(" ");
        if (c == u'!')
            return QString();
        if (c == u'{' || c == u'}' || c == u'%' || c == u'$' || c == u'_' || c == u'&' || c == u'#')
            return QString(c);
        if (c == u'|')
            return QStringLiteral("‖");
        return std::nullopt; // a line break and what else there is
    }

    QStringView m_text;
    qsizetype m_pos = 0;
};

bool looksLikeFormula(QStringView body) {
    const auto letter = [](QChar c) { return c.isLetter(); };
    const auto sign = [](QChar c) { return QStringView(u"+-*/=<>\\^_").contains(c); };
    return std::any_of(body.begin(), body.end(), letter) &&
           std::any_of(body.begin(), body.end(), sign);
}

/// Where `close` begins, before any empty line; -1: not there.
qsizetype closing(QStringView text, qsizetype from, QStringView close) {
    const qsizetype found = text.indexOf(close, from);
    if (found < 0)
        return -1;
    const QStringView between = text.sliced(from, found - from);
    qsizetype lineEnd = between.indexOf(u'\n');
    while (lineEnd >= 0) {
        const qsizetype next = between.indexOf(u'\n', lineEnd + 1);
        if (next >= 0 && between.sliced(lineEnd + 1, next - lineEnd - 1).trimmed().isEmpty())
            return -1;
        lineEnd = next;
    }
    return found;
}

} // namespace

FormulaRange formulaAt(QStringView text, qsizetype at) {
    const QStringView rest = text.mid(at);
    struct Delimiters {
        QStringView open, close;
        bool display;
    };
    constexpr Delimiters kDelimiters[] = {
        {u"$$", u"$$", true}, {u"\\[", u"\\]", true}, {u"\\(", u"\\)", false}};
    for (const Delimiters& pair : kDelimiters) {
        if (!rest.startsWith(pair.open))
            continue;
        const qsizetype close = closing(rest, 2, pair.close);
        if (close <= 2 || rest.sliced(2, close - 2).trimmed().isEmpty())
            return {};
        return {close + 2, at + 2, close - 2, pair.display};
    }
    if (!rest.startsWith(u'$') || rest.size() < 3 || rest[1].isSpace())
        return {};
    const qsizetype close = rest.indexOf(u'$', 1);
    const qsizetype lineEnd = rest.indexOf(u'\n');
    if (close < 2 || (lineEnd >= 0 && lineEnd < close) || rest[close - 1].isSpace() ||
        (close + 1 < rest.size() && rest[close + 1].isDigit()) ||
        !looksLikeFormula(rest.sliced(1, close - 1)))
        return {};
    return {close + 1, at + 1, close - 1, false};
}

QString formulaText(QStringView latex) {
    const std::optional<QString> plain = FormulaReader(latex.trimmed()).sequence(0, false);
    return plain ? plain->simplified() : latex.toString();
}

} // namespace alcove::ui
