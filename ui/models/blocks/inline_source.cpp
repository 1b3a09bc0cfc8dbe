#include "ui/models/blocks/inline_source.h"

#include "ui/models/blocks/source_line.h"

namespace alcove::ui {

void InlineSource::putByte(char byte, int position) {
    m_utf8.append(byte);
    m_map.back() = position;
    m_map.push_back(position + 1);
}

/// One character of the source; halves that stand alone become the replacement character.
void InlineSource::put(QChar high, QChar low, int position) {
    char32_t c = high.unicode();
    int units = 1;
    if (high.isHighSurrogate() && low.isLowSurrogate()) {
        c = QChar::surrogateToUcs4(high, low);
        units = 2;
    } else if (high.isSurrogate() || c == 0) {
        c = 0xFFFD;
    }
    if (c < 0x80) {
        putByte(char(c), position);
    } else if (c < 0x800) {
        putByte(char(0xC0 | (c >> 6)), position);
        putByte(char(0x80 | (c & 0x3F)), position);
    } else if (c < 0x10000) {
        putByte(char(0xE0 | (c >> 12)), position);
        putByte(char(0x80 | ((c >> 6) & 0x3F)), position);
        putByte(char(0x80 | (c & 0x3F)), position);
    } else {
        putByte(char(0xF0 | (c >> 18)), position);
        putByte(char(0x80 | ((c >> 12) & 0x3F)), position);
        putByte(char(0x80 | ((c >> 6) & 0x3F)), position);
        putByte(char(0x80 | (c & 0x3F)), position);
    }
    m_map.back() = position + units;
}

const InlineSource::Formula* InlineSource::formulaAt(qsizetype byte) const {
    const auto found = m_formulas.find(byte);
    return found == m_formulas.end() ? nullptr : &found->second;
}

/// Copies the run of backticks at `i`, and the whole code span where it has an end: nothing in it
/// is a formula. Returns the position after it.
qsizetype InlineSource::copyCodeSpan(QStringView text, qsizetype i, int offset) {
    qsizetype run = 0;
    while (i + run < text.size() && text[i + run] == u'`')
        ++run;
    qsizetype end = i + run;
    for (qsizetype j = end; j < text.size();) {
        qsizetype length = 0;
        while (j + length < text.size() && text[j + length] == u'`')
            ++length;
        if (length == run) {
            end = j + run;
            break;
        }
        j += std::max<qsizetype>(length, 1);
    }
    for (; i < end; ++i) {
        const bool pair = text[i].isHighSurrogate() && i + 1 < end && text[i + 1].isLowSurrogate();
        put(text[i], pair ? text[i + 1] : QChar(), offset + int(i));
        if (pair)
            ++i;
    }
    return end;
}

namespace {

/// Where a line seems to begin a link reference definition, maybe in a list or a quote; -1: it does
/// not.
int definitionIn(QStringView text, const SourceLine& line) {
    int i = line.first;
    while (i < line.end && (QStringView(u">-*+.) \t").contains(text[i]) || text[i].isDigit()))
        ++i;
    const bool task = i + 2 < line.end && text[i + 2] == u']';
    if (i >= line.end || text[i] != u'[' || (task && i > line.first))
        return -1;
    return text.sliced(i, line.end - i).contains(u"]:") ? i : -1;
}

} // namespace

void InlineSource::append(QStringView source, int start, int end, bool plainStart) {
    const QStringView text = source.mid(start, end - start);
    bool lineStart = true;
    if (plainStart && !text.isEmpty() && text[0].unicode() < 128 && text[0].isPunct())
        putByte('\\', start);
    qsizetype i = 0;
    while (i < text.size()) {
        if (lineStart) {
            lineStart = false;
            const SourceLine line = sourceLineAt(text, int(i));
            const int definition = definitionIn(text, line);
            if (definition >= 0) {
                for (; i < definition; ++i)
                    put(text[i], QChar(), start + int(i));
                putByte('\\', start + int(i));
            }
        }
        const QChar c = text[i];
        if (c == u'`') {
            i = copyCodeSpan(text, i, start);
            continue;
        }
        if (c == u'$' || c == u'\\') {
            const FormulaRange range = alcove::ui::formulaAt(text, i);
            if (range.length > 0) {
                m_formulas[m_utf8.size()] = {
                    text.sliced(i, range.length).toString(),
                    text.sliced(range.bodyStart, range.bodyLength).toString(), range.display};
                put(QChar(0xE000), QChar(), start + int(i));
                i += range.length;
                m_map.back() = start + int(i);
                continue;
            }
            if (c == u'\\' && i + 1 < text.size() && text[i + 1] != u'\n') {
                put(c, QChar(), start + int(i));
                ++i; // what is escaped opens nothing
            }
        }
        const bool pair =
            text[i].isHighSurrogate() && i + 1 < text.size() && text[i + 1].isLowSurrogate();
        put(text[i], pair ? text[i + 1] : QChar(), start + int(i));
        lineStart = text[i] == u'\n';
        i += pair ? 2 : 1;
    }
}

} // namespace alcove::ui
