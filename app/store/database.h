#pragma once

#include "engine/result.h"

#include <QString>
#include <QVector>

#include <functional>
#include <memory>

namespace SQLite {
class Database;
}

namespace alcove::app {

/// One connection to the data folder's SQLite file. Used by the thread that opened it alone; every
/// thread that needs the data opens its own. WAL, foreign keys on, synchronous=FULL (a commit
/// survives a power cut), busy timeout 5 s.
class Database {
public:
    /// Opens `path`, creates it if it is absent and brings it to the newest schema (numbered
    /// migrations, each in one transaction that also sets user_version; the file is copied beside
    /// itself before the first of them). Fails with a sentence when the folder cannot be written
    /// (Errc::Io), the disk is full (Errc::Io) or the file is of a newer version of Alcove
    /// (Errc::Unsupported; it is left as it is). A damaged file is kept under another name, what
    /// can still be read of it is taken over into a fresh one, and notice() says so.
    static Result<std::unique_ptr<Database>> open(const QString& path);

    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    const QString& path() const { return m_path; }

    /// A sentence for the person about what happened while opening (a damaged file was set aside);
    /// empty: nothing.
    const QString& notice() const { return m_notice; }

    /// Version of the open file; equal to newestVersion() after open().
    int schemaVersion() const;
    static int newestVersion();

    /// Runs `body` in one transaction (BEGIN IMMEDIATE): committed if it returns a value, rolled
    /// back if it returns an Error or throws. Not nested.
    Status transaction(const std::function<Status()>& body);

    /// Sentences of PRAGMA integrity_check and foreign_key_check; empty: all is well.
    Result<QVector<QString>> checkIntegrity();

    /// A consistent copy of the whole database at `target`, written beside it and renamed; works
    /// while others write.
    Status backupTo(const QString& target);

    /// For the store classes only: SQL lives in app/store and nowhere else.
    SQLite::Database& handle() { return *m_database; }

private:
    explicit Database(QString path);
    static Result<std::unique_ptr<Database>> openOnce(const QString& path);
    Status configure();
    Status migrate();

    QString m_path;
    QString m_notice;
    std::unique_ptr<SQLite::Database> m_database;
};

/// Runs `body` and turns what SQLite throws into an Error: "action: what SQLite says", with
/// Errc::Io for a full disk or a locked or unreadable file and Errc::Format for a damaged one.
namespace detail {
Error databaseError(const char* action, const std::exception& exception);
}
template <class F> auto guarded(const char* action, F&& body) -> decltype(body()) {
    try {
        return body();
    } catch (const std::exception& exception) {
        return detail::databaseError(action, exception);
    }
}

} // namespace alcove::app
