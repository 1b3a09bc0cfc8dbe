#include "app/store/database.h"

#include "app/store/conversation_store.h"
#include "app/store/message_store.h"
#include "app/store/model_store.h"
#include "app/store/settings.h"
#include "app/store/store_thread.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <SQLiteCpp/SQLiteCpp.h>

using namespace alcove;
using namespace alcove::app;

namespace {

QByteArray schemaOf(Database& database) {
    QByteArray all;
    SQLite::Statement rows(
        database.handle(),
        "SELECT type || ' ' || name || ': ' || coalesce(sql, '') FROM sqlite_schema ORDER BY 1");
    while (rows.executeStep())
        all += QByteArray::fromStdString(rows.getColumn(0).getString()) + '\n';
    return all;
}

QByteArray sentence(const Error& error) {
    return QByteArray::fromStdString(error.message);
}

/// Makes a database with `count` answered conversations and closes it.
void fill(const QString& path, int count) {
    auto database = Database::open(path);
    QVERIFY2(database, sentence(database ? Error{} : database.error()));
    MessageStore messages(**database);
    for (int i = 0; i < count; ++i) {
        const auto added = messages.addQuestion(0, 0, QStringLiteral("question number %1").arg(i));
        QVERIFY(added);
        QVERIFY(messages.finishAnswer(added->answer.id, QStringLiteral("answer ").repeated(200),
                                      MessageState::Complete, {}));
    }
    (*database)->handle().exec("PRAGMA wal_checkpoint(TRUNCATE)");
}

void overwrite(const QString& path, qint64 from, qint64 bytes) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadWrite));
    QVERIFY(file.seek(from));
    file.write(QByteArray(static_cast<qsizetype>(bytes), '\x5a'));
}

} // namespace

class DatabaseTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void freshFileHasTheNewestVersionAndIsSound() {
        auto database = Database::open(path());
        QVERIFY2(database, sentence(database ? Error{} : database.error()));
        QCOMPARE((*database)->schemaVersion(), Database::newestVersion());
        QVERIFY((*database)->checkIntegrity()->isEmpty());
        QVERIFY((*database)->notice().isEmpty());
        SQLite::Database& handle = (*database)->handle();
        QCOMPARE(QByteArray::fromStdString(handle.execAndGet("PRAGMA journal_mode").getString()),
                 QByteArray("wal"));
        QCOMPARE(handle.execAndGet("PRAGMA foreign_keys").getInt(), 1);
        QCOMPARE(handle.execAndGet("PRAGMA synchronous").getInt(), 2);
        QCOMPARE(handle.execAndGet("PRAGMA busy_timeout").getInt(), 5000);
    }

    void everyEarlierVersionMigratesToTheFreshSchema() {
        auto fresh = Database::open(path());
        QVERIFY(fresh);
        const QDir saved(QStringLiteral(ALCOVE_TEST_DATA "/store"));
        const QStringList names = saved.entryList({QStringLiteral("version-*.db")});
        QCOMPARE(names.size(), Database::newestVersion()); // one kept file per version
        for (const QString& name : names) {
            const QString copy = m_folder->filePath(name);
            QVERIFY(QFile::copy(saved.filePath(name), copy));
            QFile::setPermissions(copy, QFile::ReadOwner | QFile::WriteOwner);
            auto migrated = Database::open(copy);
            QVERIFY2(migrated, sentence(migrated ? Error{} : migrated.error()));
            QVERIFY((*migrated)->notice().isEmpty());
            QCOMPARE(schemaOf(**migrated), schemaOf(**fresh));
            QVERIFY((*migrated)->checkIntegrity()->isEmpty());
            // The rows are there, and the answer of a run that ended is taken up.
            MessageStore messages(**migrated);
            QCOMPARE(messages.markInterrupted().value(), 1);
            const auto conversation = ConversationStore(**migrated).get(1);
            QCOMPARE(conversation->title, QStringLiteral("B-trees"));
            QCOMPARE(conversation->draft, QStringLiteral("and then"));
            const auto path = messages.path(conversation->leafId);
            QCOMPARE(path->size(), 2);
            QCOMPARE(path->at(1).text, QStringLiteral("Imagine a shelf"));
            QCOMPARE(path->at(1).state, MessageState::Interrupted);
            QCOMPARE(messages.get(2)->facts->seed, 42U);
        }
    }

    void newerVersionIsRefusedAndLeftAlone() {
        fill(path(), 1);
        {
            SQLite::Database(path().toStdString(), SQLite::OPEN_READWRITE)
                .exec("PRAGMA user_version = 99");
        }
        const auto opened = Database::open(path());
        QVERIFY(!opened);
        QCOMPARE(opened.error().code, Errc::Unsupported);
        QVERIFY2(sentence(opened.error()).contains("version 99"), sentence(opened.error()));
        SQLite::Database raw(path().toStdString());
        QCOMPARE(raw.execAndGet("SELECT count(*) FROM message").getInt(), 2);
    }

    void anotherProgramsDatabaseIsRefused() {
        {
            SQLite::Database raw(path().toStdString(),
                                 SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
            raw.exec("CREATE TABLE theirs (x)");
        }
        const auto opened = Database::open(path());
        QVERIFY(!opened);
        QCOMPARE(opened.error().code, Errc::Unsupported);
    }

    void folderThatCannotBeWrittenGivesASentence() {
        const auto opened =
            Database::open(m_folder->filePath(QStringLiteral("absent/deeper/alcove.db")));
        QVERIFY(!opened);
        QCOMPARE(opened.error().code, Errc::Io);
        QVERIFY(sentence(opened.error()).contains("absent"));
    }

    void fileThatIsNoDatabaseIsKeptAndAFreshOneBegun() {
        {
            QFile file(path());
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(QByteArray("this is no database at all. ").repeated(100));
        }
        auto opened = Database::open(path());
        QVERIFY2(opened, sentence(opened ? Error{} : opened.error()));
        QVERIFY((*opened)->notice().contains(QStringLiteral(".damaged-")));
        const QStringList kept = QDir(m_folder->path()).entryList({QStringLiteral("*.damaged-*")});
        QCOMPARE(kept.size(), 1);
        QCOMPARE(QFileInfo(m_folder->filePath(kept[0])).size(), 2800);
        QVERIFY((*opened)->checkIntegrity()->isEmpty());
    }

    void damagedPagesLoseLittleAndTheRestIsTakenOver() {
        fill(path(), 200);
        const qint64 size = QFileInfo(path()).size();
        overwrite(path(), size / 2, 4096);
        auto opened = Database::open(path());
        QVERIFY2(opened, sentence(opened ? Error{} : opened.error()));
        QVERIFY(!(*opened)->notice().isEmpty());
        const auto findings = (*opened)->checkIntegrity();
        QVERIFY2(findings->isEmpty(), qPrintable(findings->join(QLatin1Char('\n'))));
        const qint64 left = ConversationStore(**opened).count().value();
        QVERIFY2(left > 100, qPrintable(QString::number(left)));
        // What is left can be used.
        const auto list = ConversationStore(**opened).list({}, 5);
        QVERIFY(MessageStore(**opened).path(list->at(0).leafId));
        QVERIFY(MessageStore(**opened).addQuestion(0, 0, QStringLiteral("still works")));
    }

    void fullDiskGivesASentenceAndChangesNothing() {
        auto database = Database::open(path());
        QVERIFY(database);
        ConversationStore conversations(**database);
        const auto conversation = conversations.create();
        QVERIFY(conversations.saveDraft(conversation->id, QStringLiteral("a draft"), 7));
        SQLite::Database& handle = (*database)->handle();
        const int pages = handle.execAndGet("PRAGMA page_count").getInt();
        handle.exec("PRAGMA max_page_count = " + std::to_string(pages));
        MessageStore messages(**database);
        const auto added =
            messages.addQuestion(conversation->id, 0, QStringLiteral("long ").repeated(20000));
        QVERIFY(!added);
        QCOMPARE(added.error().code, Errc::Io);
        QVERIFY2(sentence(added.error()).contains("full"), sentence(added.error()));
        QCOMPARE(conversations.get(conversation->id)->draft, QStringLiteral("a draft"));
        QCOMPARE(messages.count(conversation->id).value(), 0);
        handle.exec("PRAGMA max_page_count = 1000000");
        QVERIFY(messages.addQuestion(conversation->id, 0, QStringLiteral("long ").repeated(20000)));
        QVERIFY((*database)->checkIntegrity()->isEmpty());
    }

    void twoConnectionsWorkSideBySide() {
        auto first = Database::open(path());
        auto second = Database::open(path());
        QVERIFY(first && second);
        QVERIFY(MessageStore(**first).addQuestion(0, 0, QStringLiteral("from the window")));
        QVERIFY(MessageStore(**second).addQuestion(0, 0, QStringLiteral("from the terminal")));
        QCOMPARE(ConversationStore(**first).count().value(), 2);
    }

    void backupIsACompleteDatabase() {
        fill(path(), 3);
        auto database = Database::open(path());
        const QString copy = m_folder->filePath(QStringLiteral("copy.db"));
        QVERIFY((*database)->backupTo(copy));
        auto opened = Database::open(copy);
        QVERIFY(opened);
        QCOMPARE(ConversationStore(**opened).count().value(), 3);
        QVERIFY(!QFile::exists(copy + QStringLiteral(".part")));
    }

    void settingsFallBackWhenUnreadable() {
        auto database = Database::open(path());
        SettingsStore store(**database);
        QCOMPARE(store.get(settings::kThreads).value(), 0);
        QVERIFY(store.set(settings::kThreads, 3));
        QCOMPARE(store.get(settings::kThreads).value(), 3);
        const Status refused = store.set(settings::kThreads, 1000);
        QVERIFY(!refused);
        QVERIFY2(sentence(refused.error()).contains("1000"), sentence(refused.error()));
        QVERIFY(store.setRaw(QStringLiteral("engine/threads"), QStringLiteral("many")));
        QCOMPARE(store.get(settings::kThreads).value(), 0);
        QVERIFY(store.setRaw(QStringLiteral("engine/threads"), QStringLiteral("-5")));
        QCOMPARE(store.get(settings::kThreads).value(), 0);
        QCOMPARE(store.get(settings::kTheme).value(), QStringLiteral("system"));
        QVERIFY(store.set(settings::kTheme, QStringLiteral("dark")));
        QCOMPARE(store.get(settings::kTheme).value(), QStringLiteral("dark"));
        QVERIFY(store.set(settings::kTemperature, 0.7));
        QCOMPARE(store.get(settings::kTemperature).value(), 0.7);
        QVERIFY(store.set(settings::kEnterSends, false));
        QCOMPARE(store.get(settings::kEnterSends).value(), false);
        QVERIFY(store.reset(settings::kEnterSends.key));
        QCOMPARE(store.get(settings::kEnterSends).value(), true);
    }

    void modelsKeepTheirHistoryAndForgottenOnesStayAway() {
        auto database = Database::open(path());
        ModelStore models(**database);
        ModelRecord record;
        record.path = QStringLiteral("/models/a.gguf");
        record.name = QStringLiteral("A");
        record.fileBytes = 10;
        record.runnable = true;
        const auto saved = models.save(record);
        QVERIFY(saved);
        QVERIFY(models.setSha256(saved->id, QStringLiteral("abc")));
        QVERIFY(models.markUsed(saved->id));
        QCOMPARE(models.save(record)->sha256, QStringLiteral("abc"));
        record.fileBytes = 11; // another file: the checksum is not its own
        QCOMPARE(models.save(record)->sha256, QString());
        QVERIFY(models.get(saved->id)->used.isValid());
        QVERIFY(models.forget(saved->id));
        QVERIFY(models.save(record));
        QVERIFY(models.list()->isEmpty());
        record.addedByHand = true;
        QVERIFY(models.save(record));
        QCOMPARE(models.list()->size(), 1);
        QCOMPARE(models.get(12345).error().code, Errc::NotFound);
    }

    void loadThatEndedTheProgramIsRemembered() {
        RowId id = 0;
        {
            auto database = Database::open(path());
            ModelRecord record;
            record.path = QStringLiteral("/models/a.gguf");
            id = ModelStore(**database).save(record)->id;
            QVERIFY(ModelStore(**database).beginLoading(id));
        }
        auto database = Database::open(path());
        ModelStore models(**database);
        const auto crashed = models.takeCrashedLoads();
        QCOMPARE(crashed->size(), 1);
        QVERIFY(models.get(id)->loadCrashed);
        QVERIFY(models.takeCrashedLoads()->isEmpty());
        QVERIFY(models.clearCrashed(id));
        QVERIFY(!models.get(id)->loadCrashed);
    }

    void storeThreadAnswersInOrderAndGivesOpeningErrors() {
        {
            StoreThread store(path());
            QVector<int> order;
            for (int i = 0; i < 50; ++i)
                store.run([i](Database&) -> Result<int> { return i; })
                    .then(this, [&order](const Result<int>& n) { order.append(*n); });
            QTRY_COMPARE(order.size(), 50);
            for (int i = 0; i < 50; ++i)
                QCOMPARE(order[i], i);
            auto thrown = store.run([](Database& db) -> Status {
                db.handle().exec("SELECT nonsense");
                return ok();
            });
            QVERIFY(!thrown.result());
            store.run(
                [](Database& db) { return ConversationStore(db).create(); }); // not waited for
        }
        auto database = Database::open(path());
        QCOMPARE(ConversationStore(**database).count().value(), 1); // done before the thread ended
        StoreThread broken(m_folder->filePath(QStringLiteral("absent/alcove.db")));
        QVERIFY(!broken.opened().result());
        QCOMPARE(broken.run([](Database&) -> Result<int> { return 1; }).result().error().code,
                 Errc::Io);
    }

private:
    QString path() const { return m_folder->filePath(QStringLiteral("alcove.db")); }
    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(DatabaseTest)
#include "database_test.moc"
