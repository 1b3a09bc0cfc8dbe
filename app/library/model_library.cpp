#include "app/library/model_library.h"

#include "app/engine/engine_types.h"
#include "app/library/model_scan.h"
#include "app/logging.h"
#include "app/store/model_store.h"

#include <QFileInfo>
#include <QFileSystemWatcher>
#include <QThreadPool>
#include <QTimer>

namespace alcove::app {

namespace {
constexpr int kSettleMs = 2000;
} // namespace

struct ModelLibrary::Private {
    QFileSystemWatcher watcher;
    QTimer settle;
    QStringList folders;
    std::shared_ptr<MemoryCache> cache = std::make_shared<MemoryCache>(); // used on `worker` alone
    QThreadPool worker; // one thread; last: waits at the end

    /// Runs `work` on the worker; its result continues where `.then(context, …)` says.
    template <class F> auto run(F work) -> QFuture<std::invoke_result_t<F>> {
        auto promise = std::make_shared<QPromise<std::invoke_result_t<F>>>();
        promise->start();
        auto future = promise->future();
        worker.start([promise, work = std::move(work)]() mutable {
            promise->addResult(work());
            promise->finish();
        });
        return future;
    }
};

ModelLibrary::ModelLibrary(StoreThread& store, const QString& folder, QObject* parent)
    : QObject(parent), m_store(store), m_folder(folder), d(std::make_unique<Private>()) {
    d->worker.setMaxThreadCount(1);
    d->settle.setSingleShot(true);
    d->settle.setInterval(kSettleMs);
    connect(&d->settle, &QTimer::timeout, this, &ModelLibrary::rescan);
    const auto wait = [this] { d->settle.start(); };
    connect(&d->watcher, &QFileSystemWatcher::directoryChanged, this, wait);
    connect(&d->watcher, &QFileSystemWatcher::fileChanged, this, wait);
}

ModelLibrary::~ModelLibrary() {
    d->worker.clear();
}

void ModelLibrary::rescan() {
    if (m_scanning) {
        m_scanAgain = true;
        return;
    }
    m_scanning = true;
    Q_EMIT scanningChanged();
    const auto fail = [this](const Error& error) {
        m_scanning = false;
        Q_EMIT scanningChanged();
        Q_EMIT scanFailed(error);
    };
    const auto describe = [this, fail](const Result<QVector<ModelRecord>>& list) {
        if (!list) {
            fail(list.error());
            return;
        }
        d->run([records = *list, options = m_options, cache = d->cache] {
             return describeModels(records, options, readMemoryFacts().systemAvailable, *cache);
         }).then(this, [this](const QVector<LibraryModel>& models) {
            m_models = models;
            m_scanning = false;
            watch();
            Q_EMIT scanningChanged();
            Q_EMIT changed();
            if (std::exchange(m_scanAgain, false))
                rescan();
        });
    };
    m_store.run([](Database& db) { return ModelStore(db).list(); })
        .then(this, [this, fail, describe](const Result<QVector<ModelRecord>>& known) {
            if (!known) {
                fail(known.error());
                return;
            }
            d->run([folder = m_folder, records = *known] {
                 return scanFolder(folder, records);
             }).then(this, [this, fail, describe](const Result<FolderScan>& scan) {
                if (!scan) {
                    fail(scan.error());
                    return;
                }
                d->folders = scan->folders;
                m_store
                    .run([records = scan->records](Database& db) { return saveScan(db, records); })
                    .then(this, describe);
            });
        });
}

void ModelLibrary::add(const QString& path) {
    d->run([path]() -> Result<ModelRecord> {
         return readModelRecord(path);
     }).then(this, [this, path](const Result<ModelRecord>& read) {
        if (!read) {
            Q_EMIT addFailed(path, read.error());
            return;
        }
        ModelRecord record = *read;
        record.addedByHand = true;
        m_store.run([record](Database& db) { return ModelStore(db).save(record); })
            .then(this, [this, path](const Result<ModelRecord>& saved) {
                if (!saved) {
                    Q_EMIT addFailed(path, saved.error());
                    return;
                }
                Q_EMIT added(*saved);
                rescan();
            });
    });
}

void ModelLibrary::forget(RowId modelId) {
    m_store.run([modelId](Database& db) { return ModelStore(db).forget(modelId); })
        .then(this, [this](const Status& forgotten) {
            if (!forgotten)
                Q_EMIT scanFailed(forgotten.error());
            rescan();
        });
}

void ModelLibrary::setSessionOptions(const SessionOptions& options) {
    m_options = options;
    rescan();
}

void ModelLibrary::watch() {
    QStringList wanted = d->folders;
    // A file that is still being copied changes without its folder changing.
    for (const LibraryModel& model : m_models)
        if (!model.record.runnable && !model.away)
            wanted.append(model.record.path);
    const QStringList watched = d->watcher.directories() + d->watcher.files();
    QStringList gone;
    for (const QString& path : watched)
        if (!wanted.contains(path))
            gone.append(path);
    if (!gone.isEmpty())
        d->watcher.removePaths(gone);
    QStringList fresh;
    for (const QString& path : std::as_const(wanted))
        if (!watched.contains(path))
            fresh.append(path);
    if (!fresh.isEmpty() && !d->watcher.addPaths(fresh).isEmpty())
        logDebug("library", QStringLiteral("some model folders cannot be watched"));
}

} // namespace alcove::app
