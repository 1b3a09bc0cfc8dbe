#include "ui/qml/components/chat/row_highlighter.h"

#include "ui/models/blocks/code_lexer.h"

#include <QTextBlock>
#include <QTextDocument>

#include <algorithm>

namespace alcove::ui {

QTextCharFormat spanFormat(const Span& span, const RowStyle& style, const QFont& base) {
    QTextCharFormat format;
    if (span.style & (Span::Code | Span::Formula)) {
        QFont font = style.code;
        // In a heading inline code grows with it.
        if (base.pixelSize() > 0 && style.body.pixelSize() > 0)
            font.setPixelSize(
                std::max(1, style.code.pixelSize() * base.pixelSize() / style.body.pixelSize()));
        format.setFont(font);
        if (span.style & Span::Code)
            format.setBackground(style.inlineCode);
    }
    if (span.style & Span::Strong)
        format.setFontWeight(QFont::DemiBold);
    if (span.style & Span::Emphasis)
        format.setFontItalic(true);
    if (span.style & Span::Strike)
        format.setFontStrikeOut(true);
    if (span.style & Span::Link) {
        format.setForeground(style.link);
        format.setFontUnderline(true);
    }
    return format;
}

RowHighlighter::RowHighlighter(QTextDocument* document) : QSyntaxHighlighter(document) {}

bool RowHighlighter::setBlock(const Block& block, qsizetype staying) {
    const Block before = std::exchange(m_block, block);
    if (block.kind == BlockKind::Code)
        return before.kind != block.kind || before.language != block.language ||
               before.lexState != block.lexState || before.open != block.open;
    const auto inside = [&](const Spans& spans) {
        Spans kept;
        for (Span span : spans) {
            if (span.start >= staying)
                break;
            span.length = std::min(span.length, int(staying) - span.start);
            kept.append(span);
        }
        return kept;
    };
    return before.kind != block.kind || inside(before.spans) != inside(block.spans);
}

void RowHighlighter::setStyle(const RowStyle* style, const QFont& font) {
    m_style = style;
    m_font = font;
}

void RowHighlighter::highlightBlock(const QString& text) {
    if (!m_style)
        return;
    if (m_block.kind == BlockKind::Code)
        highlightCode(text);
    else
        highlightSpans(currentBlock().position(), int(text.size()));
}

void RowHighlighter::highlightSpans(int start, int length) {
    for (const Span& span : m_block.spans) {
        const int from = std::max(span.start, start);
        const int to = std::min(span.start + span.length, start + length);
        if (from < to)
            setFormat(from - start, to - from, spanFormat(span, *m_style, m_font));
    }
}

void RowHighlighter::highlightCode(const QString& line) {
    const CodeLanguage* language = codeLanguage(m_block.language);
    const bool growing = m_block.open && !currentBlock().next().isValid();
    if (!language || growing)
        return;
    const int before =
        currentBlock().position() == 0 ? m_block.lexState : std::max(0, previousBlockState());
    std::vector<CodeToken> tokens;
    setCurrentBlockState(lexCodeLine(language, line, before, &tokens));
    for (const CodeToken& token : tokens) {
        const QColor colors[] = {m_style->keyword, m_style->string,   m_style->comment,
                                 m_style->number,  m_style->function, m_style->added,
                                 m_style->removed};
        setFormat(token.start, token.length, colors[size_t(token.style)]);
    }
}

} // namespace alcove::ui
