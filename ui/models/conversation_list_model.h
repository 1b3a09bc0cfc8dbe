#pragma once

#include "app/engine/conversation_controller.h"
#include "app/store/store_thread.h"

#include <QAbstractListModel>
#include <QSet>
#include <QTimer>
#include <QtQml/qqmlregistration.h>

#include <functional>

namespace alcove::ui {

/// The list of conversations, most recently used first, read from the database a page at a time.
/// Lives on the window's thread and never waits for the disk.
class ConversationListModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("made by the program")
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)
    Q_PROPERTY(State state READ state NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString failure READ failure NOTIFY stateChanged FINAL)
    Q_PROPERTY(qint64 currentId READ currentId NOTIFY currentChanged FINAL)
    Q_PROPERTY(int currentRow READ currentRow NOTIFY currentChanged FINAL)
    Q_PROPERTY(QString undoText READ undoText NOTIFY undoChanged FINAL)

public:
    enum class State { Loading, Ready, Failed };
    Q_ENUM(State)
    enum Roles {
        IdRole = Qt::UserRole + 1,
        TitleRole,
        SectionRole,
        DetailRole, ///< model and day
        AnsweringRole,
        DraftRole,
        CurrentRole,
        SpokenRole, ///< what a screen reader says of the row
    };

    static constexpr int kPage = 100;
    static constexpr int kUndoMs = 10'000;

    ConversationListModel(alcove::app::StoreThread& store,
                          alcove::app::ConversationController& controller,
                          QObject* parent = nullptr);

    /// Reads the first page. Again after a failure.
    Q_INVOKABLE void load();

    int count() const { return int(m_rows.size()); }
    State state() const { return m_state; }
    QString failure() const { return m_failure; }
    qint64 currentId() const { return m_currentId; }
    int currentRow() const { return rowOf(m_currentId); }
    /// "Deleted 'Soup recipes'." for ten seconds after a delete, else empty.
    QString undoText() const { return m_undoText; }

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;
    bool canFetchMore(const QModelIndex& parent) const override;
    void fetchMore(const QModelIndex& parent) override;

    Q_INVOKABLE qint64 idAt(int row) const;
    Q_INVOKABLE int rowOf(qint64 id) const; ///< −1: not among the rows read so far
    Q_INVOKABLE QString titleOf(qint64 id) const;
    Q_INVOKABLE void rename(qint64 id, const QString& title);
    Q_INVOKABLE void remove(qint64 id);
    Q_INVOKABLE void undoRemove();
    Q_INVOKABLE void dropUndo(); ///< the note is closed
    /// The row `by` places from the current one, kept within the list; 0 if the list is empty.
    Q_INVOKABLE qint64 neighbour(int by) const;

    /// For tests: the day that counts as today.
    void setToday(std::function<QDate()> today);

Q_SIGNALS:
    void countChanged();
    void stateChanged();
    void currentChanged();
    void undoChanged();
    /// The first page is there.
    void loaded();

private:
    int placeFor(const alcove::app::Conversation& row) const;
    void takePage(const alcove::Result<QVector<alcove::app::Conversation>>& page, bool first);
    void update(const alcove::app::Conversation& row);
    void erase(qint64 id);
    void setCurrent(qint64 id);
    void setAnswering(qint64 id, bool answering);
    QString detailOf(const alcove::app::Conversation& row) const;

    alcove::app::StoreThread& m_store;
    alcove::app::ConversationController& m_controller;
    QVector<alcove::app::Conversation> m_rows;
    QSet<qint64> m_answering;
    std::function<QDate()> m_today;
    QTimer m_undoTimer;
    State m_state = State::Loading;
    QString m_failure, m_undoText;
    qint64 m_currentId = 0;
    qint64 m_undoId = 0;
    bool m_more = false; ///< there may be rows after the last one read
    bool m_fetching = false;
};

} // namespace alcove::ui
