#include "app/store/adapter_store.h"

#include "app/store/sql.h"

#include <QJsonArray>
#include <QJsonDocument>

namespace alcove::app {

namespace {

// The columns of readAdapter(), in its order.
#define ADAPTER_COLUMNS                                                                            \
    "a.id, a.path, a.sha256, a.bytes, a.name, a.kind, a.architecture, a.base_name, "               \
    "a.base_sha256, a.rank_min, a.rank_max, a.alpha, a.parameters, a.targets, a.warnings, "        \
    "a.default_scale, a.note, a.added, a.used "

QString compact(const QJsonDocument& document) {
    return QString::fromUtf8(document.toJson(QJsonDocument::Compact));
}

AdapterRecord readAdapter(SQLite::Statement& row) {
    AdapterRecord a;
    int column = 0;
    a.id = sql::integer(row.getColumn(column++));
    a.path = sql::text(row.getColumn(column++));
    a.sha256 = sql::text(row.getColumn(column++));
    a.bytes = sql::integer(row.getColumn(column++));
    a.name = sql::text(row.getColumn(column++));
    a.kind = sql::text(row.getColumn(column++));
    a.architecture = sql::text(row.getColumn(column++));
    a.baseName = sql::text(row.getColumn(column++));
    a.baseSha256 = sql::text(row.getColumn(column++));
    a.rankMin = row.getColumn(column++).getInt();
    a.rankMax = row.getColumn(column++).getInt();
    const SQLite::Column alpha = row.getColumn(column++);
    if (!alpha.isNull())
        a.alpha = alpha.getDouble();
    a.parameters = sql::integer(row.getColumn(column++));
    a.targets = QJsonDocument::fromJson(sql::text(row.getColumn(column++)).toUtf8()).object();
    const auto warnings = QJsonDocument::fromJson(sql::text(row.getColumn(column++)).toUtf8());
    for (const auto& warning : warnings.array())
        a.warnings.append(warning.toString());
    a.defaultScale = row.getColumn(column++).getDouble();
    a.note = sql::text(row.getColumn(column++));
    a.added = sql::time(row.getColumn(column++));
    a.used = sql::time(row.getColumn(column++));
    return a;
}

void insertOrUpdate(SQLite::Database& database, const AdapterRecord& a) {
    SQLite::Statement statement = sql::prepare(
        database,
        "INSERT INTO adapter (path, sha256, bytes, name, kind, architecture, base_name, "
        "base_sha256, rank_min, rank_max, parameters, targets, warnings, default_scale, note, "
        "added, alpha) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (sha256) DO UPDATE SET path = excluded.path, bytes = excluded.bytes, "
        "name = excluded.name, kind = excluded.kind, architecture = excluded.architecture, "
        "base_name = excluded.base_name, rank_min = excluded.rank_min, "
        "rank_max = excluded.rank_max, parameters = excluded.parameters, "
        "targets = excluded.targets, warnings = excluded.warnings, alpha = excluded.alpha, "
        "base_sha256 = CASE WHEN excluded.base_sha256 <> '' THEN excluded.base_sha256 "
        " ELSE base_sha256 END, forgotten = 0",
        a.path, a.sha256, a.bytes, a.name, a.kind, a.architecture, a.baseName, a.baseSha256,
        a.rankMin, a.rankMax, a.parameters, compact(QJsonDocument(a.targets)),
        compact(QJsonDocument(QJsonArray::fromStringList(a.warnings))), a.defaultScale, a.note,
        sql::now());
    constexpr int kAlpha = 17;
    if (a.alpha)
        statement.bind(kAlpha, *a.alpha);
    else
        statement.bind(kAlpha);
    statement.exec();
}

} // namespace

Result<QVector<AdapterRecord>> AdapterStore::list() {
    return guarded("The list of adapters", [&]() -> Result<QVector<AdapterRecord>> {
        auto rows = sql::prepare(m_database.handle(),
                                 "SELECT " ADAPTER_COLUMNS "FROM adapter a WHERE a.forgotten = 0 "
                                 "ORDER BY a.name COLLATE NOCASE, a.path");
        QVector<AdapterRecord> all;
        while (rows.executeStep())
            all.append(readAdapter(rows));
        return all;
    });
}

Result<AdapterRecord> AdapterStore::get(RowId id) {
    return guarded("The adapter", [&]() -> Result<AdapterRecord> {
        auto row = sql::prepare(m_database.handle(),
                                "SELECT " ADAPTER_COLUMNS "FROM adapter a WHERE a.id = ?", id);
        if (!row.executeStep())
            return sql::notFound("Adapter", id);
        return readAdapter(row);
    });
}

Result<AdapterRecord> AdapterStore::findBySha256(const QString& sha256) {
    return guarded("The adapter", [&]() -> Result<AdapterRecord> {
        auto row =
            sql::prepare(m_database.handle(),
                         "SELECT " ADAPTER_COLUMNS "FROM adapter a WHERE a.sha256 = ?", sha256);
        if (!row.executeStep())
            return Error{Errc::NotFound, "this adapter is not in the list"};
        return readAdapter(row);
    });
}

Result<AdapterRecord> AdapterStore::save(const AdapterRecord& record) {
    ALCOVE_RETURN_IF_ERROR(guarded("The adapter", [&]() -> Status {
        insertOrUpdate(m_database.handle(), record);
        return ok();
    }));
    return findBySha256(record.sha256);
}

Status AdapterStore::forget(RowId id) {
    return m_database.transaction([&]() -> Status {
        SQLite::Database& database = m_database.handle();
        sql::execute(database, "DELETE FROM conversation_adapter WHERE adapter_id = ?", id);
        if (sql::execute(database, "UPDATE adapter SET forgotten = 1 WHERE id = ?", id) == 0)
            return sql::notFound("Adapter", id);
        return ok();
    });
}

Status AdapterStore::setDefaultScale(RowId id, double scale) {
    return guarded("The adapter's strength", [&]() -> Status {
        if (sql::execute(m_database.handle(), "UPDATE adapter SET default_scale = ? WHERE id = ?",
                         scale, id) == 0)
            return sql::notFound("Adapter", id);
        return ok();
    });
}

Status AdapterStore::markUsed(const QVector<RowId>& ids) {
    return guarded("The adapter", [&]() -> Status {
        for (const RowId id : ids)
            sql::execute(m_database.handle(), "UPDATE adapter SET used = ? WHERE id = ?",
                         sql::now(), id);
        return ok();
    });
}

Result<QVector<AdapterChoice>> AdapterStore::chosen(RowId conversationId) {
    return guarded("The adapters of the conversation", [&]() -> Result<QVector<AdapterChoice>> {
        auto rows = sql::prepare(m_database.handle(),
                                 "SELECT " ADAPTER_COLUMNS ", c.scale FROM conversation_adapter c "
                                 "JOIN adapter a ON a.id = c.adapter_id "
                                 "WHERE c.conversation_id = ? ORDER BY a.id",
                                 conversationId);
        QVector<AdapterChoice> all;
        while (rows.executeStep()) {
            constexpr int kScale = 19; // after the adapter's columns
            all.append({readAdapter(rows), rows.getColumn(kScale).getDouble()});
        }
        return all;
    });
}

Status AdapterStore::choose(RowId conversationId, const QVector<AdapterChoice>& choices) {
    return m_database.transaction([&]() -> Status {
        SQLite::Database& database = m_database.handle();
        sql::execute(database, "DELETE FROM conversation_adapter WHERE conversation_id = ?",
                     conversationId);
        for (const AdapterChoice& choice : choices)
            sql::execute(database,
                         "INSERT INTO conversation_adapter (conversation_id, adapter_id, scale) "
                         "VALUES (?, ?, ?)",
                         conversationId, choice.adapter.id, choice.scale);
        return ok();
    });
}

} // namespace alcove::app
