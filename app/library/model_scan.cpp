#include "app/library/model_scan.h"

#include "app/engine/engine_types.h"
#include "app/store/model_store.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QSet>

namespace alcove::app {

namespace {

constexpr double kComfortable =
    0.8; // of what is available: the rest is for the person's other programs

bool beginsLikeModel(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) && file.read(4) == "GGUF";
}

/// "-00002-of-00003.gguf": read through its first part.
bool isLaterPart(const QString& name) {
    static const QRegularExpression part(QStringLiteral("-(\\d{5})-of-\\d{5}\\.gguf$"));
    const auto match = part.match(name);
    return match.hasMatch() && match.captured(1).toInt() != 1;
}

struct Walk {
    QStringList files, folders;
    QSet<QString> seen; // canonical folders: a link that leads back is followed once
};

void walk(const QString& folder, Walk& result) {
    const QString canonical = QFileInfo(folder).canonicalFilePath();
    if (canonical.isEmpty() || result.seen.contains(canonical))
        return;
    result.seen.insert(canonical);
    result.folders.append(folder);
    const QDir dir(folder);
    for (const QFileInfo& entry :
         dir.entryInfoList(QDir::Dirs | QDir::Files | QDir::NoDotAndDotDot, QDir::Name)) {
        if (entry.isDir())
            walk(entry.absoluteFilePath(), result);
        else if (!entry.fileName().endsWith(QLatin1String(".part")) &&
                 !isLaterPart(entry.fileName()) && beginsLikeModel(entry.absoluteFilePath()))
            result.files.append(entry.absoluteFilePath());
    }
}

Result<Walk> walkFrom(const QString& folder) {
    const QFileInfo info(folder);
    if (info.exists() && !info.isDir())
        return Error{Errc::Io, folder.toStdString() + " is a file, expected a folder"};
    if (info.exists() && !info.isReadable())
        return Error{Errc::Io, "the model folder " + folder.toStdString() + " cannot be read"};
    Walk result;
    walk(folder, result);
    return result;
}

QDateTime fileTime(const QFileInfo& info) {
    // To the millisecond, as it is stored.
    return QDateTime::fromMSecsSinceEpoch(info.lastModified().toMSecsSinceEpoch(), Qt::UTC);
}

ModelRecord withoutFacts(const QString& path, const std::string& reason) {
    const QFileInfo info(path);
    ModelRecord record;
    record.path = info.absoluteFilePath();
    record.name = info.completeBaseName();
    record.fileBytes = info.size();
    record.modified = fileTime(info);
    record.reason = QString::fromStdString(reason);
    return record;
}

qint64 memoryNeed(const ModelRecord& record, const SessionOptions& options, MemoryCache& cache) {
    if (!record.runnable)
        return 0;
    const QString key = QStringLiteral("%1|%2|%3|%4|%5|%6")
                            .arg(record.path)
                            .arg(record.fileBytes)
                            .arg(record.modified.toMSecsSinceEpoch())
                            .arg(options.n_ctx)
                            .arg(options.n_batch)
                            .arg(static_cast<int>(options.kv_type));
    if (const auto known = cache.constFind(key); known != cache.cend())
        return *known;
    const auto estimate = estimate_memory(record.path.toStdString(), options);
    const qint64 bytes = estimate ? static_cast<qint64>(estimate->total_bytes()) : 0;
    cache.insert(key, bytes);
    return bytes;
}

} // namespace

Fit fitOf(qint64 neededBytes, qint64 availableBytes) {
    if (neededBytes <= 0)
        return Fit::Unknown;
    if (static_cast<double>(neededBytes) <= kComfortable * static_cast<double>(availableBytes))
        return Fit::Fits;
    return neededBytes <= availableBytes ? Fit::Tight : Fit::TooBig;
}

Result<QStringList> findModelFiles(const QString& folder) {
    ALCOVE_ASSIGN_OR_RETURN(const Walk walked, walkFrom(folder));
    return walked.files;
}

Result<ModelRecord> readModelRecord(const QString& path) {
    const QFileInfo info(path);
    if (!info.exists())
        return Error{Errc::NotFound, path.toStdString() + " does not exist"};
    ALCOVE_ASSIGN_OR_RETURN(const ModelInfo facts, read_model_info(path.toStdString()));
    ModelRecord record = withoutFacts(path, facts.reason);
    if (!facts.name.empty())
        record.name = QString::fromStdString(facts.name);
    record.architecture = QString::fromStdString(facts.architecture);
    record.quantization = QString::fromStdString(facts.quantization);
    record.runnable = facts.runnable;
    record.contextTrained = facts.n_ctx_train;
    return record;
}

Result<ModelRecord> addModel(Database& database, const QString& path) {
    ALCOVE_ASSIGN_OR_RETURN(ModelRecord record, readModelRecord(path));
    record.addedByHand = true;
    return ModelStore(database).save(record);
}

Result<FolderScan> scanFolder(const QString& folder, const QVector<ModelRecord>& known) {
    QHash<QString, ModelRecord> byPath;
    for (const ModelRecord& record : known)
        byPath.insert(record.path, record);
    ALCOVE_ASSIGN_OR_RETURN(const Walk walked, walkFrom(folder));
    QStringList candidates = walked.files;
    for (const ModelRecord& record : known) // added in place: may have changed, too
        if (!candidates.contains(record.path) && QFileInfo::exists(record.path))
            candidates.append(record.path);
    FolderScan scan;
    scan.folders = walked.folders;
    for (const QString& path : std::as_const(candidates)) {
        const QFileInfo info(path);
        const auto old = byPath.constFind(path);
        // What could not run is read again: it may be complete now, or this program newer.
        if (old != byPath.cend() && old->runnable && old->fileBytes == info.size() &&
            old->modified == fileTime(info))
            continue;
        auto record = readModelRecord(path);
        scan.records.append(record ? *record : withoutFacts(path, record.error().message));
    }
    return scan;
}

Result<QVector<ModelRecord>> saveScan(Database& database, const QVector<ModelRecord>& records) {
    ModelStore models(database);
    for (const ModelRecord& record : records)
        ALCOVE_RETURN_IF_ERROR(models.save(record));
    return models.list();
}

QVector<LibraryModel> describeModels(const QVector<ModelRecord>& records,
                                     const SessionOptions& options, qint64 availableBytes,
                                     MemoryCache& cache) {
    QVector<LibraryModel> described;
    for (const ModelRecord& record : records) {
        LibraryModel model;
        model.record = record;
        model.away = !QFileInfo::exists(record.path);
        if (!model.away) {
            model.memoryNeeded = memoryNeed(record, options, cache);
            model.fit = fitOf(model.memoryNeeded, availableBytes);
            if (model.fit == Fit::TooBig)
                model.missingBytes = model.memoryNeeded - availableBytes;
        }
        described.append(model);
    }
    return described;
}

Result<QVector<LibraryModel>> syncLibrary(Database& database, const QString& folder,
                                          const SessionOptions& options) {
    ALCOVE_ASSIGN_OR_RETURN(const QVector<ModelRecord> known, ModelStore(database).list());
    ALCOVE_ASSIGN_OR_RETURN(const FolderScan scan, scanFolder(folder, known));
    ALCOVE_ASSIGN_OR_RETURN(const QVector<ModelRecord> all, saveScan(database, scan.records));
    MemoryCache cache;
    return describeModels(all, options, readMemoryFacts().systemAvailable, cache);
}

Result<QString> resolveModel(Database& database, const QString& nameOrPath) {
    if (const QFileInfo info(nameOrPath); info.isFile())
        return info.absoluteFilePath();
    ALCOVE_ASSIGN_OR_RETURN(const QVector<ModelRecord> models, ModelStore(database).list());
    QStringList names;
    for (const ModelRecord& model : models) {
        const QFileInfo info(model.path);
        for (const QString& name : {model.name, info.fileName(), info.completeBaseName()})
            if (name.compare(nameOrPath, Qt::CaseInsensitive) == 0)
                return model.path;
        names.append(model.name);
    }
    const std::string there =
        names.isEmpty() ? "the library is empty"
                        : "the library has: " + names.join(QStringLiteral(", ")).toStdString();
    return Error{Errc::NotFound,
                 "there is no file and no model named " + nameOrPath.toStdString() + "; " + there};
}

} // namespace alcove::app
