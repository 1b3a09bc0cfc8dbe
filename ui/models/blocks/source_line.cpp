#include "ui/models/blocks/source_line.h"

#include <QString>

#include <algorithm>

namespace alcove::ui {

SourceLine sourceLineAt(QStringView source, int start) {
    SourceLine line;
    line.start = start;
    const qsizetype end = source.indexOf(u'\n', start);
    line.complete = end >= 0;
    line.end = line.complete ? int(end) : int(source.size());
    line.next = line.complete ? line.end + 1 : line.end;
    line.first = start;
    while (line.first < line.end) {
        const QChar c = source[line.first];
        if (c == u' ')
            ++line.indent;
        else if (c == u'\t')
            line.indent += 4 - line.indent % 4;
        else if (c != u'\r')
            break;
        ++line.first;
    }
    return line;
}

namespace {

QStringView content(QStringView source, const SourceLine& line) {
    return source.mid(line.first, line.end - line.first);
}

int runLength(QStringView text, QChar c) {
    int n = 0;
    while (n < text.size() && text[n] == c)
        ++n;
    return n;
}

bool spaceOrEnd(QStringView text, qsizetype i) {
    return i >= text.size() || text[i].isSpace();
}

} // namespace

Fence openingFence(QStringView source, const SourceLine& line) {
    const QStringView text = content(source, line);
    if (line.indent > 3 || text.isEmpty() || (text[0] != u'`' && text[0] != u'~'))
        return {};
    const int length = runLength(text, text[0]);
    const QStringView info = text.mid(length).trimmed();
    if (length < 3 || (text[0] == u'`' && info.contains(u'`')))
        return {};
    Fence fence{text[0], length, line.end, line.end};
    if (!info.isEmpty()) {
        fence.infoStart = int(info.data() - source.data());
        fence.infoEnd = fence.infoStart + int(info.size());
    }
    return fence;
}

bool closesFence(QStringView source, const SourceLine& line, QChar mark, int length) {
    const QStringView text = content(source, line);
    const int run = runLength(text, mark);
    return line.indent <= 3 && run >= length && text.mid(run).trimmed().isEmpty();
}

bool isHeadingLine(QStringView source, const SourceLine& line) {
    const QStringView text = content(source, line);
    const int run = runLength(text, u'#');
    return line.indent <= 3 && run >= 1 && run <= 6 && spaceOrEnd(text, run);
}

bool isRuleLine(QStringView source, const SourceLine& line) {
    const QStringView text = content(source, line);
    if (line.indent > 3 || text.isEmpty() || !QStringView(u"*-_").contains(text[0]))
        return false;
    int count = 0;
    for (const QChar c : text) {
        if (c == text[0])
            ++count;
        else if (!c.isSpace())
            return false;
    }
    return count >= 3;
}

bool isQuoteLine(QStringView source, const SourceLine& line) {
    return line.indent <= 3 && line.first < line.end && source[line.first] == u'>';
}

bool isTableDelimiterLine(QStringView source, const SourceLine& line) {
    const QStringView text = content(source, line);
    if (line.indent > 3 || !text.contains(u'-') || !text.contains(u'|'))
        return false;
    return std::all_of(text.begin(), text.end(),
                       [](QChar c) { return c == u'-' || c == u'|' || c == u':' || c.isSpace(); });
}

ListMarker listMarker(QStringView source, const SourceLine& line) {
    const QStringView text = content(source, line);
    ListMarker marker;
    if (text.isEmpty() || isRuleLine(source, line))
        return marker;
    qsizetype after = 0;
    if (QStringView(u"-*+").contains(text[0])) {
        after = 1;
    } else {
        while (after < text.size() && after < 10 && text[after] >= u'0' && text[after] <= u'9')
            ++after;
        // At most nine digits, as CommonMark has it, so that the number fits.
        if (after == 0 || after > 9 || after >= text.size() ||
            (text[after] != u'.' && text[after] != u')'))
            return marker;
        marker.number = text.left(after).toInt();
        ++after;
    }
    marker.valid = spaceOrEnd(text, after);
    marker.empty = text.mid(after).trimmed().isEmpty();
    return marker;
}

} // namespace alcove::ui
