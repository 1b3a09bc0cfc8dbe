#include "ui/qml/components/chat/table_item.h"

#include "ui/qml/components/chat/row_highlighter.h"

#include <QCursor>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace alcove::ui {
namespace {

constexpr int kWidestColumn = 44; // mean characters, then a cell wraps
constexpr int kNarrowColumn = 14; // a column that gave way keeps at least this

QList<QTextLayout::FormatRange> cellFormats(const TableCell& cell, const RowStyle& style,
                                            const QFont& font) {
    QList<QTextLayout::FormatRange> formats;
    for (const Span& span : cell.spans)
        formats.append({span.start, span.length, spanFormat(span, style, font)});
    return formats;
}

QFont cellFont(const RowStyle& style, bool header) {
    QFont font = style.body;
    if (header)
        font.setWeight(QFont::DemiBold);
    return font;
}

Qt::Alignment alignment(const TableData& table, int column) {
    const TableData::Align align =
        size_t(column) < table.align.size() ? table.align[size_t(column)] : TableData::Left;
    return align == TableData::Right    ? Qt::AlignRight
           : align == TableData::Center ? Qt::AlignHCenter
                                        : Qt::AlignLeft;
}

} // namespace

TableItem::TableItem(QQuickItem* parent) : QQuickPaintedItem(parent) {
    setCursor(Qt::IBeamCursor);
}

void TableItem::setContent(const BlockContent& content) {
    m_content = content;
    layOut();
    Q_EMIT contentChanged();
}

void TableItem::setStyle(RowStyle* style) {
    if (m_style == style)
        return;
    if (m_style)
        m_style->disconnect(this);
    m_style = style;
    if (style)
        connect(style, &RowStyle::changed, this, &TableItem::layOut);
    layOut();
    Q_EMIT styleChanged();
}

int TableItem::columns() const {
    return m_content.block.table ? data().columns : 0;
}

std::vector<double> TableItem::columnWidths(const TableData& table) const {
    const double most = QFontMetricsF(m_style->body).averageCharWidth() * kWidestColumn;
    std::vector<double> widths(size_t(table.columns), 2 * m_paddingX);
    for (int row = 0; row < table.rows(); ++row) {
        const QFont font = cellFont(*m_style, table.hasHeader && row == 0);
        const QFontMetricsF metrics(font);
        for (int column = 0; column < table.columns; ++column) {
            const TableCell& cell = table.at(row, column);
            double natural = std::min(most, metrics.horizontalAdvance(cell.text));
            if (!cell.spans.isEmpty() && natural < most) { // code and bold are wider
                QTextLayout layout(cell.text, font);
                layout.setFormats(cellFormats(cell, *m_style, font));
                layout.beginLayout();
                QTextLine line = layout.createLine();
                line.setLineWidth(most);
                natural = std::min(most, line.naturalTextWidth());
                layout.endLayout();
            }
            double& width = widths[size_t(column)];
            width = std::max(width, std::ceil(natural) + 1 + 2 * m_paddingX);
        }
    }
    fitWidths(&widths,
              QFontMetricsF(m_style->body).averageCharWidth() * kNarrowColumn + 2 * m_paddingX);
    return widths;
}

/// Lowers the widest columns to a common width, so that the table fits if that is possible.
void TableItem::fitWidths(std::vector<double>* widths, double least) const {
    const double total = std::accumulate(widths->begin(), widths->end(), 0.0);
    if (m_available <= 0 || total <= m_available)
        return;
    std::vector<double> sorted = *widths;
    std::sort(sorted.begin(), sorted.end());
    double fixed = 0; // width of the columns that stay as they are
    for (size_t i = 0; i < sorted.size(); ++i) {
        const double share = (m_available - fixed) / double(sorted.size() - i);
        if (sorted[i] > share) {
            const double limit = std::max(least, std::floor(share));
            for (double& width : *widths)
                width = std::min(width, std::max(limit, 0.0));
            return;
        }
        fixed += sorted[i];
    }
}

void TableItem::setAvailable(double width) {
    if (m_available == width)
        return;
    m_available = width;
    layOut();
    Q_EMIT availableChanged();
}

void TableItem::layOut() {
    m_cells.clear();
    m_columns = {0};
    m_rows = {0};
    if (!m_content.block.table || !m_style || m_style->body.pixelSize() <= 0)
        return;
    const TableData& table = data();
    m_paddingX = std::round(m_style->body.pixelSize() * 0.8);
    m_paddingY = std::round(m_style->body.pixelSize() * 0.45);
    const TableData& head = m_content.block.tableHead ? *m_content.block.tableHead : table;
    for (const double width : columnWidths(head))
        m_columns.push_back(m_columns.back() + width);
    m_columns.resize(size_t(table.columns) + 1, m_columns.back());
    int offset = 0;
    for (int row = 0; row < table.rows(); ++row) {
        double height = m_style->bodyLine;
        for (int column = 0; column < table.columns; ++column) {
            const TableCell& source = table.at(row, column);
            const QFont font = cellFont(*m_style, table.hasHeader && row == 0);
            Cell cell{std::make_unique<QTextLayout>(source.text, font), offset, row, column};
            QTextOption option(alignment(table, column));
            option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
            cell.layout->setTextOption(option);
            cell.layout->setFormats(cellFormats(source, *m_style, font));
            const double width =
                m_columns[size_t(column) + 1] - m_columns[size_t(column)] - 2 * m_paddingX;
            double y = 0;
            cell.layout->beginLayout();
            for (QTextLine line = cell.layout->createLine(); line.isValid();
                 line = cell.layout->createLine()) {
                line.setLineWidth(width);
                line.setPosition({0, y + (m_style->bodyLine - line.height()) / 2});
                y += m_style->bodyLine;
            }
            cell.layout->endLayout();
            height = std::max(height, y);
            offset += int(source.text.size()) + 1;
            m_cells.push_back(std::move(cell));
        }
        m_rows.push_back(m_rows.back() + height + 2 * m_paddingY);
    }
    setImplicitSize(m_columns.back(), m_rows.back());
    update();
}

QPointF TableItem::textOrigin(const Cell& cell) const {
    return {m_columns[size_t(cell.column)] + m_paddingX, m_rows[size_t(cell.row)] + m_paddingY};
}

void TableItem::paint(QPainter* painter) {
    if (m_cells.empty() || !m_style)
        return;
    const TableData& table = data();
    painter->setPen(Qt::NoPen);
    if (table.hasHeader)
        painter->fillRect(QRectF(0, 0, m_columns.back(), m_rows[1]), m_style->header);
    painter->setPen(m_style->text);
    for (const Cell& cell : m_cells) {
        const int length = int(cell.layout->text().size());
        QList<QTextLayout::FormatRange> selections;
        const int from = std::max(m_selectionStart - cell.start, 0);
        const int to = std::min(m_selectionEnd - cell.start, length);
        if (m_selectionStart >= 0 && from < to) {
            QTextCharFormat format;
            format.setBackground(m_style->selection);
            selections.append({from, to - from, format});
        }
        cell.layout->draw(painter, textOrigin(cell), selections);
    }
    // Hairlines between rows, a stronger one under the header; none at the sides.
    const double right = m_columns.back();
    for (size_t i = 1; i < m_rows.size(); ++i) {
        const bool underHeader = table.hasHeader && i == 1;
        const double y = std::round(m_rows[i]) - 1;
        painter->fillRect(QRectF(0, y, right, 1), underHeader ? m_style->text2 : m_style->hairline);
    }
    if (!m_content.block.continued && !table.hasHeader)
        painter->fillRect(QRectF(0, 0, right, 1), m_style->hairline);
}

const TableItem::Cell* TableItem::cellAt(double x, double y) const {
    if (m_cells.empty())
        return nullptr;
    const auto index = [](const std::vector<double>& edges, double at) {
        const auto next = std::upper_bound(edges.begin(), edges.end(), at);
        const auto found = std::max<std::ptrdiff_t>(next - edges.begin() - 1, 0);
        return std::min<size_t>(size_t(found), edges.size() - 2);
    };
    const size_t cell = index(m_rows, y) * size_t(data().columns) + index(m_columns, x);
    return cell < m_cells.size() ? &m_cells[cell] : nullptr;
}

int TableItem::offsetAt(double x, double y) const {
    const Cell* cell = cellAt(x, y);
    if (!cell)
        return 0;
    const QPointF inside = QPointF(x, y) - textOrigin(*cell);
    const int line = std::clamp(int(inside.y() / m_style->bodyLine), 0,
                                std::max(0, cell->layout->lineCount() - 1));
    if (cell->layout->lineCount() == 0)
        return cell->start;
    return cell->start + cell->layout->lineAt(line).xToCursor(inside.x());
}

QString TableItem::linkAt(double x, double y) const {
    const Cell* cell = cellAt(x, y);
    if (!cell)
        return {};
    const int offset = offsetAt(x, y) - cell->start;
    for (const Span& span : data().at(cell->row, cell->column).spans)
        if ((span.style & Span::Link) && offset >= span.start && offset < span.start + span.length)
            return span.target;
    return {};
}

void TableItem::select(int start, int end) {
    if (m_selectionStart == start && m_selectionEnd == end)
        return;
    m_selectionStart = start;
    m_selectionEnd = end;
    update();
}

void TableItem::setCursorShape(bool overLink) {
    setCursor(overLink ? Qt::PointingHandCursor : Qt::IBeamCursor);
}

} // namespace alcove::ui
