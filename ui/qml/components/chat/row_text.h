#pragma once

#include "ui/models/blocks/block_list_model.h"
#include "ui/qml/components/chat/row_highlighter.h"

#include <QPointer>
#include <QQuickItem>

class QTextDocument;

namespace alcove::ui {

/// Puts the text of a block into the TextEdit of its row. The text is never set anew: what was
/// added is inserted at the end, so a selection, the layout of the lines before and the cost of an
/// update do not depend on how long the row is.
class RowText : public QObject {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(QQuickItem* edit READ edit WRITE setEdit NOTIFY editChanged FINAL)
    Q_PROPERTY(
        alcove::ui::BlockContent content READ content WRITE setContent NOTIFY contentChanged FINAL)
    Q_PROPERTY(alcove::ui::RowStyle* style READ style WRITE setStyle NOTIFY styleChanged FINAL)
    Q_PROPERTY(double lineHeight READ lineHeight WRITE setLineHeight NOTIFY lineHeightChanged FINAL)

public:
    explicit RowText(QObject* parent = nullptr);

    QQuickItem* edit() const { return m_edit; }
    void setEdit(QQuickItem* edit);
    BlockContent content() const { return m_content; }
    void setContent(const BlockContent& content);
    RowStyle* style() const { return m_style; }
    void setStyle(RowStyle* style);
    double lineHeight() const { return m_lineHeight; }
    void setLineHeight(double height);

    /// Selects from start to end; nothing if start is negative.
    Q_INVOKABLE void select(int start, int end);
    /// The address of the link at this place of the edit, or nothing.
    Q_INVOKABLE QString linkAt(double x, double y) const;
    Q_INVOKABLE int offsetAt(double x, double y) const;
    Q_INVOKABLE void setCursorShape(bool overLink);

Q_SIGNALS:
    void editChanged();
    void contentChanged();
    void styleChanged();
    void lineHeightChanged();

private:
    QTextDocument* document() const;
    void apply();
    Q_SLOT void restyle();
    void setLineHeights();

    QPointer<QQuickItem> m_edit;
    QPointer<RowHighlighter> m_highlighter;
    QPointer<RowStyle> m_style;
    BlockContent m_content;
    QString m_shown;
    double m_lineHeight = 0;
};

} // namespace alcove::ui
