#include "app/store/model_store.h"

#include "app/store/sql.h"

namespace alcove::app {

namespace {

// The columns of readModel(), in its order.
#define MODEL_SELECT                                                                               \
    "SELECT id, path, name, architecture, quantization, file_bytes, context_trained, sha256, "     \
    "runnable, reason, "                                                                           \
    "added_by_hand, load_crashed, added, used, modified FROM model "

ModelRecord readModel(SQLite::Statement& row) {
    ModelRecord m;
    m.id = sql::integer(row.getColumn(0));
    m.path = sql::text(row.getColumn(1));
    m.name = sql::text(row.getColumn(2));
    m.architecture = sql::text(row.getColumn(3));
    m.quantization = sql::text(row.getColumn(4));
    m.fileBytes = sql::integer(row.getColumn(5));
    m.contextTrained = row.getColumn(6).getInt();
    m.sha256 = sql::text(row.getColumn(7));
    m.runnable = row.getColumn(8).getInt() != 0;
    m.reason = sql::text(row.getColumn(9));
    m.addedByHand = row.getColumn(10).getInt() != 0;
    m.loadCrashed = row.getColumn(11).getInt() != 0;
    m.added = sql::time(row.getColumn(12));
    m.used = sql::time(row.getColumn(13));
    m.modified = sql::time(row.getColumn(14));
    return m;
}

QVector<ModelRecord> readAll(SQLite::Statement& rows) {
    QVector<ModelRecord> all;
    while (rows.executeStep())
        all.append(readModel(rows));
    return all;
}

template <class... Values>
Status change(Database& database, RowId id, const char* action, const char* text,
              const Values&... values) {
    return guarded(action, [&]() -> Status {
        if (sql::execute(database.handle(), text, values..., id) == 0)
            return sql::notFound("Model", id);
        return ok();
    });
}

} // namespace

Result<QVector<ModelRecord>> ModelStore::list() {
    return guarded("The list of models", [&]() -> Result<QVector<ModelRecord>> {
        auto rows = sql::prepare(m_database.handle(), MODEL_SELECT
                                 "WHERE forgotten = 0 ORDER BY name COLLATE NOCASE, path");
        return readAll(rows);
    });
}

Result<ModelRecord> ModelStore::get(RowId id) {
    return guarded("The model", [&]() -> Result<ModelRecord> {
        auto row = sql::prepare(m_database.handle(), MODEL_SELECT "WHERE id = ?", id);
        if (!row.executeStep())
            return sql::notFound("Model", id);
        return readModel(row);
    });
}

Result<ModelRecord> ModelStore::findByPath(const QString& path) {
    return guarded("The model", [&]() -> Result<ModelRecord> {
        auto row = sql::prepare(m_database.handle(), MODEL_SELECT "WHERE path = ?", path);
        if (!row.executeStep())
            return Error{Errc::NotFound, path.toStdString() + " is not in the list of models"};
        return readModel(row);
    });
}

Result<ModelRecord> ModelStore::save(const ModelRecord& m) {
    ALCOVE_RETURN_IF_ERROR(guarded("The model", [&]() -> Status {
        sql::execute(
            m_database.handle(),
            "INSERT INTO model (path, name, architecture, quantization, file_bytes, "
            "context_trained, sha256, "
            "runnable, reason, added_by_hand, added, modified) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, "
            "?, ?, ?) "
            "ON CONFLICT (path) DO UPDATE SET name = excluded.name, architecture = "
            "excluded.architecture, "
            "quantization = excluded.quantization, context_trained = excluded.context_trained, "
            "runnable = excluded.runnable, reason = excluded.reason, "
            "sha256 = CASE WHEN excluded.sha256 <> '' THEN excluded.sha256 "
            " WHEN file_bytes = excluded.file_bytes AND modified IS excluded.modified THEN sha256 "
            "ELSE '' END, "
            // Another file at this path deserves another try.
            "load_crashed = CASE WHEN file_bytes = excluded.file_bytes AND modified IS "
            "excluded.modified "
            " THEN load_crashed ELSE 0 END, "
            "file_bytes = excluded.file_bytes, modified = excluded.modified, "
            "forgotten = CASE WHEN excluded.added_by_hand THEN 0 ELSE forgotten END, "
            "added_by_hand = max(added_by_hand, excluded.added_by_hand)",
            m.path, m.name, m.architecture, m.quantization, m.fileBytes, m.contextTrained, m.sha256,
            m.runnable, m.reason, m.addedByHand, sql::now(), m.modified);
        return ok();
    }));
    return findByPath(m.path);
}

Status ModelStore::forget(RowId id) {
    return change(m_database, id, "Forgetting the model",
                  "UPDATE model SET forgotten = 1, added_by_hand = 0 WHERE id = ?");
}

Status ModelStore::setSha256(RowId id, const QString& sha256) {
    return change(m_database, id, "The model's checksum",
                  "UPDATE model SET sha256 = ? WHERE id = ?", sha256);
}

Status ModelStore::markUsed(RowId id) {
    return change(m_database, id, "The model", "UPDATE model SET used = ? WHERE id = ?",
                  sql::now());
}

Status ModelStore::beginLoading(RowId id) {
    return change(m_database, id, "The model", "UPDATE model SET loading = 1 WHERE id = ?");
}

Status ModelStore::endLoading(RowId id) {
    return change(m_database, id, "The model",
                  "UPDATE model SET loading = 0, load_crashed = 0 WHERE id = ?");
}

Result<QVector<ModelRecord>> ModelStore::takeCrashedLoads() {
    QVector<ModelRecord> crashed;
    ALCOVE_RETURN_IF_ERROR(m_database.transaction([&]() -> Status {
        SQLite::Database& database = m_database.handle();
        sql::execute(database, "UPDATE model SET load_crashed = 1 WHERE loading = 1");
        auto rows = sql::prepare(database, MODEL_SELECT "WHERE loading = 1 ORDER BY id");
        crashed = readAll(rows);
        rows.reset();
        sql::execute(database, "UPDATE model SET loading = 0 WHERE loading = 1");
        return ok();
    }));
    return crashed;
}

Status ModelStore::clearCrashed(RowId id) {
    return change(m_database, id, "The model", "UPDATE model SET load_crashed = 0 WHERE id = ?");
}

} // namespace alcove::app
