#pragma once

#include "ui/models/blocks/block_list_model.h"
#include "ui/qml/components/chat/row_style.h"

#include <QPointer>
#include <QQuickPaintedItem>
#include <QTextLayout>

#include <memory>
#include <vector>

namespace alcove::ui {

/// Draws a table, or a piece of one: cells laid out here, columns as wide as the first rows need,
/// at most kWidestColumn characters, after which cells wrap; the widest give way first where room
/// is short. Selection and hit testing work on the table's text (cells between tabs, rows between
/// line ends), as for any row.
class TableItem : public QQuickPaintedItem {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(
        alcove::ui::BlockContent content READ content WRITE setContent NOTIFY contentChanged FINAL)
    Q_PROPERTY(alcove::ui::RowStyle* style READ style WRITE setStyle NOTIFY styleChanged FINAL)
    Q_PROPERTY(double available MEMBER m_available WRITE setAvailable NOTIFY availableChanged FINAL)
    Q_PROPERTY(int columns READ columns NOTIFY contentChanged FINAL)

public:
    explicit TableItem(QQuickItem* parent = nullptr);

    BlockContent content() const { return m_content; }
    void setContent(const BlockContent& content);
    RowStyle* style() const { return m_style; }
    void setStyle(RowStyle* style);
    int columns() const;
    /// The width that columns share before the table has to be scrolled; 0: any.
    void setAvailable(double width);

    Q_INVOKABLE int offsetAt(double x, double y) const;
    Q_INVOKABLE QString linkAt(double x, double y) const;
    Q_INVOKABLE void select(int start, int end);
    Q_INVOKABLE void setCursorShape(bool overLink);

    void paint(QPainter* painter) override;

Q_SIGNALS:
    void contentChanged();
    void styleChanged();
    void availableChanged();

private:
    struct Cell {
        std::unique_ptr<QTextLayout> layout;
        int start = 0; ///< in the table's text
        int row = 0;
        int column = 0;
    };
    void layOut();
    std::vector<double> columnWidths(const TableData& table) const;
    void fitWidths(std::vector<double>* widths, double least) const;
    const Cell* cellAt(double x, double y) const;
    QPointF textOrigin(const Cell& cell) const;
    const TableData& data() const { return *m_content.block.table; }

    BlockContent m_content;
    QPointer<RowStyle> m_style;
    std::vector<Cell> m_cells;
    std::vector<double> m_columns; ///< left edges, and the right edge of the last
    std::vector<double> m_rows;    ///< tops, and the bottom of the last
    double m_available = 0;
    double m_paddingX = 12;
    double m_paddingY = 6;
    int m_selectionStart = -1;
    int m_selectionEnd = -1;
};

} // namespace alcove::ui
