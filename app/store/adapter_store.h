#pragma once

#include "app/store/database.h"
#include "app/store/records.h"

namespace alcove::app {

/// The tables `adapter` and `conversation_adapter`. An adapter is known by its hash, so a moved
/// file is found again when it is added at its new place; its row keeps strength and note.
class AdapterStore {
public:
    explicit AdapterStore(Database& database) : m_database(database) {}

    /// By name, then path. Forgotten rows are not in it.
    Result<QVector<AdapterRecord>> list();
    Result<AdapterRecord> get(RowId id); ///< Errc::NotFound if there is none
    Result<AdapterRecord> findBySha256(const QString& sha256);

    /// Inserts the row, or updates the one with the same hash: path and facts are the record's;
    /// strength, note, dates and the base that it is bound to stay (a new base_sha256 is taken).
    Result<AdapterRecord> save(const AdapterRecord& record);
    /// Leaves the list and every conversation; the file is not touched.
    Status forget(RowId id);
    Status setDefaultScale(RowId id, double scale);
    Status markUsed(const QVector<RowId>& ids);

    /// What a conversation uses, in the order of adding.
    Result<QVector<AdapterChoice>> chosen(RowId conversationId);
    Status choose(RowId conversationId, const QVector<AdapterChoice>& choices);

private:
    Database& m_database;
};

} // namespace alcove::app
