#include "app/library/adapter_library.h"

#include "app/store/adapter_store.h"

#include <QDir>
#include <QFileInfo>

namespace alcove::app {

namespace {

QStringList toStrings(const std::vector<std::string>& list) {
    QStringList strings;
    for (const std::string& each : list)
        strings.append(QString::fromStdString(each));
    return strings;
}

AdapterRecord recordOf(const AdapterInfo& info) {
    AdapterRecord record;
    record.path = QFileInfo(QString::fromStdString(info.path.string())).absoluteFilePath();
    record.sha256 = QString::fromStdString(info.sha256);
    record.name = QString::fromStdString(info.name);
    record.kind = QString::fromLatin1(adapter_kind_name(info.kind));
    record.architecture = QString::fromStdString(info.architecture);
    record.baseName = QString::fromStdString(info.base_name);
    record.bytes = static_cast<qint64>(info.bytes);
    record.parameters = static_cast<qint64>(info.n_params);
    record.rankMin = info.rank_min;
    record.rankMax = info.rank_max;
    record.alpha = info.alpha;
    for (const AdapterTarget& target : info.targets)
        record.targets[QString::fromStdString(target.name)] = target.n_pairs;
    record.warnings = toStrings(info.warnings);
    return record;
}

bool mayBeAdapter(const QFileInfo& entry) {
    return entry.isDir()
               ? QFileInfo(entry.filePath() + QStringLiteral("/adapter_config.json")).isFile()
               : entry.suffix() == QLatin1String("gguf") ||
                     entry.suffix() == QLatin1String("safetensors");
}

/// A cheap test before a file is read and hashed.
bool hasSize(const QFileInfo& entry, qint64 bytes) {
    const QString folder = entry.isDir() ? entry.filePath() : entry.path();
    const qint64 config = QFileInfo(folder + QStringLiteral("/adapter_config.json")).size();
    if (entry.isDir())
        return QFileInfo(folder + QStringLiteral("/adapter_model.safetensors")).size() + config ==
               bytes;
    return entry.size() == bytes ||
           (entry.suffix() == QLatin1String("safetensors") && entry.size() + config == bytes);
}

} // namespace

bool isAdapterFile(const QString& path) {
    return is_adapter_file(path.toStdString());
}

Result<AdapterRecord> readAdapterRecord(const QString& path, std::stop_token stop) {
    ALCOVE_ASSIGN_OR_RETURN(
        const AdapterInfo info,
        read_adapter_info(path.toStdString(), AdapterOptions{}, std::move(stop)));
    return recordOf(info);
}

Result<AdapterRecord> addAdapter(Database& database, const QString& path) {
    ALCOVE_ASSIGN_OR_RETURN(const AdapterRecord record, readAdapterRecord(path));
    return AdapterStore(database).save(record);
}

AdapterOptions adapterOptions(const AdapterRecord& record, const QString& modelSha256) {
    AdapterOptions options;
    options.expected_bytes = static_cast<std::uint64_t>(record.bytes);
    options.expected_sha256 = record.sha256.toStdString();
    options.bound_base_sha256 = record.baseSha256.toStdString();
    options.base_sha256 = modelSha256.toStdString();
    return options;
}

AdapterFit checkFit(const AdapterRecord& record, const QString& modelPath,
                    const QString& modelSha256, std::stop_token stop) {
    AdapterFit fit;
    fit.away = !QFileInfo::exists(record.path);
    auto checked = check_adapter(record.path.toStdString(), modelPath.toStdString(),
                                 adapterOptions(record, modelSha256), std::move(stop));
    fit.fits = checked.has_value();
    if (checked)
        fit.info = std::move(*checked);
    else
        fit.reason = QString::fromStdString(checked.error().message);
    return fit;
}

Result<AdapterRecord> resolveAdapter(Database& database, const QString& name) {
    ALCOVE_ASSIGN_OR_RETURN(const QVector<AdapterRecord> adapters, AdapterStore(database).list());
    QStringList names;
    for (const AdapterRecord& adapter : adapters) {
        const QFileInfo info(adapter.path);
        for (const QString& each : {adapter.name, info.fileName(), info.completeBaseName()})
            if (each.compare(name, Qt::CaseInsensitive) == 0)
                return adapter;
        names.append(adapter.name);
    }
    const std::string there = names.isEmpty()
                                  ? "none is registered"
                                  : "there are: " + names.join(QStringLiteral(", ")).toStdString();
    return Error{Errc::NotFound,
                 "there is no file and no adapter named " + name.toStdString() + "; " + there};
}

QString findMovedAdapter(const AdapterRecord& record, const QStringList& folders) {
    QStringList places = folders;
    places.prepend(QFileInfo(record.path).absolutePath());
    places.removeDuplicates();
    for (const QString& place : std::as_const(places)) {
        const auto entries =
            QDir(place).entryInfoList(QDir::Files | QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name);
        for (const QFileInfo& entry : entries) {
            if (!mayBeAdapter(entry) || !hasSize(entry, record.bytes))
                continue;
            const auto read = readAdapterRecord(entry.absoluteFilePath());
            if (read && read->sha256 == record.sha256)
                return read->path;
        }
    }
    return {};
}

Result<QVector<AdapterRecord>> syncAdapters(Database& database, const QStringList& folders) {
    AdapterStore store(database);
    ALCOVE_ASSIGN_OR_RETURN(QVector<AdapterRecord> adapters, store.list());
    for (AdapterRecord& adapter : adapters) {
        if (QFileInfo::exists(adapter.path))
            continue;
        const QString found = findMovedAdapter(adapter, folders);
        if (found.isEmpty())
            continue;
        adapter.path = found;
        ALCOVE_ASSIGN_OR_RETURN(adapter, store.save(adapter));
    }
    return adapters;
}

} // namespace alcove::app
