#pragma once

#include <QAbstractListModel>
#include <QList>
#include <QUrl>
#include <QtQml/qqmlregistration.h>

namespace alcove::ui {

/// What would happen with the files that are held over the window. Files are looked at on a worker;
/// the kind is told by content, not by ending. Lives on the window's thread.
class DropModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("made by the program")
    Q_PROPERTY(int count READ rowCountNow NOTIFY changed FINAL)
    Q_PROPERTY(bool usable READ usable NOTIFY changed FINAL)

public:
    enum Roles { NameRole = Qt::UserRole + 1, DetailRole, UsableRole };

    explicit DropModel(QObject* parent = nullptr) : QAbstractListModel(parent) {}

    int rowCountNow() const { return int(m_rows.size()); }
    bool usable() const; ///< at least one file can be used

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

    Q_INVOKABLE void hold(const QList<QUrl>& files);
    Q_INVOKABLE void leave();
    /// The first file that can be used; empty if there is none.
    Q_INVOKABLE QUrl usableFile() const;

Q_SIGNALS:
    void changed();

private:
    struct Row {
        QUrl file;
        QString name;
        qint64 bytes = -1;
        bool looked = false;
        bool isModel = false;
        bool isAdapter = false;
        bool isUsable() const { return isModel || isAdapter; }
    };
    static Row look(const QUrl& file);
    void take(quint64 serial, const QList<Row>& rows);

    QList<Row> m_rows;
    quint64 m_serial = 0;
};

} // namespace alcove::ui
