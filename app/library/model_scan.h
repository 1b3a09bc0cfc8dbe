#pragma once

#include "app/library/model_library.h"

#include <QHash>

namespace alcove::app {

/// Memory needs that were computed before, so that a scan on every focus reads no header twice.
/// Key: path, size, time of the file and what of the options counts.
using MemoryCache = QHash<QString, qint64>;

/// The steps of a scan. What touches the disk runs on a worker, what touches the database on its
/// thread.

struct FolderScan {
    QVector<ModelRecord> records; ///< new or changed files
    QStringList folders;          ///< that were walked, for the watcher
};
/// Walks `folder`; reads the headers of files that are not in `known` with the same size and time.
Result<FolderScan> scanFolder(const QString& folder, const QVector<ModelRecord>& known);
/// Stores what a scan found and gives the whole list.
Result<QVector<ModelRecord>> saveScan(Database& database, const QVector<ModelRecord>& records);
/// Adds what the picker shows: whether the file is there, memory need, fit.
QVector<LibraryModel> describeModels(const QVector<ModelRecord>& records,
                                     const SessionOptions& options, qint64 availableBytes,
                                     MemoryCache& cache);

} // namespace alcove::app
