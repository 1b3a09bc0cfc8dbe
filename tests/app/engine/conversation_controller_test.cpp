#include "app/engine/conversation_controller.h"

#include "app/library/model_library.h"
#include "app/store/settings.h"
#include "tests/app/engine/real_models.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <SQLiteCpp/SQLiteCpp.h>

using namespace alcove;
using namespace alcove::app;

namespace {

/// A window's worth of application on a data folder, and what a block model would show.
struct App {
    explicit App(const QString& folder, int tokenMs = 0, int maxTokens = 12)
        : App(folder, tokenMs > 0 ? slowEngine(tokenMs) : realEngine(), maxTokens) {}

    App(const QString& folder, EngineBackend backend, int maxTokens)
        : store(folder + QStringLiteral("/alcove.db")), engine(nullptr, std::move(backend)) {
        store
            .run([maxTokens](Database& db) -> Status {
                SettingsStore settingsStore(db);
                ALCOVE_RETURN_IF_ERROR(settingsStore.set(settings::kMaxTokens, maxTokens));
                ALCOVE_RETURN_IF_ERROR(settingsStore.set(settings::kTemperature, 0.0));
                return addModel(db, tinyModel()) ? ok()
                                                 : Status(Error{Errc::Internal, "no tiny model"});
            })
            .waitForFinished();
        using C = ConversationController;
        QObject::connect(&controller, &C::messagesReset, &controller,
                         [this](const QVector<Message>& all) {
                             events.append(QStringLiteral("reset"));
                             shown = all;
                         });
        QObject::connect(&controller, &C::messageAdded, &controller, [this](const Message& m) {
            events.append(QStringLiteral("added ") + roleName(m.role));
            shown.append(m);
        });
        QObject::connect(&controller, &C::messagesReplaced, &controller,
                         [this](qint64 from, const QVector<Message>& messages) {
                             events.append(QStringLiteral("replaced"));
                             while (!shown.isEmpty() && shown.takeLast().id != from) {
                             }
                             shown += messages;
                         });
        QObject::connect(&controller, &C::messageChanged, &controller, [this](const Message& m) {
            events.append(QStringLiteral("changed"));
            put(m);
        });
        QObject::connect(&controller, &C::answerDelta, &controller,
                         [this](qint64 id, const QString& delta) {
                             if (events.isEmpty() || events.constLast() != QLatin1String("delta"))
                                 events.append(QStringLiteral("delta"));
                             for (Message& m : shown)
                                 if (m.id == id)
                                     m.text += delta;
                         });
        QObject::connect(&controller, &C::answerFinished, &controller, [this](const Message& m) {
            events.append(QStringLiteral("finished"));
            // What was shown piece by piece is what was stored.
            for (const Message& each : shown)
                if (each.id == m.id && each.text != m.text)
                    events.append(QStringLiteral("TEXT DIFFERS"));
            put(m);
            ++finished;
        });
        QObject::connect(&controller, &C::sendAccepted, &controller, [this] {
            events.append(QStringLiteral("accepted"));
            ++accepted;
        });
        QObject::connect(&controller, &C::sendRefused, &controller,
                         [this](const QString& sentence) { refusals.append(sentence); });
        QObject::connect(&controller, &C::failed, &controller,
                         [this](const QString& action, const Error& error) {
                             failures.append(action + QStringLiteral(": ") +
                                             QString::fromStdString(error.message));
                         });
        controller.begin();
        store.waitForIdle();
        controller.openLast();
    }
    void put(const Message& m) {
        for (Message& each : shown)
            if (each.id == m.id)
                each = m;
    }
    bool ready() const {
        return controller.model().id != 0 && events.contains(QStringLiteral("reset"));
    }
    template <class F> auto ask(F question) { return store.run(question).result().value(); }
    qint64 messageCount() {
        return ask([id = controller.conversationId()](Database& db) {
            return MessageStore(db).count(id);
        });
    }

    StoreThread store;
    EngineService engine;
    ConversationController controller{store, engine};
    QVector<Message> shown;
    QStringList events, refusals, failures;
    int finished = 0, accepted = 0;
};

#define SEND_AND_WAIT(app, text)                                                                   \
    do {                                                                                           \
        const int before = (app).finished;                                                         \
        (app).controller.send(text);                                                               \
        QTRY_COMPARE((app).finished, before + 1);                                                  \
    } while (false)

} // namespace

class ConversationControllerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void sendGoesThroughTheAgreedStepsAndIsFoundAgain() {
        QString answer;
        {
            App app(m_folder->path());
            QTRY_VERIFY(app.ready());
            QCOMPARE(app.controller.modelState(), ModelState::Known);
            app.events.clear();
            app.controller.send(QStringLiteral("Explain B-trees"));
            QTRY_COMPARE(app.finished, 1);
            QCOMPARE(app.events,
                     (QStringList{QStringLiteral("added user"), QStringLiteral("added assistant"),
                                  QStringLiteral("accepted"), QStringLiteral("delta"),
                                  QStringLiteral("finished")}));
            QCOMPARE(app.controller.modelState(), ModelState::Ready);
            QCOMPARE(app.controller.conversation().title, QStringLiteral("Explain B-trees"));
            QCOMPARE(app.shown.at(1).state, MessageState::LengthLimit);
            QCOMPARE(app.shown.at(1).facts->generatedTokens, 12);
            QCOMPARE(app.controller.phase(), AnswerPhase::None);
            answer = app.shown.at(1).text;
            QVERIFY(!answer.isEmpty());
            QVERIFY2(app.failures.isEmpty(), qPrintable(app.failures.join(QLatin1Char('\n'))));
        }
        App again(m_folder->path());
        QTRY_COMPARE(again.shown.size(), 2);
        QCOMPARE(again.shown.at(1).text, answer);
        QCOMPARE(again.controller.conversation().title, QStringLiteral("Explain B-trees"));
    }

    void questionIsStoredBeforeTheEngineIsAsked() {
        App app(m_folder->path());
        QTRY_VERIFY(app.ready());
        qint64 rowsAtStart = -1;
        QObject::connect(&app.engine, &EngineService::jobStarted, &app.engine, [&] {
            auto other = Database::open(m_folder->filePath(QStringLiteral("alcove.db"))).value();
            rowsAtStart = other->handle()
                              .execAndGet("SELECT count(*) FROM message WHERE role = 'user'")
                              .getInt64();
        });
        SEND_AND_WAIT(app, QStringLiteral("stored first"));
        QCOMPARE(rowsAtStart, 1);
    }

    void sendingTwiceSendsOnce() {
        App app(m_folder->path(), 2);
        QTRY_VERIFY(app.ready());
        app.controller.send(QStringLiteral("once"));
        app.controller.send(QStringLiteral("once")); // while it is stored
        QTRY_VERIFY(app.controller.isAnswering());
        app.controller.send(QStringLiteral("again")); // while it is answered
        QTRY_COMPARE(app.finished, 1);
        QCOMPARE(app.refusals.size(), 2);
        QCOMPARE(app.accepted, 1);
        QCOMPARE(app.messageCount(), 2);
        app.controller.send(QStringLiteral("  \n"));
        QCOMPARE(app.refusals.size(), 3);
    }

    void stopKeepsTheTextAndContinueTakesItUp() {
        App app(m_folder->path(), 5, 60);
        QTRY_VERIFY(app.ready());
        app.controller.send(QStringLiteral("tell"));
        QTRY_VERIFY(app.shown.size() == 2 && app.shown.at(1).text.size() > 5);
        QCOMPARE(app.controller.phase(), AnswerPhase::Writing);
        app.controller.stop();
        QTRY_COMPARE(app.finished, 1);
        QCOMPARE(app.shown.at(1).state, MessageState::Stopped);
        const QString half = app.shown.at(1).text;
        const int firstTokens = app.shown.at(1).facts->generatedTokens;
        app.events.clear();
        app.controller.continueAnswer(app.shown.at(1).id);
        QTRY_COMPARE(app.finished, 2);
        QCOMPARE(app.events.constFirst(), QStringLiteral("changed"));
        QVERIFY(app.shown.at(1).text.startsWith(half));
        QVERIFY(app.shown.at(1).text.size() > half.size());
        QCOMPARE(app.shown.at(1).facts->generatedTokens, firstTokens + 60);
        QVERIFY(!app.events.contains(QStringLiteral("TEXT DIFFERS")));
        QCOMPARE(app.messageCount(), 2);
    }

    void stopIsHeardWhileTheModelLoads() {
        App app(m_folder->path(), engineThatLoadsForever(), 12);
        QTRY_VERIFY(app.ready());
        app.controller.send(QStringLiteral("hello"));
        QTRY_COMPARE(app.controller.phase(), AnswerPhase::Loading);
        QCOMPARE(app.controller.modelState(), ModelState::Loading);
        app.controller.stop();
        QTRY_COMPARE(app.finished, 1);
        QCOMPARE(app.shown.at(1).state, MessageState::Stopped);
        QTRY_COMPARE(app.controller.modelState(), ModelState::Known);
        QVERIFY(app.failures.isEmpty());
        QTRY_VERIFY(
            app.ask([](Database& db) { return ModelStore(db).takeCrashedLoads(); }).isEmpty());
    }

    void regenerateEditAndBranchesKeepEverything() {
        App app(m_folder->path());
        QTRY_VERIFY(app.ready());
        SEND_AND_WAIT(app, QStringLiteral("one"));
        SEND_AND_WAIT(app, QStringLiteral("two"));
        QCOMPARE(app.shown.size(), 4);
        const Message firstAnswer = app.shown.at(3);
        app.controller.regenerate(firstAnswer.id);
        QTRY_COMPARE(app.finished, 3);
        QCOMPARE(app.shown.size(), 4);
        QVERIFY(app.shown.at(3).id != firstAnswer.id);
        QCOMPARE(app.shown.at(3).siblingIndex, 1);
        QCOMPARE(app.shown.at(3).siblingCount, 2);
        app.controller.selectSibling(firstAnswer.id);
        QTRY_COMPARE(app.shown.at(3).id, firstAnswer.id);
        QCOMPARE(app.controller.pathIds().constLast(), firstAnswer.id);
        app.controller.editAndResend(app.shown.at(0).id, QStringLiteral("ONE"));
        QTRY_COMPARE(app.finished, 4);
        QCOMPARE(app.shown.size(), 2);
        QCOMPARE(app.shown.at(0).text, QStringLiteral("ONE"));
        QCOMPARE(app.shown.at(0).siblingCount, 2);
        app.controller.stepSibling(app.shown.at(0).id, -1);
        QTRY_COMPARE(app.shown.size(), 4);
        QCOMPARE(app.shown.at(3).id, firstAnswer.id); // the branch chosen there last
        app.controller.editAnswer(firstAnswer.id, QStringLiteral("my words"));
        QTRY_COMPARE(app.shown.at(3).text, QStringLiteral("my words"));
        QCOMPARE(app.shown.at(3).siblingCount, 3);
        QVERIFY(app.failures.isEmpty());
        SEND_AND_WAIT(app, QStringLiteral("three"));
        QCOMPARE(app.shown.size(), 6);
    }

    void answersGoOnInTheBackground() {
        App app(m_folder->path(), 10, 60);
        QTRY_VERIFY(app.ready());
        QSignalSpy dots(&app.controller, &ConversationController::answeringChanged);
        app.controller.send(QStringLiteral("long"));
        QTRY_VERIFY(app.shown.size() == 2 && !app.shown.at(1).text.isEmpty());
        const RowId background = app.controller.conversationId();
        app.controller.openNew();
        QVERIFY(app.shown.isEmpty());
        QVERIFY(app.controller.isAnswering(background));
        QVERIFY(!app.controller.isAnswering());
        app.controller.send(QStringLiteral("short")); // waits for the other
        QTRY_COMPARE(app.shown.size(), 2);
        QCOMPARE(app.controller.queuePosition(), 1);
        const RowId waiting = app.controller.conversationId();
        app.controller.open(background);
        QTRY_COMPARE(app.controller.conversationId(), background);
        QTRY_VERIFY(!app.controller.isAnswering(background));
        QVERIFY(!app.events.contains(QStringLiteral("TEXT DIFFERS")));
        QCOMPARE(app.shown.at(1).state, MessageState::LengthLimit);
        QTRY_VERIFY(!app.controller.isAnswering(waiting));
        QCOMPARE(dots.size(), 4);
    }

    void growingAnswerIsSavedAndSurvivesAnEndInTheMiddle() {
        QString shownText;
        {
            App app(m_folder->path(), 10, -1);
            QTRY_VERIFY(app.ready());
            app.controller.send(QStringLiteral("long"));
            QTRY_VERIFY(app.shown.size() == 2);
            // Saved while it grows, without an end.
            QTRY_VERIFY(!app.ask([id = app.shown.at(1).id](Database& db) {
                                return MessageStore(db).get(id);
                            })
                             .text.isEmpty());
            shownText = app.shown.at(1).text;
        } // quit: the rest is saved
        App again(m_folder->path());
        QTRY_COMPARE(again.shown.size(), 2);
        QCOMPARE(again.shown.at(1).state, MessageState::Interrupted);
        QVERIFY(again.shown.at(1).text.startsWith(shownText));
        again.controller.continueAnswer(again.shown.at(1).id);
        QTRY_COMPARE(again.finished, 1);
        QVERIFY(again.shown.at(1).text.size() > shownText.size());
        QVERIFY(!again.ask([](Database& db) { return ModelStore(db).list(); }).at(0).loadCrashed);
    }

    void draftsAreKeptPerConversation() {
        {
            App app(m_folder->path());
            QTRY_VERIFY(app.ready());
            QSignalSpy saved(&app.controller, &ConversationController::draftSaved);
            app.controller.saveDraft(QStringLiteral("half a tho"), 4);
            app.controller.saveDraft(QStringLiteral("half a thought"),
                                     14); // before the first is stored: one row
            QTRY_COMPARE(saved.size(), 2);
            QCOMPARE(app.ask([](Database& db) { return ConversationStore(db).count(); }), 1);
        }
        App again(m_folder->path());
        QTRY_VERIFY(again.ready());
        QCOMPARE(again.controller.conversation().draft, QStringLiteral("half a thought"));
        QCOMPARE(again.controller.conversation().draftCaret, 14);
        again.controller.send(QStringLiteral("half a thought"));
        QTRY_COMPARE(again.finished, 1);
        QCOMPARE(again.ask([](Database& db) { return ConversationStore(db).list(); }).at(0).draft,
                 QString());
        QCOMPARE(again.ask([](Database& db) { return ConversationStore(db).count(); }), 1);
    }

    void fullDiskLeavesTheDraft() {
        App app(m_folder->path());
        QTRY_VERIFY(app.ready());
        app.controller.saveDraft(QStringLiteral("a draft"), 7);
        app.store.waitForIdle();
        app.store
            .run([](Database& db) -> Status {
                const int pages = db.handle().execAndGet("PRAGMA page_count").getInt();
                db.handle().exec("PRAGMA max_page_count = " + std::to_string(pages));
                return ok();
            })
            .waitForFinished();
        app.controller.send(QStringLiteral("too long ").repeated(10'000));
        QTRY_COMPARE(app.failures.size(), 1);
        QVERIFY2(app.failures.at(0).startsWith(QStringLiteral("send: ")) &&
                     app.failures.at(0).contains(QStringLiteral("full")),
                 qPrintable(app.failures.at(0)));
        QCOMPARE(app.accepted, 0);
        QVERIFY(!app.controller.isAnswering());
        QCOMPARE(app.ask([](Database& db) { return ConversationStore(db).list(); }).at(0).draft,
                 QStringLiteral("a draft"));
        app.store
            .run([](Database& db) -> Status {
                db.handle().exec("PRAGMA max_page_count = 1000000");
                return ok();
            })
            .waitForFinished();
        SEND_AND_WAIT(app, QStringLiteral("fits"));
    }

    void queuedDraftIsSentWhenTheAnswerEndsByItself() {
        App app(m_folder->path(), 3, -1); // until the context is full: not by itself
        QTRY_VERIFY(app.ready());
        app.controller.send(QStringLiteral("first"));
        QTRY_VERIFY(app.shown.size() == 2 && !app.shown.at(1).text.isEmpty());
        app.controller.sendAfterAnswer(QStringLiteral("second"));
        app.controller.stop();
        QTRY_COMPARE(app.finished, 1);
        QTest::qWait(50);
        QCOMPARE(app.messageCount(), 2); // stopped: it stays a draft
        QCOMPARE(app.controller.conversation().draft, QStringLiteral("second"));
        app.controller.sendAfterAnswer(QStringLiteral("now")); // none is running: at once
        QTRY_COMPARE(app.shown.size(), 4);
        app.controller.stop();
        QTRY_COMPARE(app.finished, 2);
    }

    void withoutModelNothingIsSent() {
        App app(m_folder->path());
        QTRY_VERIFY(app.ready());
        app.ask(
            [id = app.controller.model().id](Database& db) { return ModelStore(db).forget(id); });
        StoreThread store(m_folder->filePath(QStringLiteral("alcove.db")));
        ConversationController fresh(store, app.engine);
        QSignalSpy needed(&fresh, &ConversationController::modelNeeded);
        fresh.begin();
        store.waitForIdle();
        QTest::qWait(20);
        fresh.send(QStringLiteral("hello"));
        QCOMPARE(needed.size(), 1);
        QCOMPARE(fresh.modelState(), ModelState::None);
    }

    void modelThatFailsToLoadSaysWhyAndTheQuestionStays() {
        EngineBackend backend = realEngine();
        backend.load = [](const std::filesystem::path&, const Model::LoadOptions&,
                          std::stop_token) -> Result<std::shared_ptr<const Model>> {
            return Error{Errc::Memory, "the model needs 9.8 GB, 5.1 GB are free"};
        };
        App app(m_folder->path(), backend, 12);
        QTRY_VERIFY(app.ready());
        app.controller.send(QStringLiteral("hello"));
        QTRY_COMPARE(app.finished, 1);
        QCOMPARE(app.shown.at(1).state, MessageState::Failed);
        QVERIFY(app.shown.at(1).facts->finishDetail.contains(QStringLiteral("9.8 GB")));
        QCOMPARE(app.controller.modelState(), ModelState::Failed);
        QCOMPARE(app.failures,
                 QStringList{QStringLiteral("load: the model needs 9.8 GB, 5.1 GB are free")});
        QCOMPARE(app.shown.at(0).text, QStringLiteral("hello"));
    }

    void fullContextIsSaid() {
        App app(m_folder->path(), 0, -1);
        QTRY_VERIFY(app.ready());
        app.ask([](Database& db) { return SettingsStore(db).set(settings::kContext, 48); });
        app.controller.reloadSettings();
        app.store.waitForIdle();
        QTest::qWait(10);
        SEND_AND_WAIT(app, QStringLiteral("hi"));
        QCOMPARE(app.shown.at(1).state, MessageState::ContextFull);
        SEND_AND_WAIT(app, QStringLiteral("and now"));
        QCOMPARE(app.shown.at(3).state, MessageState::ContextFull);
        QVERIFY(!app.shown.at(3).facts->finishDetail.isEmpty());
    }

    void trashStopsTheAnswerAndUndoBringsItBack() {
        App app(m_folder->path(), 10, -1);
        QTRY_VERIFY(app.ready());
        app.controller.send(QStringLiteral("long"));
        QTRY_VERIFY(app.shown.size() == 2 && !app.shown.at(1).text.isEmpty());
        const RowId id = app.controller.conversationId();
        QSignalSpy removed(&app.controller, &ConversationController::conversationRemoved);
        QSignalSpy restored(&app.controller, &ConversationController::conversationRestored);
        app.controller.moveToTrash(id);
        QTRY_COMPARE(removed.size(), 1);
        QCOMPARE(app.controller.conversationId(), 0);
        QTRY_VERIFY(!app.controller.isAnswering(id));
        app.controller.restore(id);
        QTRY_COMPARE(restored.size(), 1);
        app.controller.open(id);
        QTRY_COMPARE(app.shown.size(), 2);
        QCOMPARE(app.shown.at(1).state, MessageState::Stopped);
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(ConversationControllerTest)
#include "conversation_controller_test.moc"
