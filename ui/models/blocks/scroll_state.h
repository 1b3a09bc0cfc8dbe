#pragma once

#include "ui/models/blocks/block_list_model.h"
#include "ui/models/blocks/height_ledger.h"

namespace alcove::ui {

/// Where the view of a conversation stands: whether it follows the end, how many rows have come
/// since it left it, and the thumb of its own scroll bar. The view says what it shows (place) and
/// how high rows turned out (rowHeight); the list's own content position is never asked, because
/// the list re-bases it.
class ScrollState : public QObject {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(alcove::ui::BlockListModel* rows READ rows WRITE setRows NOTIFY rowsChanged FINAL)
    Q_PROPERTY(bool following READ following WRITE setFollowing NOTIFY followingChanged FINAL)
    Q_PROPERTY(int newRows READ newRows NOTIFY newRowsChanged FINAL)
    Q_PROPERTY(double width MEMBER m_width WRITE setWidth NOTIFY measuresChanged FINAL)
    Q_PROPERTY(double textScale MEMBER m_textScale WRITE setTextScale NOTIFY measuresChanged FINAL)
    Q_PROPERTY(double viewHeight MEMBER m_viewHeight WRITE setViewHeight NOTIFY thumbChanged FINAL)
    Q_PROPERTY(double thumbPosition READ thumbPosition NOTIFY thumbChanged FINAL)
    Q_PROPERTY(double thumbSize READ thumbSize NOTIFY thumbChanged FINAL)

public:
    explicit ScrollState(QObject* parent = nullptr);

    BlockListModel* rows() const { return m_rows; }
    void setRows(BlockListModel* rows);
    bool following() const { return m_following; }
    void setFollowing(bool following);
    int newRows() const { return m_newRows; }
    void setWidth(double width);
    void setTextScale(double scale);
    void setViewHeight(double height);

    /// Share of the way, 0 at the first row and 1 at the end. While the person moves in one
    /// direction it never goes back, whatever heights turn out to be.
    double thumbPosition() const { return m_thumb; }
    double thumbSize() const;

    /// The first row in view and how many pixels of it are above the view; moved is -1, 0 or 1:
    /// where the person went.
    Q_INVOKABLE void place(int row, double offset, int moved);
    Q_INVOKABLE void atEnd();
    Q_INVOKABLE void rowHeight(int row, double height);
    /// Row and part of it (0…1) for a place of the thumb.
    Q_INVOKABLE int rowAtThumb(double position) const;
    Q_INVOKABLE double offsetAtThumb(double position) const;

    const HeightLedger& ledger() const { return m_ledger; }

Q_SIGNALS:
    void rowsChanged();
    void followingChanged();
    void newRowsChanged();
    void measuresChanged();
    void thumbChanged();

private:
    void rebuild();
    void insertRows(int first, int last);
    void setNewRows(int count);
    double way() const;

    QPointer<BlockListModel> m_rows;
    HeightLedger m_ledger;
    bool m_following = true;
    int m_newRows = 0;
    double m_width = 600;
    double m_textScale = 1;
    double m_viewHeight = 0;
    double m_thumb = 1;
};

} // namespace alcove::ui
