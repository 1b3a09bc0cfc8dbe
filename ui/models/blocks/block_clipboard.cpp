#include "ui/models/blocks/block_clipboard.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMimeData>

namespace alcove::ui {
namespace {

QString escaped(QStringView text) {
    return text.toString().toHtmlEscaped().replace(u'\n', QStringLiteral("<br>"));
}

QString styled(QStringView text, const Spans& spans) {
    QString html;
    qsizetype at = 0;
    for (const Span& span : spans) {
        html += escaped(text.mid(at, span.start - at));
        QString piece = escaped(text.mid(span.start, span.length));
        const auto wrap = [&](int style, const char* tag) {
            if (span.style & style)
                piece = QStringLiteral("<%1>%2</%1>").arg(QLatin1String(tag), piece);
        };
        wrap(Span::Code, "code");
        wrap(Span::Formula, "i");
        wrap(Span::Strong, "strong");
        wrap(Span::Emphasis, "em");
        wrap(Span::Strike, "del");
        if (span.style & Span::Link)
            piece = QStringLiteral("<a href=\"%1\">%2</a>").arg(span.target.toHtmlEscaped(), piece);
        html += piece;
        at = span.start + span.length;
    }
    return html + escaped(text.mid(at));
}

QString tableHtml(const TableData& table) {
    QString html = QStringLiteral("<table>");
    for (int row = 0; row < table.rows(); ++row) {
        const QLatin1String tag(table.hasHeader && row == 0 ? "th" : "td");
        html += QStringLiteral("<tr>");
        for (int column = 0; column < table.columns; ++column) {
            const TableCell& cell = table.at(row, column);
            html += QStringLiteral("<%1>%2</%1>").arg(tag, styled(cell.text, cell.spans));
        }
        html += QStringLiteral("</tr>");
    }
    return html + QStringLiteral("</table>");
}

/// Lists that are open while blocks are written one after the other.
class ListNesting {
public:
    explicit ListNesting(QString* html) : m_html(html) {}

    void moveTo(int depth, bool ordered) {
        while (m_open.size() > depth)
            closeOne();
        while (m_open.size() < depth) {
            const QString tag = ordered ? QStringLiteral("ol") : QStringLiteral("ul");
            *m_html += u'<' + tag + u'>';
            m_open.append(tag);
        }
    }

private:
    void closeOne() { *m_html += QStringLiteral("</") + m_open.takeLast() + u'>'; }

    QString* m_html;
    QStringList m_open;
};

} // namespace

QString blocksToHtml(std::span<const Block> blocks) {
    QString html;
    ListNesting lists(&html);
    for (size_t i = 0; i < blocks.size(); ++i) {
        const Block& block = blocks[i];
        lists.moveTo(block.listDepth, block.marker.endsWith(u'.'));
        const QString text = styled(block.text, block.spans);
        switch (block.kind) {
        case BlockKind::Heading:
            html += QStringLiteral("<h%1>%2</h%1>").arg(QString::number(block.level), text);
            break;
        case BlockKind::Code: {
            QString code = block.text;
            while (i + 1 < blocks.size() && blocks[i + 1].continued &&
                   blocks[i + 1].kind == BlockKind::Code)
                code += u'\n' + blocks[++i].text;
            html += QStringLiteral("<pre><code>") + code.toHtmlEscaped() +
                    QStringLiteral("</code></pre>");
            break;
        }
        case BlockKind::Table:
            html += tableHtml(*block.table);
            break;
        case BlockKind::Rule:
            html += QStringLiteral("<hr>");
            break;
        case BlockKind::Reasoning:
            break;
        case BlockKind::Paragraph:
        case BlockKind::Formula:
            if (block.quoteDepth > 0)
                html += QStringLiteral("<blockquote>") + text + QStringLiteral("</blockquote>");
            else if (!block.marker.isEmpty())
                html += QStringLiteral("<li>") + text + QStringLiteral("</li>");
            else
                html += QStringLiteral("<p>") + text + QStringLiteral("</p>");
            break;
        }
    }
    lists.moveTo(0, false);
    return html;
}

QString blocksToText(std::span<const Block> blocks) {
    QString text;
    const Block* before = nullptr;
    for (const Block& block : blocks) {
        if (block.kind == BlockKind::Reasoning)
            continue;
        if (before) {
            const bool together = (before->listDepth > 0 && block.listDepth > 0) || block.continued;
            text += together ? QStringLiteral("\n") : QStringLiteral("\n\n");
        }
        if (!block.marker.isEmpty())
            text += QString((block.listDepth - 1) * 2, u' ') + block.marker + u' ';
        text += block.text;
        before = &block;
    }
    return text;
}

QString tableToMarkdown(const TableData& table) {
    QString text;
    for (int row = 0; row < table.rows(); ++row) {
        text += u'|';
        for (int column = 0; column < table.columns; ++column)
            text += u' ' +
                    QString(table.at(row, column).text).replace(u'|', QStringLiteral("\\|")) +
                    QStringLiteral(" |");
        text += u'\n';
        if (row == 0) {
            text += u'|';
            for (int column = 0; column < table.columns; ++column)
                text += table.align[size_t(column)] == TableData::Right ? QStringLiteral("---:|")
                        : table.align[size_t(column)] == TableData::Center
                            ? QStringLiteral(":---:|")
                            : QStringLiteral("---|");
            text += u'\n';
        }
    }
    return text;
}

void copyToClipboard(const QString& text, const QString& html) {
    auto* data = new QMimeData;
    data->setText(text);
    if (!html.isEmpty())
        data->setHtml(html);
    QGuiApplication::clipboard()->setMimeData(data);
}

} // namespace alcove::ui
