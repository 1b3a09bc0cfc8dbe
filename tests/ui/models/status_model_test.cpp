#include "ui/models/status_model.h"

#include <QSignalSpy>
#include <QTest>

using namespace alcove;
using ui::StatusModel;

namespace {

app::MemoryFacts memory() {
    app::MemoryFacts facts;
    facts.processResident = 145'000'000;
    facts.systemAvailable = 5'100'000'000;
    return facts;
}

StatusModel::Progress writing() {
    StatusModel::Progress progress;
    progress.promptTokens = 2376;
    progress.cachedTokens = 1960;
    progress.prefilledTokens = 416;
    progress.generatedTokens = 212;
    progress.contextSize = 4096;
    progress.contextUsed = 2588;
    progress.readSpeed = 412;
    progress.recentWriteSpeed = 28.4;
    progress.writeSpeed = 27.6;
    progress.firstTokenSeconds = 0.94;
    return progress;
}

} // namespace

class StatusModelTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QLocale::setDefault(QLocale::c()); }

    void showsDashesBeforeAnythingHappened() {
        const StatusModel status(&memory);
        QCOMPARE(status.reading(), QStringLiteral("\u2013"));
        QCOMPARE(status.writing(), QStringLiteral("\u2013"));
        QCOMPARE(status.tokens(), QStringLiteral("\u2013"));
        QCOMPARE(status.context(), QStringLiteral("\u2013"));
        QCOMPARE(status.modelMemory(), QStringLiteral("\u2013"));
        QVERIFY(!status.busy());
    }
    void goesFromReadingToWritingToIdle() {
        StatusModel status(&memory);
        status.showAnswering();
        QCOMPARE(status.phase(), StatusModel::Phase::Reading);
        StatusModel::Progress reading = writing();
        reading.generatedTokens = 0;
        reading.prefilledTokens = 208;
        status.showProgress(reading);
        QTRY_COMPARE(status.readingFraction(), 0.5);
        QVERIFY(status.text().contains(QStringLiteral("416")));
        status.showProgress(writing());
        QCOMPARE(status.phase(), StatusModel::Phase::Writing);
        QCOMPARE(status.writing(), QStringLiteral("28 tok/s"));
        QSignalSpy announced(&status, &StatusModel::announced);
        status.showIdle(QStringLiteral("ended by itself"), QStringLiteral("Answer finished"));
        QCOMPARE(status.phase(), StatusModel::Phase::Idle);
        QCOMPARE(status.stopReason(), QStringLiteral("ended by itself"));
        QCOMPARE(announced.count(), 1);
        QCOMPARE(status.usedMemory(), QStringLiteral("145 MB"));
        QCOMPARE(status.freeMemory(), QStringLiteral("5.1 GB"));
    }
    void refreshesAtMostFourTimesASecondAndNotAtRest() {
        StatusModel status(&memory);
        status.showAnswering();
        QSignalSpy changes(&status, &StatusModel::changed);
        for (int i = 0; i < 100; ++i) {
            StatusModel::Progress progress = writing();
            progress.generatedTokens = i + 1;
            status.showProgress(progress);
        }
        QCOMPARE(changes.count(), 1); // the step from reading to writing
        QTRY_COMPARE(status.tokens(), QStringLiteral("100"));
        status.showIdle({}, {});
        changes.clear();
        QTest::qWait(2 * StatusModel::kRefreshMs);
        QCOMPARE(changes.count(), 0);
    }
    void contextIsToldInWordsAsWellAsByColour() {
        StatusModel status(&memory);
        StatusModel::Progress progress = writing();
        progress.contextUsed = 3500; // 85 %
        status.showFacts(progress, {});
        QCOMPARE(status.contextLevel(), StatusModel::ContextLevel::Filling);
        QVERIFY(!status.contextAdvice().isEmpty());
        progress.contextUsed = 4000; // 98 %
        status.showFacts(progress, {});
        QCOMPARE(status.contextLevel(), StatusModel::ContextLevel::NearlyFull);
        QVERIFY(!status.contextAdvice().isEmpty());
        QVERIFY(status.contextSpoken().startsWith(QStringLiteral("98 percent")));
    }
    void theGraphKeepsOneMinute() {
        StatusModel status(&memory);
        for (int i = 0; i < StatusModel::kSamples + 10; ++i)
            status.sample(i);
        QCOMPARE(status.samples().size(), StatusModel::kSamples);
        QCOMPARE(status.samples().first(), 10.0);
        QCOMPARE(status.samplesText(), QStringLiteral("between 10 tok/s and 129 tok/s"));
    }
    void factsOfAnOldAnswerDoNotDisturbARunningOne() {
        StatusModel status(&memory);
        status.showAnswering();
        status.showProgress(writing());
        StatusModel::Progress other;
        other.generatedTokens = 7;
        status.showFacts(other, {});
        QVERIFY(status.tokens() != QStringLiteral("7"));
    }
};

QTEST_MAIN(StatusModelTest)
#include "status_model_test.moc"
