#pragma once

#include "app/store/database.h"
#include "app/store/records.h"
#include "app/store/store_thread.h"
#include "engine/engine.h"

#include <QObject>
#include <QStringList>

#include <memory>

namespace alcove::app {

/// How a model's memory need compares with what is free.
enum class Fit { Unknown, Fits, Tight, TooBig };

/// A model as the picker shows it.
struct LibraryModel {
    ModelRecord record;
    bool away = false;       ///< the file is not there now (drive not connected, moved)
    qint64 memoryNeeded = 0; ///< weights + context + work at the present options; 0: not known
    Fit fit = Fit::Unknown;
    qint64 missingBytes = 0; ///< TooBig: by how much
};

/// Fits: at most 80 % of what is available; Tight: up to all of it; TooBig: more. 0 needed:
/// Unknown.
Fit fitOf(qint64 neededBytes, qint64 availableBytes);

// --- Synchronous, for the command line and for workers
// -------------------------------------------------------------

/// Files below `folder` that begin like a GGUF model, whatever their names; any depth, links
/// followed once, parts of a split model but the first left out, "*.part" left out. A folder that
/// is absent gives an empty list.
Result<QStringList> findModelFiles(const QString& folder);
/// Facts of one file from its header alone; a well-formed file that cannot run gives a record with
/// its reason. Fails if it is no model file at all.
Result<ModelRecord> readModelRecord(const QString& path);
/// Registers a file where it lies. Fails with the reason if it is no model file; one that cannot
/// run is registered.
Result<ModelRecord> addModel(Database& database, const QString& path);
/// Scans `folder` and brings the table up to date; gives all models with their fit.
Result<QVector<LibraryModel>> syncLibrary(Database& database, const QString& folder,
                                          const SessionOptions& options = {});
/// A path to an existing file, or a name in the library: equal to a model's name, file name or stem
/// (case does not count). Errc::NotFound names what is there.
Result<QString> resolveModel(Database& database, const QString& nameOrPath);

// --- For the window
// -------------------------------------------------------------------------------------------------

/// The models of the data folder and those added in place. Lives on the window's thread; scans on a
/// worker, reading headers only; watches the folder with a settle time of 2 seconds.
class ModelLibrary : public QObject {
    Q_OBJECT

public:
    ModelLibrary(StoreThread& store, const QString& folder, QObject* parent = nullptr);
    ~ModelLibrary() override;

    const QVector<LibraryModel>& models() const { return m_models; }
    bool isScanning() const { return m_scanning; }
    const QString& folder() const { return m_folder; }

    void rescan();                 ///< at start, on focus, after a change of the folder → changed
    void add(const QString& path); ///< → added or addFailed, changed
    void forget(RowId modelId);    ///< the file stays → changed
    /// Options for the memory need (context, cache type); estimates again → changed.
    void setSessionOptions(const SessionOptions& options);

Q_SIGNALS:
    void changed();
    void scanningChanged();
    void added(const alcove::app::ModelRecord& record);
    void addFailed(const QString& path, const alcove::Error& error);
    void scanFailed(const alcove::Error& error);

private:
    void watch();

    StoreThread& m_store;
    QString m_folder;
    QVector<LibraryModel> m_models;
    SessionOptions m_options;
    bool m_scanning = false;
    bool m_scanAgain = false;
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace alcove::app
