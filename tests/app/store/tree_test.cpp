#include "app/store/conversation_store.h"
#include "app/store/message_store.h"

#include <QElapsedTimer>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>
#include <SQLiteCpp/SQLiteCpp.h>

using namespace alcove;
using namespace alcove::app;

class TreeTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() {
        m_folder = std::make_unique<QTemporaryDir>();
        m_database = Database::open(m_folder->filePath(QStringLiteral("alcove.db"))).value();
        m_messages = std::make_unique<MessageStore>(*m_database);
        m_conversations = std::make_unique<ConversationStore>(*m_database);
    }
    void cleanup() {
        const auto findings = m_database->checkIntegrity();
        QVERIFY2(findings->isEmpty(), qPrintable(findings->join(QLatin1Char('\n'))));
        QCOMPARE(indexed(), finished());
    }

    void questionBringsConversationTitleAnswerAndOrder() {
        const auto draft = m_conversations->create();
        QVERIFY(
            m_conversations->saveDraft(draft->id, QStringLiteral("Explain  B-trees\nplease"), 3));
        const auto other = m_messages->addQuestion(0, 0, QStringLiteral("later"));
        QTest::qWait(2); // the clock of the list counts milliseconds
        const auto added =
            m_messages->addQuestion(draft->id, 0, QStringLiteral("Explain  B-trees\nplease"));
        QVERIFY(added);
        QCOMPARE(added->conversation.title, QStringLiteral("Explain B-trees please"));
        QCOMPARE(added->conversation.draft, QString());
        QCOMPARE(added->conversation.leafId, added->answer.id);
        QCOMPARE(added->question.text,
                 QStringLiteral("Explain  B-trees\nplease")); // the source, exactly
        QCOMPARE(added->answer.parentId, added->question.id);
        QCOMPARE(added->answer.state, MessageState::Writing);
        const auto list = m_conversations->list();
        QCOMPARE(list->at(0).id, draft->id);
        QCOMPARE(list->at(1).id, other->conversation.id);
        QCOMPARE(m_conversations->position(other->conversation.id).value(), 1);
    }

    void questionBelowAnotherConversationsMessageIsRefused() {
        const auto first = answered(0, 0, QStringLiteral("a"), QStringLiteral("b"));
        const auto second = answered(0, 0, QStringLiteral("c"), QStringLiteral("d"));
        const auto crossed =
            m_messages->addQuestion(first.conversationId, second.id, QStringLiteral("x"));
        QVERIFY(!crossed);
        QCOMPARE(crossed.error().code, Errc::InvalidArgument);
        QCOMPARE(m_messages->count(first.conversationId).value(), 2);
    }

    void answerGrowsByPiecesAndEndsAsOne() {
        const auto added = m_messages->addQuestion(0, 0, QStringLiteral("q"));
        const RowId id = added->answer.id;
        QVERIFY(m_messages->appendAnswer(id, QStringLiteral("Grüße, ")));
        QVERIFY(m_messages->appendAnswer(id, QStringLiteral("世界 ")));
        QCOMPARE(m_messages->get(id)->text, QStringLiteral("Grüße, 世界 "));
        AnswerFacts facts;
        facts.modelName = QStringLiteral("M");
        facts.seed = 0xfedcba9876543210U;
        facts.sampling = {{QStringLiteral("temperature"), 0.5}};
        facts.decodeSeconds = 2;
        facts.generatedTokens = 21;
        facts.finish = QStringLiteral("stop");
        const auto done =
            m_messages->finishAnswer(id, QStringLiteral("🙂"), MessageState::Complete, facts);
        QCOMPARE(done->text, QStringLiteral("Grüße, 世界 🙂"));
        QCOMPARE(done->facts->seed, 0xfedcba9876543210U);
        QCOMPARE(done->facts->sampling, facts.sampling);
        QCOMPARE(done->facts->decodeTokensPerSecond(), 10.0);
        QCOMPARE(m_database->handle().execAndGet("SELECT count(*) FROM message_part").getInt(), 2);
        // An ended answer neither grows nor ends again.
        QCOMPARE(m_messages->appendAnswer(id, QStringLiteral("x")).error().code,
                 Errc::InvalidArgument);
        QCOMPARE(m_messages->finishAnswer(id, {}, MessageState::Complete, {}).error().code,
                 Errc::InvalidArgument);
    }

    void stoppedAnswerIsTakenUpAgain() {
        const auto added = m_messages->addQuestion(0, 0, QStringLiteral("q"));
        const RowId id = added->answer.id;
        QVERIFY(m_messages->finishAnswer(id, QStringLiteral("half "), MessageState::Stopped, {}));
        QCOMPARE(m_messages->reopenAnswer(id)->state, MessageState::Writing);
        QVERIFY(m_messages->appendAnswer(id, QStringLiteral("and ")));
        QCOMPARE(
            m_messages->finishAnswer(id, QStringLiteral("whole"), MessageState::Complete, {})->text,
            QStringLiteral("half and whole"));
        QVERIFY(!m_messages->reopenAnswer(added->question.id)); // a question cannot
    }

    void answersOfAnEndedRunAreInterrupted() {
        const auto added = m_messages->addQuestion(0, 0, QStringLiteral("q"));
        QVERIFY(m_messages->appendAnswer(added->answer.id, QStringLiteral("one ")));
        QVERIFY(m_messages->appendAnswer(added->answer.id, QStringLiteral("two")));
        QCOMPARE(m_messages->markInterrupted().value(), 1);
        QCOMPARE(m_messages->markInterrupted().value(), 0);
        const auto answer = m_messages->get(added->answer.id);
        QCOMPARE(answer->state, MessageState::Interrupted);
        QCOMPARE(answer->text, QStringLiteral("one two"));
        QVERIFY(canContinue(answer->state));
    }

    void regenerateAndEditMakeSiblings() {
        const Message first = answered(0, 0, QStringLiteral("q1"), QStringLiteral("a1"));
        const Message second =
            answered(first.conversationId, first.id, QStringLiteral("q2"), QStringLiteral("a2"));
        const auto again = m_messages->addAnswer(second.parentId);
        QVERIFY(
            m_messages->finishAnswer(again->id, QStringLiteral("a2'"), MessageState::Complete, {}));
        QCOMPARE(again->siblingIndex, 1);
        QCOMPARE(again->siblingCount, 2);
        QCOMPARE(m_messages->get(second.id)->siblingCount, 2);
        QCOMPARE(texts(leaf(first.conversationId)), QStringLiteral("q1 a1 q2 a2'"));
        // An edited first question: a sibling among the roots.
        const Message edited =
            answered(first.conversationId, 0, QStringLiteral("Q1"), QStringLiteral("A1"));
        QCOMPARE(m_messages->get(edited.parentId)->siblingIndex, 1);
        QCOMPARE(m_messages->siblings(edited.parentId)->size(), 2);
        QCOMPARE(texts(leaf(first.conversationId)), QStringLiteral("Q1 A1"));
        // Back: the branch chosen last below the first question comes with it.
        QCOMPARE(texts(m_messages->chooseBranch(first.parentId).value()),
                 QStringLiteral("q1 a1 q2 a2'"));
        QCOMPARE(texts(m_messages->chooseBranch(second.id).value()), QStringLiteral("q1 a1 q2 a2"));
        QVERIFY(m_messages->chooseBranch(edited.parentId));
        QCOMPARE(texts(m_messages->chooseBranch(first.parentId).value()),
                 QStringLiteral("q1 a1 q2 a2"));
        const auto corrected =
            m_messages->addEditedAnswer(second.id, QStringLiteral("a2 corrected"));
        QCOMPARE(corrected->siblingCount, 3);
        QCOMPARE(texts(leaf(first.conversationId)), QStringLiteral("q1 a1 q2 a2 corrected"));
        QCOMPARE(m_messages->all(first.conversationId)->size(), 8);
    }

    void trashIsUndoneAndPurgedForGood() {
        const Message kept =
            answered(0, 0, QStringLiteral("keep this"), QStringLiteral("kept answer"));
        const Message gone =
            answered(0, 0, QStringLiteral("drop this"), QStringLiteral("dropped answer"));
        QVERIFY(m_conversations->moveToTrash(gone.conversationId));
        QCOMPARE(m_conversations->count().value(), 1);
        QCOMPARE(m_conversations->trash()->size(), 1);
        QVERIFY(m_conversations->restore(gone.conversationId));
        QCOMPARE(m_conversations->list()->at(0).id, gone.conversationId); // where it was
        QVERIFY(m_conversations->moveToTrash(gone.conversationId));
        QCOMPARE(m_conversations->purgeTrash(QDateTime::currentDateTimeUtc().addDays(-30)).value(),
                 0);
        QCOMPARE(m_conversations->purgeTrash(QDateTime::currentDateTimeUtc().addSecs(1)).value(),
                 1);
        QCOMPARE(m_conversations->get(gone.conversationId).error().code, Errc::NotFound);
        QCOMPARE(hits("dropped"), 0);
        QCOMPARE(hits("kept answer"), 1);
        Q_UNUSED(kept)
    }

    void longPathIsReadAndPurged() {
        // Deeper than SQLite nests cascades (1,000).
        RowId conversation = 0;
        RowId parent = 0;
        QVERIFY(m_database->transaction([&]() -> Status {
            SQLite::Database& db = m_database->handle();
            conversation = m_conversations->create()->id;
            for (int i = 0; i < 10'000; ++i) {
                SQLite::Statement insert(
                    db, "INSERT INTO message (conversation_id, parent_id, role, state, created) "
                        "VALUES (?, ?, ?, 'complete', 0)");
                insert.bind(1, static_cast<int64_t>(conversation));
                if (parent != 0)
                    insert.bind(2, static_cast<int64_t>(parent));
                insert.bind(3, i % 2 == 0 ? "user" : "assistant");
                insert.exec();
                parent = db.getLastInsertRowid();
                const std::string text = "message " + std::to_string(i);
                SQLite::Statement part(
                    db, "INSERT INTO message_part (message_id, position, body) VALUES (?, 0, ?)");
                part.bind(1, static_cast<int64_t>(parent));
                part.bind(2, text);
                part.exec();
                SQLite::Statement index(db,
                                        "INSERT INTO message_search (rowid, body) VALUES (?, ?)");
                index.bind(1, static_cast<int64_t>(parent));
                index.bind(2, text);
                index.exec();
            }
            return ok();
        }));
        QElapsedTimer timer;
        timer.start();
        const auto ids = m_messages->pathIds(parent);
        const qint64 idsMs = timer.restart();
        QCOMPARE(ids->size(), 10'000);
        const auto tail = m_messages->load(std::span(ids->constEnd() - 200, 200));
        const qint64 tailMs = timer.restart();
        QCOMPARE(tail->constLast().text, QStringLiteral("message 9999"));
        QCOMPARE(m_messages->path(parent)->size(), 10'000);
        qInfo("10,000 messages: ids %lld ms, last 200 %lld ms, all %lld ms", idsMs, tailMs,
              timer.elapsed());
        QVERIFY(m_conversations->moveToTrash(conversation));
        QCOMPARE(m_conversations->purgeTrash(QDateTime::currentDateTimeUtc().addSecs(1)).value(),
                 1);
        QCOMPARE(m_database->handle().execAndGet("SELECT count(*) FROM message").getInt(), 0);
    }

    void listOfTenThousandIsPagedInOrderWhileRowsMove() {
        constexpr int kCount = 10'000;
        QVERIFY(m_database->transaction([&]() -> Status {
            for (int i = 0; i < kCount; ++i) {
                SQLite::Statement insert(
                    m_database->handle(),
                    "INSERT INTO conversation (title, created, used) VALUES (?, ?, ?)");
                insert.bind(1, "conversation " + std::to_string(i));
                insert.bind(2, 1'000'000 + i);
                insert.bind(3, 1'000'000 + i / 3); // many of the same time: the id decides
                insert.exec();
            }
            return ok();
        }));
        QElapsedTimer timer;
        timer.start();
        QSet<RowId> seen;
        std::optional<ConversationCursor> cursor;
        RowId moved = 0;
        for (int page = 0;; ++page) {
            const auto rows = m_conversations->list(cursor, 100);
            QVERIFY(rows);
            if (rows->isEmpty())
                break;
            for (const Conversation& row : *rows) {
                QVERIFY(!seen.contains(row.id));
                if (cursor)
                    QVERIFY(std::pair(row.used, row.id) < std::pair(cursor->used, cursor->id));
                cursor = ConversationCursor::after(row);
                seen.insert(row.id);
            }
            if (page == 10) { // a row already shown goes to the top: no later page changes
                moved = *seen.constBegin();
                QVERIFY(m_conversations->touch(moved));
            }
        }
        QCOMPARE(seen.size(), kCount);
        QCOMPARE(m_conversations->position(moved).value(), 0);
        QCOMPARE(m_conversations->count().value(), kCount);
        qInfo("100 pages of 100 rows: %lld ms", timer.elapsed());
    }

    void savingAGrowingAnswerCostsTheSameInAnyConversation() {
        const auto bytesOfSaves = [this](RowId conversationId, RowId parent) {
            const auto added = m_messages->addQuestion(conversationId, parent, QStringLiteral("q"));
            m_database->handle().exec("PRAGMA wal_checkpoint(TRUNCATE)");
            const QString wal = m_database->path() + QStringLiteral("-wal");
            for (int save = 0; save < 50; ++save)
                m_failures += !m_messages->appendAnswer(
                    added->answer.id, QStringLiteral("some sixty bytes of a growing answer, "
                                                     "as in half a second "));
            const qint64 bytes = QFileInfo(wal).size();
            m_failures +=
                !m_messages->finishAnswer(added->answer.id, {}, MessageState::Complete, {});
            return bytes;
        };
        const qint64 small = bytesOfSaves(0, 0);
        Message last = answered(0, 0, QStringLiteral("q"), QStringLiteral("a"));
        for (int i = 0; i < 50; ++i) // 5 MB
            last = answered(last.conversationId, last.id, QStringLiteral("q"),
                            QStringLiteral("0123456789").repeated(10'000));
        const qint64 large = bytesOfSaves(last.conversationId, last.id);
        qInfo("50 saves: %lld bytes in a new conversation, %lld in one of 5 MB", small, large);
        QCOMPARE(m_failures, 0);
        QVERIFY(std::abs(large - small) <=
                8 * 1048); // a few pages more or less by where page ends fall
    }

    void titleIsCutAtAWord_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("title");
        QTest::newRow("short") << QStringLiteral(" Hello\n world ")
                               << QStringLiteral("Hello world");
        QTest::newRow("long")
            << QStringLiteral(
                   "Please explain to me how a B-tree index page is split when it is full")
            << QStringLiteral("Please explain to me how a B-tree index page is split when…");
        QTest::newRow("no spaces")
            << QString(100, QChar(0x4e16)) << QString(59, QChar(0x4e16)) + QChar(0x2026);
        QTest::newRow("whole characters")
            << QStringLiteral("👩‍👩‍👧").repeated(70)
            << QStringLiteral("👩‍👩‍👧").repeated(59) + QChar(0x2026);
        QTest::newRow("exactly 60")
            << QString(60, QLatin1Char('x')) << QString(60, QLatin1Char('x'));
        QTest::newRow("empty") << QString() << QString();
    }
    void titleIsCutAtAWord() {
        QFETCH(QString, text);
        QTEST(titleFromMessage(text), "title");
    }

    void renamingKeepsAndEmptyTitleGivesTheOwnOneBack() {
        const Message answer = answered(0, 0, QStringLiteral("first words"), QStringLiteral("a"));
        QVERIFY(m_conversations->rename(answer.conversationId, QStringLiteral("  My   title ")));
        QCOMPARE(m_conversations->get(answer.conversationId)->title, QStringLiteral("My title"));
        answered(answer.conversationId, answer.id, QStringLiteral("second"), QStringLiteral("b"));
        QCOMPARE(m_conversations->get(answer.conversationId)->title, QStringLiteral("My title"));
        QVERIFY(m_conversations->rename(answer.conversationId, QStringLiteral(" ")));
        QCOMPARE(m_conversations->get(answer.conversationId)->title, QStringLiteral("first words"));
        QCOMPARE(m_conversations->rename(999, QStringLiteral("x")).error().code, Errc::NotFound);
    }

    void textIsStoredToTheLastCharacter() {
        const QString odd = QStringLiteral("a\0b\r\n\t\"'; DROP TABLE message; -- ") +
                            QChar(0xfeff) + QStringLiteral("𝄞");
        const Message answer = answered(0, 0, odd, odd);
        QCOMPARE(m_messages->get(answer.id)->text, odd);
        QCOMPARE(m_messages->get(answer.parentId)->text, odd);
    }

private:
    Message answered(RowId conversationId, RowId parent, const QString& question,
                     const QString& answer) {
        const auto added = m_messages->addQuestion(conversationId, parent, question);
        return m_messages->finishAnswer(added->answer.id, answer, MessageState::Complete, {})
            .value();
    }
    RowId leaf(RowId conversationId) { return m_conversations->get(conversationId)->leafId; }
    QString texts(RowId leafId) {
        QStringList all;
        const QVector<Message> path = m_messages->path(leafId).value();
        for (const Message& message : path)
            all.append(message.text);
        return all.join(QLatin1Char(' '));
    }
    int hits(const char* words) {
        SQLite::Statement query(m_database->handle(),
                                "SELECT count(*) FROM message_search WHERE message_search MATCH ?");
        query.bind(1, '"' + std::string(words) + '"');
        query.executeStep();
        return query.getColumn(0).getInt();
    }
    int indexed() {
        m_database->handle().exec(
            "INSERT INTO message_search (message_search) VALUES ('integrity-check')");
        return m_database->handle()
            .execAndGet("SELECT count(*) FROM message_search_docsize")
            .getInt();
    }
    int finished() {
        return m_database->handle()
            .execAndGet("SELECT count(*) FROM message WHERE state <> 'writing'")
            .getInt();
    }

    int m_failures = 0;
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Database> m_database;
    std::unique_ptr<MessageStore> m_messages;
    std::unique_ptr<ConversationStore> m_conversations;
};

QTEST_GUILESS_MAIN(TreeTest)
#include "tree_test.moc"
