#include "app/engine/engine_service.h"

#include "tests/app/engine/real_models.h"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace alcove;
using namespace alcove::app;

namespace {

GenerateJob question(const QString& text, int maxTokens, RowId conversation = 1) {
    GenerateJob job;
    job.conversationId = conversation;
    job.turns = {{Role::User, text}};
    job.sampling.temperature = 0;
    job.maxTokens = maxTokens;
    return job;
}

/// What one service tells, in order.
struct Log {
    explicit Log(EngineService& service) {
        QObject::connect(&service, &EngineService::jobStarted, &service,
                         [this](quint64 job) { add(job, "started"); });
        QObject::connect(&service, &EngineService::loadProgress, &service,
                         [this](quint64 job, double) { add(job, "loading"); });
        QObject::connect(&service, &EngineService::loadFinished, &service,
                         [this](quint64 job, const ModelFacts&) { add(job, "loaded"); });
        QObject::connect(&service, &EngineService::readingProgress, &service,
                         [this](quint64 job, const ReadingProgress& p) {
                             add(job, "reading");
                             lastReading = p;
                         });
        QObject::connect(&service, &EngineService::textReady, &service,
                         [this](quint64 job, const QString& delta, const Throughput& rate) {
                             add(job, "text");
                             text += delta;
                             lastRate = rate;
                             ++textEvents;
                         });
        QObject::connect(&service, &EngineService::finished, &service,
                         [this](quint64 job, const AnswerResult& r) {
                             add(job, "finished");
                             result = r;
                             ended.append(job);
                         });
        QObject::connect(&service, &EngineService::failed, &service,
                         [this](quint64 job, const Error& e) {
                             add(job, "failed");
                             error = e;
                             ended.append(job);
                         });
    }
    void add(quint64 job, const char* what) {
        const QString line = QStringLiteral("%1 %2").arg(job).arg(QLatin1String(what));
        if (lines.isEmpty() || lines.constLast() != line)
            lines.append(line);
    }
    QStringList lines; // repeats are told once
    QString text;
    int textEvents = 0;
    ReadingProgress lastReading;
    Throughput lastRate;
    AnswerResult result;
    Error error;
    QVector<quint64> ended;
};

} // namespace

class EngineServiceTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void loadsThenAnswersInTheAgreedOrder() {
        EngineService service;
        Log log(service);
        const JobId load = service.loadModel(tinyModel());
        const JobId answer = service.generate(question(QStringLiteral("Hello"), 12));
        QCOMPARE(service.queuePosition(load), 0);
        QCOMPARE(service.queuePosition(answer), 1);
        QTRY_COMPARE(log.ended.size(), 1);
        QStringList expected{QStringLiteral("1 started"), QStringLiteral("1 loading"),
                             QStringLiteral("1 loaded"),  QStringLiteral("2 started"),
                             QStringLiteral("2 reading"), QStringLiteral("2 text"),
                             QStringLiteral("2 finished")};
        if (!log.lines.contains(
                expected[1])) // a load this small may pass without a step in between
            expected.removeAt(1);
        QCOMPARE(log.lines, expected);
        QCOMPARE(log.text, log.result.text);
        QCOMPARE(log.result.finish, FinishReason::Length);
        const AnswerFacts& facts = log.result.facts;
        QCOMPARE(facts.generatedTokens, 12);
        QVERIFY(facts.promptTokens > 0);
        QCOMPARE(facts.cachedTokens, 0);
        QCOMPARE(log.lastReading.done, facts.promptTokens);
        QVERIFY(facts.contextUsed >= facts.promptTokens + 11);
        QVERIFY(facts.decodeSeconds > 0);
        QCOMPARE(facts.finish, QStringLiteral("length"));
        QVERIFY(service.model()->contextSize > 0);
        QVERIFY(service.memory().contexts > 0);
        QCOMPARE(service.memory().warmConversations, 1);
    }

    void withoutModelAnAnswerFailsWithASentence() {
        EngineService service;
        Log log(service);
        service.generate(question(QStringLiteral("Hello"), 4));
        QTRY_COMPARE(log.ended.size(), 1);
        QCOMPARE(log.error.code, Errc::NotFound);
        QCOMPARE(service.countTokens(QStringLiteral("x")).result().error().code, Errc::NotFound);
    }

    void failedLoadLeavesTheEarlierModelUsable() {
        EngineService service;
        Log log(service);
        service.loadModel(tinyModel());
        const JobId bad = service.loadModel(QStringLiteral(ALCOVE_TEST_DATA "/models/README.md"));
        const JobId absent = service.loadModel(QStringLiteral("/nowhere/model.gguf"));
        const JobId answer = service.generate(question(QStringLiteral("Hello"), 4));
        QTRY_COMPARE(log.ended, (QVector<quint64>{bad, absent, answer}));
        QVERIFY(QByteArray::fromStdString(log.error.message).contains("/nowhere/model.gguf"));
        QVERIFY(service.model());
        QCOMPARE(log.result.facts.generatedTokens, 4);
    }

    void anAnswerLoadsItsModelFirst() {
        EngineService service;
        Log log(service);
        GenerateJob job = question(QStringLiteral("Hello"), 4);
        job.modelPath = tinyModel();
        service.generate(job);
        QTRY_COMPARE(log.ended.size(), 1);
        QVERIFY(log.lines.contains(QStringLiteral("1 loaded")));
        QCOMPARE(log.result.facts.generatedTokens, 4);
        service.generate(job);
        QTRY_COMPARE(log.ended.size(), 2);
        QVERIFY(!log.lines.contains(QStringLiteral("2 loaded"))); // it is there
        job.options.n_ctx = 64;                                   // other sessions, same weights
        service.generate(job);
        QTRY_COMPARE(log.ended.size(), 3);
        QCOMPARE(log.result.facts.contextSize, 64);
        job.modelPath = QStringLiteral("/nowhere/model.gguf");
        service.generate(job);
        QTRY_COMPARE(log.ended.size(), 4);
        QCOMPARE(log.error.code, Errc::NotFound);
        QCOMPARE(service.model()->path, tinyModel());
    }

    void cancelWhileLoadingWritingAndWaiting() {
        {
            EngineService service(nullptr, engineThatLoadsForever());
            Log log(service);
            const JobId load = service.loadModel(tinyModel());
            QTRY_VERIFY(log.lines.contains(QStringLiteral("1 loading")));
            const JobId waiting = service.generate(question(QStringLiteral("Hello"), 4));
            service.cancel(waiting);
            QTRY_COMPARE(log.ended, QVector<quint64>{waiting});
            QCOMPARE(log.error.code, Errc::Cancelled);
            QElapsedTimer timer;
            timer.start();
            service.cancel(load);
            QTRY_COMPARE(log.ended.size(), 2);
            qInfo("load cancelled after %lld ms", timer.elapsed());
            QCOMPARE(log.error.code, Errc::Cancelled);
            QVERIFY(!service.model());
        }
        EngineService service(nullptr, slowEngine(5));
        Log log(service);
        service.loadModel(tinyModel());
        const JobId answer = service.generate(question(QStringLiteral("Hello"), -1));
        QTRY_VERIFY(log.textEvents > 2);
        QElapsedTimer timer;
        timer.start();
        service.cancel(answer);
        QTRY_COMPARE(log.ended.size(), 1);
        qInfo("answer cancelled after %lld ms", timer.elapsed());
        QCOMPARE(log.result.finish, FinishReason::Cancel);
        QCOMPARE(log.text, log.result.text);
        QVERIFY(!log.result.text.isEmpty());
        service.cancel(answer); // ended: nothing happens
        service.cancel(12345);
        QTest::qWait(20);
        QCOMPARE(log.ended.size(), 1);
    }

    void cancelWhileReading() {
        const QString path = starterModel();
        if (path.isEmpty())
            QSKIP("the starter model is not here (ALCOVE_MODELS)");
        EngineService service;
        Log log(service);
        service.loadModel(path);
        const JobId answer = service.generate(question(QStringLiteral("word ").repeated(3000), 4));
        QTRY_VERIFY_WITH_TIMEOUT(log.lines.contains(QStringLiteral("2 reading")), 60'000);
        QElapsedTimer timer;
        timer.start();
        service.cancel(answer);
        QTRY_COMPARE_WITH_TIMEOUT(log.ended.size(), 1, 30'000);
        qInfo("reading cancelled after %lld ms", timer.elapsed());
        QCOMPARE(log.result.finish, FinishReason::Cancel);
        QCOMPARE(log.text, QString());
    }

    void destroyingEndsARunningAnswerAndALoad() {
        QElapsedTimer timer;
        {
            EngineService service(nullptr, slowEngine(20));
            Log log(service);
            service.loadModel(tinyModel());
            service.generate(question(QStringLiteral("Hello"), -1));
            service.generate(question(QStringLiteral("Hello"), -1, 2));
            QTRY_VERIFY(log.textEvents > 1);
            timer.start();
        }
        const qint64 answering = timer.elapsed();
        {
            EngineService service(nullptr, engineThatLoadsForever());
            Log log(service);
            service.loadModel(tinyModel());
            QTRY_VERIFY(log.lines.contains(QStringLiteral("1 loading")));
            timer.start();
        }
        qInfo("quit after %lld ms while answering, %lld ms while loading", answering,
              timer.elapsed());
    }

    void aSecondTurnReadsOnlyWhatIsNew() {
        EngineService service;
        Log log(service);
        service.loadModel(tinyModel());
        service.generate(question(QStringLiteral("Hello"), 6));
        QTRY_COMPARE(log.ended.size(), 1);
        const int first = log.result.facts.promptTokens;
        GenerateJob next = question(QStringLiteral("Hello"), 6);
        next.turns.append({Role::Assistant, log.result.text});
        next.turns.append({Role::User, QStringLiteral("And then?")});
        service.generate(next);
        QTRY_COMPARE(log.ended.size(), 2);
        QVERIFY(log.result.facts.cachedTokens > first / 2);
    }

    void warmConversationsStayWithinTheBudget() {
        EngineService service;
        service.setWarmBudget(0); // only the last one used
        Log log(service);
        service.loadModel(tinyModel());
        for (const RowId conversation : {1, 2, 1})
            service.generate(question(QStringLiteral("Hello"), 3, conversation));
        QTRY_COMPARE(log.ended.size(), 3);
        QCOMPARE(log.result.facts.cachedTokens, 0);
        QCOMPARE(service.memory().warmConversations, 1);
        service.setWarmBudget(1'000'000'000);
        for (const RowId conversation : {2, 1})
            service.generate(question(QStringLiteral("Hello"), 3, conversation));
        QTRY_COMPARE(log.ended.size(), 5);
        QVERIFY(log.result.facts.cachedTokens > 0);
        QTRY_COMPARE(service.memory().warmConversations, 2);
        service.forgetConversation(2);
        QTRY_COMPARE(service.memory().warmConversations, 1);
    }

    void aStoppedAnswerGoesOnWithoutReadingAgainAndEqualsTheWhole() {
        EngineService service;
        Log log(service);
        service.loadModel(tinyModel());
        service.generate(question(QStringLiteral("Hello"), 24));
        QTRY_COMPARE(log.ended.size(), 1);
        const QString whole = log.result.text;
        service.generate(question(QStringLiteral("Hello"), 8, 2));
        QTRY_COMPARE(log.ended.size(), 2);
        const QString begin = log.result.text;
        GenerateJob more = question(QStringLiteral("Hello"), 16, 2);
        more.answerBegin = begin;
        service.generate(more);
        QTRY_COMPARE(log.ended.size(), 3);
        // The last shown token may not have been read yet.
        QVERIFY(log.result.facts.promptTokens - log.result.facts.cachedTokens <= 1);
        QCOMPARE(begin + log.result.text, whole);
    }

    void textComesAtTheAgreedRate() {
        EngineService service(nullptr, slowEngine(1));
        service.setUpdatesPerSecond(1);
        Log log(service);
        service.loadModel(tinyModel());
        QElapsedTimer timer;
        timer.start();
        service.generate(question(QStringLiteral("Hello"), 150));
        QTRY_COMPARE(log.ended.size(), 1);
        QVERIFY2(log.textEvents <= timer.elapsed() / 1000 + 2,
                 qPrintable(QString::number(log.textEvents)));
        QCOMPARE(log.text, log.result.text);
        QVERIFY(log.lastRate.generatedTokens > 0);
    }

    void tokensAreCountedOffTheThread() {
        EngineService service;
        Log log(service);
        service.loadModel(tinyModel());
        QTRY_VERIFY(service.model());
        const auto none = service.countTokens(QString()).result();
        QCOMPARE(*none, 0);
        const auto some = service.countTokens(QStringLiteral("Hello, how are you?")).result();
        QVERIFY(*some > 1);
        const auto prompt =
            service.countPrompt({{Role::User, QStringLiteral("Hello, how are you?")}}).result();
        QVERIFY(*prompt > *some);
        service.unloadModel();
        QTRY_VERIFY(!service.model());
        QVERIFY(!service.countTokens(QStringLiteral("x")).result());
    }

    void memoryFactsAreOfThisMachine() {
        const MemoryFacts facts = readMemoryFacts();
        QVERIFY(facts.processResident > 1'000'000);
        QVERIFY(facts.systemTotal > facts.systemAvailable);
        QVERIFY(facts.systemAvailable > 0);
    }
};

QTEST_GUILESS_MAIN(EngineServiceTest)
#include "engine_service_test.moc"
