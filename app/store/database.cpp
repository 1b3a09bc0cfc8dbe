#include "app/store/database.h"

#include "app/logging.h"
#include "app/store/salvage.h"
#include "app/store/sql.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <SQLiteCpp/Backup.h>
#include <sqlite3.h>

#include <mutex>

/// At global scope, as Qt's macro demands: a static library's resources are registered by hand.
static void registerMigrations() {
    Q_INIT_RESOURCE(migrations);
}

namespace alcove::app {

namespace {

constexpr int kBusyTimeoutMs = 5000;
constexpr int kApplicationId = 0x416c636f; // "Alco", as in the first migration
// A save of a growing answer rewrites one page in the write-ahead log; small pages keep that near
// the size of the text (340 saves of a 20 kB answer: 0.35 MB with 1 kB pages, 1.4 MB with the usual
// 4 kB).
constexpr int kPageBytes = 1024;
// Up to this size the whole file is checked at every start (well under 0.1 s); a larger one only
// after a crash.
constexpr qint64 kAlwaysCheckedBytes = 8'000'000;

struct Migration {
    int version = 0;
    QString path;
};

QVector<Migration> migrations() {
    static std::once_flag registered;
    std::call_once(registered, registerMigrations);
    QVector<Migration> found;
    const QDir folder(QStringLiteral(":/migrations"));
    for (const QString& name : folder.entryList({QStringLiteral("*.sql")}, QDir::Files, QDir::Name))
        found.append({name.left(4).toInt(), folder.filePath(name)});
    return found;
}

Error newerVersion(const QString& path, int found, int newest) {
    return {Errc::Unsupported, QStringLiteral("%1 was written by a newer Alcove: its database has "
                                              "version %2, this program reads up to %3")
                                   .arg(path)
                                   .arg(found)
                                   .arg(newest)
                                   .toStdString()};
}

/// Moves the damaged file and its companions to a name of their own.
Result<QString> setAside(const QString& path) {
    const QString stamp = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
    QString kept = path + QStringLiteral(".damaged-") + stamp;
    for (int n = 2; QFile::exists(kept); ++n)
        kept = path + QStringLiteral(".damaged-%1-%2").arg(stamp).arg(n);
    if (!QFile::rename(path, kept))
        return Error{Errc::Io, "The damaged database " + path.toStdString() +
                                   " cannot be renamed to " + kept.toStdString()};
    for (const char* suffix : {"-wal", "-shm"}) {
        const QString companion = path + QLatin1String(suffix);
        if (QFile::exists(companion) && !QFile::rename(companion, kept + QLatin1String(suffix)))
            return Error{Errc::Io, companion.toStdString() + " cannot be renamed beside " +
                                       kept.toStdString()};
    }
    return kept;
}

} // namespace

Error detail::databaseError(const char* action, const std::exception& exception) {
    Errc code = Errc::Internal;
    if (const auto* sqlite = dynamic_cast<const SQLite::Exception*>(&exception)) {
        switch (sqlite->getErrorCode()) {
        case SQLITE_FULL:
            return {Errc::Io, std::string(action) + " could not save: the disk is full"};
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return {Errc::Io,
                    std::string(action) + " is in use by another program for more than 5 seconds"};
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
            code = Errc::Format;
            break;
        case SQLITE_IOERR:
        case SQLITE_CANTOPEN:
        case SQLITE_READONLY:
        case SQLITE_PERM:
            code = Errc::Io;
            break;
        case SQLITE_NOMEM:
            code = Errc::Memory;
            break;
        default:
            break;
        }
    }
    return {code, std::string(action) + ": " + exception.what()};
}

Database::Database(QString path) : m_path(std::move(path)) {}
Database::~Database() = default;

int Database::newestVersion() {
    return migrations().constLast().version;
}

int Database::schemaVersion() const {
    return m_database->execAndGet("PRAGMA user_version").getInt();
}

Result<std::unique_ptr<Database>> Database::open(const QString& path) {
    auto first = openOnce(path);
    if (first || first.error().code != Errc::Format)
        return first;
    logWarning("store", QStringLiteral("the database is damaged and is set aside"));
    ALCOVE_ASSIGN_OR_RETURN(const QString kept, setAside(path));
    ALCOVE_ASSIGN_OR_RETURN(auto fresh, openOnce(path));
    const Salvaged salvaged = salvage(kept, *fresh);
    fresh->m_notice =
        QStringLiteral(
            "Some of your data could not be read. Alcove took over %1 of %2 conversations and "
            "kept the damaged file as %3")
            .arg(salvaged.conversations)
            .arg(salvaged.conversationsFound < 0 ? QStringLiteral("an unknown number of")
                                                 : QString::number(salvaged.conversationsFound))
            .arg(kept);
    return fresh;
}

Result<std::unique_ptr<Database>> Database::openOnce(const QString& path) {
    std::unique_ptr<Database> opened(new Database(path));
    const bool crashed = QFileInfo(path + QStringLiteral("-wal")).size() > 0;
    const QByteArray action = "The database " + path.toUtf8();
    ALCOVE_RETURN_IF_ERROR(guarded(action.constData(), [&]() -> Status {
        opened->m_database = std::make_unique<SQLite::Database>(
            path.toStdString(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, kBusyTimeoutMs);
        return opened->configure();
    }));
    return guarded(action.constData(), [&]() -> Result<std::unique_ptr<Database>> {
        SQLite::Database& database = opened->handle();
        const int version = opened->schemaVersion();
        const int newest = newestVersion();
        if (version > newest)
            return newerVersion(path, version, newest);
        const int applicationId = database.execAndGet("PRAGMA application_id").getInt();
        const int tables = database.execAndGet("SELECT count(*) FROM sqlite_schema").getInt();
        if (tables > 0 && applicationId != kApplicationId)
            return Error{Errc::Unsupported,
                         path.toStdString() + " is a database of another program"};
        if (version > 0 && (crashed || QFileInfo(path).size() <= kAlwaysCheckedBytes)) {
            const std::string verdict = database.execAndGet("PRAGMA quick_check(1)").getString();
            if (verdict != "ok")
                return Error{Errc::Format, action.toStdString() + " is damaged: " + verdict};
        }
        if (version < newest)
            ALCOVE_RETURN_IF_ERROR(opened->migrate());
        return std::move(opened);
    });
}

Status Database::configure() {
    SQLite::Database& database = *m_database;
    if (database.execAndGet("PRAGMA page_count").getInt() == 0)
        database.exec("PRAGMA page_size = " + std::to_string(kPageBytes));
    const std::string mode = database.execAndGet("PRAGMA journal_mode = WAL").getString();
    if (mode != "wal")
        return Error{Errc::Io,
                     m_path.toStdString() +
                         ": this disk does not allow a write-ahead log (journal mode is " + mode +
                         ")"};
    database.exec("PRAGMA synchronous = FULL");
    database.exec("PRAGMA foreign_keys = ON");
    return ok();
}

Status Database::migrate() {
    const int from = schemaVersion();
    if (from > 0)
        ALCOVE_RETURN_IF_ERROR(backupTo(m_path + QStringLiteral(".version-%1").arg(from)));
    m_database->exec("PRAGMA foreign_keys = OFF"); // no effect inside a transaction, so around it
    for (const Migration& migration : migrations()) {
        if (migration.version <= from)
            continue;
        QFile file(migration.path);
        ALCOVE_CHECK(file.open(QIODevice::ReadOnly), "migrations are part of the program");
        SQLite::Transaction transaction(*m_database, SQLite::TransactionBehavior::IMMEDIATE);
        // Another process may have migrated while this one waited for the lock.
        if (schemaVersion() >= migration.version)
            continue;
        m_database->exec(file.readAll().toStdString());
        if (SQLite::Statement(*m_database, "PRAGMA foreign_key_check").executeStep())
            return Error{Errc::Format, m_path.toStdString() +
                                           ": references between rows are broken after migration " +
                                           std::to_string(migration.version)};
        m_database->exec("PRAGMA user_version = " + std::to_string(migration.version));
        transaction.commit();
    }
    m_database->exec("PRAGMA foreign_keys = ON");
    logInfo(
        "store",
        QStringLiteral("database migrated from version %1 to %2").arg(from).arg(schemaVersion()));
    return ok();
}

Status Database::transaction(const std::function<Status()>& body) {
    return guarded("The database", [&]() -> Status {
        SQLite::Transaction transaction(*m_database, SQLite::TransactionBehavior::IMMEDIATE);
        Status done = body();
        if (done)
            transaction.commit();
        return done;
    });
}

Result<QVector<QString>> Database::checkIntegrity() {
    return guarded("The integrity check", [&]() -> Result<QVector<QString>> {
        QVector<QString> findings;
        SQLite::Statement integrity(*m_database, "PRAGMA integrity_check");
        while (integrity.executeStep())
            if (const QString line = sql::text(integrity.getColumn(0)); line != QLatin1String("ok"))
                findings.append(line);
        SQLite::Statement references(*m_database, "PRAGMA foreign_key_check");
        while (references.executeStep())
            findings.append(
                QStringLiteral("row %1 of %2 refers to a row of %3 that is not there")
                    .arg(sql::integer(references.getColumn(1)))
                    .arg(sql::text(references.getColumn(0)), sql::text(references.getColumn(2))));
        return findings;
    });
}

Status Database::backupTo(const QString& target) {
    const QString part = target + QStringLiteral(".part");
    QFile::remove(part);
    ALCOVE_RETURN_IF_ERROR(guarded("The copy of the database", [&]() -> Status {
        SQLite::Database copy(part.toStdString(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        SQLite::Backup backup(copy, *m_database);
        backup.executeStep(-1);
        return ok();
    }));
    QFile::remove(target);
    if (!QFile::rename(part, target))
        return Error{Errc::Io,
                     "The copy of the database cannot be renamed to " + target.toStdString()};
    return ok();
}

} // namespace alcove::app
