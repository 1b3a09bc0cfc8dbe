#pragma once

#include "ui/models/blocks/block.h"
#include "ui/qml/components/chat/row_style.h"

#include <QSyntaxHighlighter>
#include <QTextCharFormat>

namespace alcove::ui {

/// The format of a styled range of body text whose own font is `base`.
QTextCharFormat spanFormat(const Span& span, const RowStyle& style, const QFont& base);

/// Formats of one row: the spans of its text, or the colours of its code. Code is coloured by
/// complete lines only, so the line that is being written stays plain. Rows are small, so a whole
/// row takes well under 2 ms.
class RowHighlighter : public QSyntaxHighlighter {
    Q_OBJECT

public:
    explicit RowHighlighter(QTextDocument* document);

    /// Takes what to show; the caller then changes the text. Returns whether text that stays needs
    /// to be formatted anew.
    bool setBlock(const Block& block, qsizetype staying);
    void setStyle(const RowStyle* style, const QFont& font);

protected:
    void highlightBlock(const QString& text) override;

private:
    void highlightSpans(int start, int length);
    void highlightCode(const QString& line);

    Block m_block;
    const RowStyle* m_style = nullptr;
    QFont m_font;
};

} // namespace alcove::ui
