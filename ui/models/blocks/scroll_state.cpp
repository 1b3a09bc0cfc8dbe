#include "ui/models/blocks/scroll_state.h"

#include <algorithm>

namespace alcove::ui {

ScrollState::ScrollState(QObject* parent) : QObject(parent) {}

void ScrollState::setRows(BlockListModel* rows) {
    if (m_rows == rows)
        return;
    if (m_rows)
        m_rows->disconnect(this);
    m_rows = rows;
    if (rows) {
        connect(rows, &QAbstractItemModel::modelReset, this, [this] {
            rebuild();
            setFollowing(true);
            setNewRows(0);
        });
        connect(rows, &QAbstractItemModel::rowsInserted, this,
                [this](const QModelIndex&, int first, int last) { insertRows(first, last); });
        connect(rows, &QAbstractItemModel::rowsRemoved, this,
                [this](const QModelIndex&, int first, int last) {
                    m_ledger.remove(first, last - first + 1);
                    setNewRows(std::min(m_newRows, m_ledger.count()));
                    Q_EMIT thumbChanged();
                });
    }
    rebuild();
    Q_EMIT rowsChanged();
}

void ScrollState::rebuild() {
    m_ledger.clear();
    if (m_rows && m_rows->rowCount() > 0)
        insertRows(0, m_rows->rowCount() - 1);
    setNewRows(0);
}

void ScrollState::insertRows(int first, int last) {
    std::vector<double> heights;
    heights.reserve(size_t(last - first + 1));
    for (int row = first; row <= last; ++row)
        heights.push_back(m_rows->estimatedHeight(row, m_width, m_textScale));
    const bool below = last + 2 >= m_ledger.count(); // before the footer counts as the end
    m_ledger.insert(first, heights);
    if (!m_following && below)
        setNewRows(m_newRows + last - first + 1);
    Q_EMIT thumbChanged();
}

void ScrollState::setFollowing(bool following) {
    if (following)
        setNewRows(0);
    if (m_following == following)
        return;
    m_following = following;
    Q_EMIT followingChanged();
}

void ScrollState::setNewRows(int count) {
    if (m_newRows == count)
        return;
    m_newRows = count;
    Q_EMIT newRowsChanged();
}

void ScrollState::setWidth(double width) {
    if (m_width == width || width <= 0)
        return;
    m_width = width;
    rebuild();
    Q_EMIT measuresChanged();
}

void ScrollState::setTextScale(double scale) {
    if (m_textScale == scale || scale <= 0)
        return;
    m_textScale = scale;
    rebuild();
    Q_EMIT measuresChanged();
}

void ScrollState::setViewHeight(double height) {
    m_viewHeight = height;
    Q_EMIT thumbChanged();
}

double ScrollState::way() const {
    return std::max(1.0, m_ledger.total() - m_viewHeight);
}

double ScrollState::thumbSize() const {
    return m_ledger.total() <= 0 ? 1 : std::clamp(m_viewHeight / m_ledger.total(), 0.0, 1.0);
}

void ScrollState::place(int row, double offset, int moved) {
    const double raw = std::clamp((m_ledger.before(row) + offset) / way(), 0.0, 1.0);
    double thumb = raw;
    if (moved > 0)
        thumb = std::max(raw, m_thumb);
    else if (moved < 0)
        thumb = std::min(raw, m_thumb);
    if (thumb == m_thumb)
        return;
    m_thumb = thumb;
    Q_EMIT thumbChanged();
}

void ScrollState::atEnd() {
    if (m_thumb == 1)
        return;
    m_thumb = 1;
    Q_EMIT thumbChanged();
}

void ScrollState::rowHeight(int row, double height) {
    if (row >= 0 && row < m_ledger.count() && m_ledger.at(row) != height)
        m_ledger.set(row, height);
}

int ScrollState::rowAtThumb(double position) const {
    return m_ledger.find(std::clamp(position, 0.0, 1.0) * way()).row;
}

double ScrollState::offsetAtThumb(double position) const {
    return m_ledger.find(std::clamp(position, 0.0, 1.0) * way()).offset;
}

} // namespace alcove::ui
