#include "ui/models/blocks/code_lexer.h"

#include "ui/models/blocks/code_languages.h"

#include <algorithm>

namespace alcove::ui {
namespace {

// States between lines: 0 nothing open; kComment + depth an open block comment; kString + row an
// open string of the language's table.
constexpr int kString = 1;
constexpr int kComment = 64;
constexpr int kInTag = 1;       // markup: inside <…>
constexpr int kInTagString = 2; // markup: inside "…" of a tag; 3 for '…'
constexpr int kInMarkComment = 4;

bool isWord(QChar c) {
    return c.isLetterOrNumber() || c == u'_';
}

/// Walks one line; emits tokens.
class LineLexer {
public:
    LineLexer(const CodeLanguage& language, QStringView line, int state,
              std::vector<CodeToken>* tokens)
        : m_language(language), m_line(line), m_state(state), m_tokens(tokens) {}

    int run() {
        switch (m_language.kind) {
        case LexKind::Markup:
            return runMarkup();
        case LexKind::Diff:
            return runDiff();
        case LexKind::Generic:
            break;
        }
        return runGeneric();
    }

private:
    void emitToken(qsizetype start, qsizetype end, TokenStyle style) {
        if (m_tokens && end > start)
            m_tokens->push_back({int(start), int(end - start), style});
    }
    bool at(QStringView what) const {
        return !what.isEmpty() && m_line.mid(m_pos).startsWith(what);
    }

    int runGeneric() {
        if (m_state >= kComment)
            finishComment(0, m_state - kComment);
        else if (m_state >= kString && size_t(m_state - kString) < m_language.strings.size())
            finishString(0, m_state - kString);
        while (m_pos < m_line.size())
            step();
        return m_state;
    }

    void step() {
        const QChar c = m_line[m_pos];
        if (c.isSpace()) {
            ++m_pos;
            return;
        }
        if (lineComment() || blockComment() || string())
            return;
        if (c.isDigit() || (c == u'.' && m_pos + 1 < m_line.size() && m_line[m_pos + 1].isDigit()))
            return number();
        if (isWord(c) || m_language.wordExtra.contains(c))
            return word();
        if (c == u'#' && m_language.hashDirective && onlySpaceBefore()) {
            directive();
            return;
        }
        ++m_pos;
    }

    bool onlySpaceBefore() const { return m_line.left(m_pos).trimmed().isEmpty(); }

    bool lineComment() {
        for (const QStringView mark : m_language.lineComments) {
            if (!at(mark))
                continue;
            // A '#' inside a word ($#, a#b) starts no comment in shell and YAML.
            if (mark == u"#" && m_pos > 0 && !m_line[m_pos - 1].isSpace() &&
                m_language.hashNeedsSpace)
                continue;
            emitToken(m_pos, m_line.size(), TokenStyle::Comment);
            m_pos = m_line.size();
            return true;
        }
        return false;
    }

    bool blockComment() {
        if (!at(m_language.commentOpen))
            return false;
        const qsizetype start = m_pos;
        m_pos += m_language.commentOpen.size();
        finishComment(start, 1);
        return true;
    }

    void finishComment(qsizetype start, int depth) {
        while (m_pos < m_line.size()) {
            if (at(m_language.commentClose)) {
                m_pos += m_language.commentClose.size();
                if (--depth == 0 || !m_language.commentNests) {
                    emitToken(start, m_pos, TokenStyle::Comment);
                    m_state = 0;
                    return;
                }
            } else if (m_language.commentNests && at(m_language.commentOpen)) {
                m_pos += m_language.commentOpen.size();
                depth = std::min(depth + 1, 1000);
            } else {
                ++m_pos;
            }
        }
        emitToken(start, m_pos, TokenStyle::Comment);
        m_state = kComment + depth;
    }

    bool string() {
        for (size_t i = 0; i < m_language.strings.size(); ++i) {
            const StringRule& rule = m_language.strings[i];
            if (!at(rule.open))
                continue;
            if (rule.charLiteral && !looksLikeCharLiteral())
                continue;
            const qsizetype start = m_pos;
            m_pos += rule.open.size();
            finishString(start, int(i));
            return true;
        }
        return false;
    }

    // 'x' or '\n', not the lifetime 'a of Rust.
    bool looksLikeCharLiteral() const {
        const QStringView rest = m_line.mid(m_pos + 1, 12);
        if (rest.startsWith(u'\\'))
            return rest.indexOf(u'\'', 2) > 0;
        const qsizetype close = rest.indexOf(u'\'');
        return close == 1 || close == 2;
    }

    void finishString(qsizetype start, int index) {
        const StringRule& rule = m_language.strings[size_t(index)];
        while (m_pos < m_line.size()) {
            if (rule.escape != QChar() && m_line[m_pos] == rule.escape) {
                m_pos += 2;
            } else if (at(rule.close)) {
                m_pos += rule.close.size();
                m_state = 0;
                return endString(start);
            } else {
                ++m_pos;
            }
        }
        m_pos = std::min(m_pos, m_line.size());
        m_state = rule.multiline ? kString + index : 0;
        endString(start);
    }

    // In JSON and YAML a string before a colon is a name.
    void endString(qsizetype start) {
        qsizetype next = m_pos;
        while (next < m_line.size() && m_line[next].isSpace())
            ++next;
        const bool key = m_language.keysBeforeColon && next < m_line.size() && m_line[next] == u':';
        emitToken(start, m_pos, key ? TokenStyle::Function : TokenStyle::String);
    }

    void number() {
        const qsizetype start = m_pos;
        while (m_pos < m_line.size() &&
               (isWord(m_line[m_pos]) || m_line[m_pos] == u'.' ||
                ((m_line[m_pos] == u'+' || m_line[m_pos] == u'-') && exponentBefore(start)) ||
                (m_line[m_pos] == u'\'' && m_language.quoteInNumbers && m_pos + 1 < m_line.size() &&
                 m_line[m_pos + 1].isLetterOrNumber()) ||
                (m_line[m_pos] == u'%' && m_language.wordExtra.contains(u'-'))))
            ++m_pos;
        emitToken(start, m_pos, TokenStyle::Number);
    }

    bool exponentBefore(qsizetype start) const {
        const QChar e = m_line[m_pos - 1].toLower();
        const bool hex = m_line.mid(start).startsWith(u"0x", Qt::CaseInsensitive);
        return (e == u'e' && !hex) || e == u'p';
    }

    void word() {
        const qsizetype start = m_pos;
        while (m_pos < m_line.size() &&
               (isWord(m_line[m_pos]) || m_language.wordExtra.contains(m_line[m_pos])))
            ++m_pos;
        const QStringView text = m_line.sliced(start, m_pos - start);
        if (m_language.isKeyword(text))
            return emitToken(start, m_pos, TokenStyle::Keyword);
        qsizetype next = m_pos;
        while (next < m_line.size() && m_line[next].isSpace())
            ++next;
        const QChar after = next < m_line.size() ? m_line[next] : QChar();
        const bool key = m_language.keysBeforeColon && after == u':' &&
                         (next + 1 == m_line.size() || m_line[next + 1].isSpace());
        if (key || (m_language.calls && after == u'('))
            emitToken(start, m_pos, TokenStyle::Function);
    }

    void directive() {
        const qsizetype start = m_pos++;
        while (m_pos < m_line.size() && m_line[m_pos].isSpace())
            ++m_pos;
        while (m_pos < m_line.size() && isWord(m_line[m_pos]))
            ++m_pos;
        emitToken(start, m_pos, TokenStyle::Keyword);
        // The file of an #include <…> is a string.
        const qsizetype open = m_line.indexOf(u'<', m_pos);
        const qsizetype close = open < 0 ? -1 : m_line.indexOf(u'>', open);
        if (close > 0 && m_line.sliced(start, m_pos - start).endsWith(u"include")) {
            emitToken(open, close + 1, TokenStyle::String);
            m_pos = close + 1;
        }
    }

    int runMarkup() {
        if (m_state == kInMarkComment)
            markupComment(0);
        else if (m_state >= kInTag)
            tagInside();
        while (m_pos < m_line.size()) {
            if (at(u"<!--")) {
                const qsizetype start = m_pos;
                m_pos += 4;
                markupComment(start);
            } else if (m_line[m_pos] == u'<' && m_pos + 1 < m_line.size() &&
                       (m_line[m_pos + 1].isLetter() || m_line[m_pos + 1] == u'/' ||
                        m_line[m_pos + 1] == u'!' || m_line[m_pos + 1] == u'?')) {
                const qsizetype start = m_pos++;
                while (m_pos < m_line.size() && !m_line[m_pos].isSpace() && m_line[m_pos] != u'>')
                    ++m_pos;
                emitToken(start, m_pos, TokenStyle::Keyword);
                m_state = kInTag;
                tagInside();
            } else if (m_line[m_pos] == u'&') {
                const qsizetype end = m_line.indexOf(u';', m_pos);
                const qsizetype stop = end > 0 && end - m_pos < 12 ? end + 1 : m_pos + 1;
                emitToken(m_pos, stop, TokenStyle::Number);
                m_pos = stop;
            } else {
                ++m_pos;
            }
        }
        return m_state;
    }

    void markupComment(qsizetype start) {
        const qsizetype close = m_line.indexOf(u"-->", m_pos);
        m_pos = close < 0 ? m_line.size() : close + 3;
        m_state = close < 0 ? kInMarkComment : 0;
        emitToken(start, m_pos, TokenStyle::Comment);
    }

    void tagInside() {
        while (m_pos < m_line.size()) {
            if (m_state > kInTag) {
                const QChar quote = m_state == kInTagString ? u'"' : u'\'';
                const qsizetype close = m_line.indexOf(quote, m_pos);
                const qsizetype end = close < 0 ? m_line.size() : close + 1;
                emitToken(m_pos, end, TokenStyle::String);
                m_pos = end;
                if (close >= 0)
                    m_state = kInTag;
                continue;
            }
            const QChar c = m_line[m_pos];
            if (c == u'>') {
                emitToken(m_pos, m_pos + 1, TokenStyle::Keyword);
                ++m_pos;
                m_state = 0;
                return;
            }
            if (c == u'"' || c == u'\'') {
                const qsizetype close = m_line.indexOf(c, m_pos + 1);
                const qsizetype end = close < 0 ? m_line.size() : close + 1;
                emitToken(m_pos, end, TokenStyle::String);
                m_pos = end;
                if (close < 0)
                    m_state = c == u'"' ? kInTagString : kInTagString + 1;
            } else if (isWord(c)) {
                const qsizetype start = m_pos;
                while (m_pos < m_line.size() &&
                       (isWord(m_line[m_pos]) || m_line[m_pos] == u'-' || m_line[m_pos] == u':'))
                    ++m_pos;
                emitToken(start, m_pos, TokenStyle::Function);
            } else {
                ++m_pos;
            }
        }
    }

    int runDiff() {
        if (m_line.startsWith(u"@@"))
            emitToken(0, m_line.size(), TokenStyle::Keyword);
        else if (m_line.startsWith(u"+++") || m_line.startsWith(u"---") ||
                 m_line.startsWith(u"diff ") || m_line.startsWith(u"index "))
            emitToken(0, m_line.size(), TokenStyle::Function);
        else if (m_line.startsWith(u'+'))
            emitToken(0, m_line.size(), TokenStyle::Added);
        else if (m_line.startsWith(u'-'))
            emitToken(0, m_line.size(), TokenStyle::Removed);
        return 0;
    }

    const CodeLanguage& m_language;
    QStringView m_line;
    qsizetype m_pos = 0;
    int m_state;
    std::vector<CodeToken>* m_tokens;
};

} // namespace

int lexCodeLine(const CodeLanguage* language, QStringView line, int state,
                std::vector<CodeToken>* tokens) {
    if (!language)
        return 0;
    return LineLexer(*language, line, state, tokens).run();
}

int lexCodeState(const CodeLanguage* language, QStringView code, int state) {
    if (!language)
        return 0;
    while (!code.isEmpty()) {
        const qsizetype end = code.indexOf(u'\n');
        state = lexCodeLine(language, end < 0 ? code : code.left(end), state, nullptr);
        code = end < 0 ? QStringView() : code.mid(end + 1);
    }
    return state;
}

} // namespace alcove::ui
