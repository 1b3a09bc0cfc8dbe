#include "ui/models/drop_model.h"

#include "app/library/adapter_library.h"

#include "ui/models/format.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QPointer>
#include <QThreadPool>

#include <algorithm>

namespace alcove::ui {

bool DropModel::usable() const {
    return std::any_of(m_rows.cbegin(), m_rows.cend(),
                       [](const Row& row) { return row.isUsable(); });
}

QUrl DropModel::usableFile() const {
    const auto it =
        std::find_if(m_rows.cbegin(), m_rows.cend(), [](const Row& row) { return row.isUsable(); });
    return it == m_rows.cend() ? QUrl() : it->file;
}

int DropModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : rowCountNow();
}

QVariant DropModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Row& row = m_rows[index.row()];
    switch (role) {
    case Qt::DisplayRole:
    case NameRole:
        return row.bytes < 0
                   ? row.name
                   : tr("%1 \u00b7 %2", "file, size").arg(row.name, formatBytes(row.bytes));
    case DetailRole:
        if (row.isModel)
            return tr("Add this model (stays where it is)");
        if (row.isAdapter)
            return tr("Add this adapter (stays where it is)");
        if (!row.looked)
            return tr("Looking at the file");
        if (const QString suffix = QFileInfo(row.name).suffix(); !suffix.isEmpty())
            return tr("Alcove cannot use .%1 files").arg(suffix);
        return tr("Alcove cannot use this file");
    case UsableRole:
        return row.isUsable();
    default:
        return {};
    }
}

QHash<int, QByteArray> DropModel::roleNames() const {
    return {{NameRole, "name"}, {DetailRole, "detail"}, {UsableRole, "usable"}};
}

DropModel::Row DropModel::look(const QUrl& file) {
    Row row;
    row.file = file;
    row.name = file.fileName();
    row.looked = true;
    if (!file.isLocalFile())
        return row;
    const QFileInfo info(file.toLocalFile());
    row.isAdapter = app::isAdapterFile(info.filePath());
    if (!info.isFile())
        return row;
    row.bytes = info.size();
    if (row.isAdapter)
        return row;
    QFile content(info.filePath());
    row.isModel = content.open(QIODevice::ReadOnly) && content.read(4) == "GGUF";
    return row;
}

void DropModel::hold(const QList<QUrl>& files) {
    const quint64 serial = ++m_serial;
    QList<Row> rows;
    for (const QUrl& file : files) {
        Row row;
        row.file = file;
        row.name = file.fileName();
        // Until the content is known the ending is taken at its word, so that a quick drop is not
        // lost.
        row.isModel =
            file.isLocalFile() && row.name.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive);
        rows.append(row);
    }
    beginResetModel();
    m_rows = rows;
    endResetModel();
    Q_EMIT changed();
    QThreadPool::globalInstance()->start([self = QPointer<DropModel>(this), files, serial] {
        QList<Row> looked;
        std::transform(files.cbegin(), files.cend(), std::back_inserter(looked), &DropModel::look);
        QMetaObject::invokeMethod(
            qApp,
            [self, looked, serial] {
                if (self)
                    self->take(serial, looked);
            },
            Qt::QueuedConnection);
    });
}

void DropModel::take(quint64 serial, const QList<Row>& rows) {
    if (serial != m_serial)
        return;
    beginResetModel();
    m_rows = rows;
    endResetModel();
    Q_EMIT changed();
}

void DropModel::leave() {
    ++m_serial;
    if (m_rows.isEmpty())
        return;
    beginResetModel();
    m_rows.clear();
    endResetModel();
    Q_EMIT changed();
}

} // namespace alcove::ui
