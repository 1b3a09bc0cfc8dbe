#pragma once

#include "app/store/database.h"
#include "app/store/records.h"

namespace alcove::app {

/// The table `model`: files that were found or added, by path. A row stays when its file is away.
class ModelStore {
public:
    explicit ModelStore(Database& database) : m_database(database) {}

    /// By name, then path. Forgotten rows are not in it.
    Result<QVector<ModelRecord>> list();
    Result<ModelRecord> get(RowId id); ///< Errc::NotFound if there is none
    Result<ModelRecord> findByPath(const QString& path);

    /// Inserts or updates the row of `record.path`; gives the row as stored. Keeps `added`, `used`,
    /// `addedByHand` of an existing row (addedByHand is only ever set), and its hash while size and
    /// time of the file are the same. A forgotten row comes back only if `record.addedByHand`.
    Result<ModelRecord> save(const ModelRecord& record);
    /// Leaves the list; the file is not touched and a scan does not bring it back.
    Status forget(RowId id);
    Status setSha256(RowId id, const QString& sha256);
    Status markUsed(RowId id);

    /// Around a load: a mark that is still there at the next start means that the program ended
    /// while loading.
    Status beginLoading(RowId id);
    Status endLoading(RowId id);
    /// At start: turns marks left over into loadCrashed. Gives the models concerned.
    Result<QVector<ModelRecord>> takeCrashedLoads();
    /// The person wants to try again.
    Status clearCrashed(RowId id);

private:
    Database& m_database;
};

} // namespace alcove::app
