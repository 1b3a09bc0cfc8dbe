#include "ui/qml/components/chat/row_text.h"

#include <QCursor>
#include <QQuickTextDocument>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>

#include <algorithm>

namespace alcove::ui {

RowText::RowText(QObject* parent) : QObject(parent) {}

QTextDocument* RowText::document() const {
    if (!m_edit)
        return nullptr;
    auto* quick = m_edit->property("textDocument").value<QQuickTextDocument*>();
    return quick ? quick->textDocument() : nullptr;
}

void RowText::setEdit(QQuickItem* edit) {
    if (m_edit == edit)
        return;
    m_edit = edit;
    m_shown.clear();
    if (QTextDocument* text = document()) {
        // The chat view selects across rows and follows links; the edit leaves the mouse to it.
        edit->setAcceptedMouseButtons(Qt::NoButton);
        edit->setAcceptHoverEvents(false);
        edit->setFlag(QQuickItem::ItemAcceptsInputMethod, false);
        text->setUndoRedoEnabled(false);
        m_highlighter = new RowHighlighter(text);
        connect(edit, SIGNAL(fontChanged(QFont)), this, SLOT(restyle()));
    }
    restyle();
    apply();
    Q_EMIT editChanged();
}

void RowText::setContent(const BlockContent& content) {
    m_content = content;
    apply();
    Q_EMIT contentChanged();
}

void RowText::setStyle(RowStyle* style) {
    if (m_style == style)
        return;
    if (m_style)
        m_style->disconnect(this);
    m_style = style;
    if (style)
        connect(style, &RowStyle::changed, this, &RowText::restyle);
    restyle();
    Q_EMIT styleChanged();
}

void RowText::setLineHeight(double height) {
    if (m_lineHeight == height)
        return;
    m_lineHeight = height;
    setLineHeights();
    Q_EMIT lineHeightChanged();
}

void RowText::restyle() {
    if (!m_highlighter || !m_style)
        return;
    m_highlighter->setStyle(m_style, m_edit->property("font").value<QFont>());
    m_highlighter->rehighlight();
}

void RowText::setLineHeights() {
    QTextDocument* text = document();
    if (!text || m_lineHeight <= 0)
        return;
    QTextCursor cursor(text);
    cursor.select(QTextCursor::Document);
    QTextBlockFormat format;
    format.setLineHeight(m_lineHeight, QTextBlockFormat::FixedHeight);
    cursor.mergeBlockFormat(format);
}

void RowText::apply() {
    QTextDocument* text = document();
    if (!text)
        return;
    const QString& wanted = m_content.block.text;
    const qsizetype shorter = std::min(m_shown.size(), wanted.size());
    qsizetype staying =
        std::mismatch(m_shown.begin(), m_shown.begin() + shorter, wanted.begin()).first -
        m_shown.begin();
    if (staying > 0 && staying < shorter && m_shown[staying].isLowSurrogate())
        --staying;
    const bool reformat = m_highlighter->setBlock(m_content.block, staying);
    if (staying < m_shown.size() || staying < wanted.size()) {
        QTextCursor cursor(text);
        cursor.beginEditBlock();
        cursor.setPosition(int(staying));
        cursor.setPosition(int(m_shown.size()), QTextCursor::KeepAnchor);
        if (cursor.hasSelection())
            cursor.removeSelectedText();
        cursor.insertText(wanted.mid(staying));
        cursor.endEditBlock();
        const bool first = m_shown.isEmpty();
        m_shown = wanted;
        if (first)
            setLineHeights();
    }
    if (reformat)
        m_highlighter->rehighlight();
}

void RowText::select(int start, int end) {
    if (!m_edit)
        return;
    if (start < 0 || start == end)
        QMetaObject::invokeMethod(m_edit, "deselect");
    else
        QMetaObject::invokeMethod(m_edit, "select", Q_ARG(int, start), Q_ARG(int, end));
}

int RowText::offsetAt(double x, double y) const {
    int offset = 0;
    if (m_edit)
        QMetaObject::invokeMethod(m_edit, "positionAt", Q_RETURN_ARG(int, offset), Q_ARG(qreal, x),
                                  Q_ARG(qreal, y));
    return offset;
}

QString RowText::linkAt(double x, double y) const {
    if (!m_edit || !m_edit->contains({x, y}))
        return {};
    const int offset = offsetAt(x, y);
    QRectF at;
    QMetaObject::invokeMethod(m_edit, "positionToRectangle", Q_RETURN_ARG(QRectF, at),
                              Q_ARG(int, offset));
    // Beside the end of a line there is no text.
    if (std::abs(at.x() - x) > at.height())
        return {};
    for (const Span& span : m_content.block.spans)
        if ((span.style & Span::Link) && offset >= span.start && offset <= span.start + span.length)
            return span.target;
    return {};
}

void RowText::setCursorShape(bool overLink) {
    if (m_edit)
        m_edit->setCursor(overLink ? Qt::PointingHandCursor : Qt::IBeamCursor);
}

} // namespace alcove::ui
