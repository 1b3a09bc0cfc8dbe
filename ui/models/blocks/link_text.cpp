#include "ui/models/blocks/link_text.h"

#include <QUrl>

namespace alcove::ui {

QString allowedLinkTarget(const QString& address) {
    const QUrl url(address, QUrl::StrictMode);
    const QString scheme = url.scheme();
    if (!url.isValid())
        return {};
    const bool web = (scheme == u"http" || scheme == u"https") && !url.host().isEmpty();
    const bool mail = scheme == u"mailto" && url.path().contains(u'@');
    return web || mail ? address : QString();
}

bool looksLikeOtherAddress(QStringView text, const QString& target) {
    QString shown = text.trimmed().toString();
    if (shown.contains(u' ') || !shown.contains(u'.'))
        return false;
    if (!shown.contains(u"://"))
        shown.prepend(u"https://");
    const QUrl url(shown, QUrl::StrictMode);
    const qsizetype dot = url.host().lastIndexOf(u'.');
    // "file.txt" is no address; a known scheme or a host with a plausible ending is.
    if (!url.isValid() || dot < 1 || url.host().size() - dot < 3)
        return false;
    const auto bare = [](QString host) { return host.startsWith(u"www.") ? host.mid(4) : host; };
    return bare(url.host()) != bare(QUrl(target).host());
}

namespace {

bool addressCharacter(QChar c) {
    return !c.isSpace() && c != u'<' && c != u'>' && c != u'"' && c != u'`';
}

/// The length of a web address at `at`, without the punctuation that ends a sentence; 0: none.
qsizetype addressLength(QStringView text, qsizetype at) {
    const QStringView rest = text.mid(at);
    if (!rest.startsWith(u"http://") && !rest.startsWith(u"https://"))
        return 0;
    if (at > 0 && text[at - 1].isLetterOrNumber())
        return 0;
    qsizetype end = 0;
    while (end < rest.size() && addressCharacter(rest[end]))
        ++end;
    while (end > 0 && QStringView(u".,;:!?'*_~").contains(rest[end - 1]))
        --end;
    const QStringView found = rest.left(end);
    if (found.endsWith(u')') && found.count(u'(') < found.count(u')'))
        --end;
    return end > 8 ? end : 0;
}

} // namespace

Spans spansAsTyped(QStringView text) {
    Spans spans;
    qsizetype i = 0;
    while (i < text.size()) {
        if (text[i] == u'`') {
            qsizetype run = 1;
            while (i + run < text.size() && text[i + run] == u'`')
                ++run;
            const QString mark(run, u'`');
            const qsizetype close = text.indexOf(mark, i + run);
            const qsizetype lineEnd = text.indexOf(u'\n', i);
            if (close > 0 && (lineEnd < 0 || close < lineEnd)) {
                spans.append({int(i), int(close + run - i), Span::Code, {}});
                i = close + run;
                continue;
            }
            i += run;
            continue;
        }
        if (text[i] == u'h') {
            const qsizetype length = addressLength(text, i);
            const QString target =
                length > 0 ? allowedLinkTarget(text.sliced(i, length).toString()) : QString();
            if (!target.isEmpty()) {
                spans.append({int(i), int(length), Span::Link, target});
                i += length;
                continue;
            }
        }
        ++i;
    }
    return spans;
}

QString tableText(const TableData& table) {
    QString text;
    for (int row = 0; row < table.rows(); ++row) {
        for (int column = 0; column < table.columns; ++column) {
            if (column > 0)
                text += u'\t';
            text += table.at(row, column).text;
        }
        if (row + 1 < table.rows())
            text += u'\n';
    }
    return text;
}

} // namespace alcove::ui
