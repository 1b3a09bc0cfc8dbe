#pragma once

#include "ui/models/blocks/block_list_model.h"

namespace alcove::ui {

/// The selection across rows: an anchor and a head, each (message, block, offset in the block's
/// text). Rows ask what of them is selected. It outlives rows that come and go and text that grows.
class ChatSelection : public QObject {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(alcove::ui::BlockListModel* rows READ rows WRITE setRows NOTIFY rowsChanged FINAL)
    Q_PROPERTY(bool empty READ empty NOTIFY changed FINAL)

public:
    explicit ChatSelection(QObject* parent = nullptr);

    BlockListModel* rows() const { return m_rows; }
    void setRows(BlockListModel* rows);
    bool empty() const;

    /// Starts at this place of a row's text. A row without text counts as the end of the text above
    /// it.
    Q_INVOKABLE void begin(int row, int offset);
    Q_INVOKABLE void extend(int row, int offset);
    Q_INVOKABLE void selectWord(int row, int offset);
    Q_INVOKABLE void selectRow(int row);
    /// Moves the head by rows: Shift with arrow keys.
    Q_INVOKABLE void extendByRows(int step);
    Q_INVOKABLE void selectMessage(int row);
    Q_INVOKABLE void selectAll();
    Q_INVOKABLE void clear();

    /// What of the row is selected; -1 for nothing.
    Q_INVOKABLE int startIn(int row) const;
    Q_INVOKABLE int endIn(int row) const;
    int headRow() const;

    /// Source for whole blocks, visible text for partial ones.
    QString text() const;
    QString html() const;
    Q_INVOKABLE void copy() const;

Q_SIGNALS:
    void changed();
    void rowsChanged();

private:
    struct Point {
        qint64 message = 0;
        int block = 0;
        int offset = 0;
        bool operator==(const Point&) const = default;
    };
    struct Range {
        int start = -1;
        int end = -1;
    };
    bool pointAt(int row, int offset, Point* point) const;
    int indexOf(qint64 message) const;
    bool before(const Point& a, const Point& b) const;
    Range rangeIn(int message, int block) const;
    void ordered(Point* first, Point* last) const;
    void drop();

    QPointer<BlockListModel> m_rows;
    bool m_active = false;
    bool m_whole = false; ///< whole messages, even if they show no text
    Point m_anchor;
    Point m_head;
};

} // namespace alcove::ui
