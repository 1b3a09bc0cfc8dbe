#pragma once

#include "app/store/database.h"
#include "app/store/records.h"
#include "engine/engine.h"

#include <stop_token>

namespace alcove::app {

/// Adapters on disk, for the command line and for workers: everything here may wait for the disk.

/// An adapter against one model file.
struct AdapterFit {
    bool fits = false;
    bool away = false; ///< the file is not there now
    QString reason;    ///< why not, one sentence
    AdapterInfo info;  ///< if it fits
};

/// Whether the content of a file or folder says that it is an adapter; its header alone is read.
bool isAdapterFile(const QString& path);
/// Facts of an adapter file or PEFT folder, without a base.
Result<AdapterRecord> readAdapterRecord(const QString& path, std::stop_token stop = {});
/// The same, registered.
Result<AdapterRecord> addAdapter(Database& database, const QString& path);
/// Checks the file of `record` against the model file `modelPath`, whose hash may be empty. The
/// file must still have the record's size and hash.
AdapterFit checkFit(const AdapterRecord& record, const QString& modelPath,
                    const QString& modelSha256, std::stop_token stop = {});
/// Options that hold a file to what `record` says about it.
AdapterOptions adapterOptions(const AdapterRecord& record, const QString& modelSha256);

/// The record of a registered adapter by name, file name or stem (case does not count).
/// Errc::NotFound names what is there.
Result<AdapterRecord> resolveAdapter(Database& database, const QString& name);
/// Looks for the record's file by size and hash, where it was and in `folders` (not below them);
/// empty if it is nowhere.
QString findMovedAdapter(const AdapterRecord& record, const QStringList& folders);
/// All records; the path of a file that has moved is brought up to date.
Result<QVector<AdapterRecord>> syncAdapters(Database& database, const QStringList& folders);

} // namespace alcove::app
