// The real window on a virtual screen, the real starter model, a fresh data folder, driven by the
// keyboard alone and judged by what is kept. Times are printed, never asserted.

#include "tests/e2e/observer.h"
#include "tests/e2e/x_display.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

namespace alcove::e2e {

namespace {

constexpr auto kModelFile = "SmolLM2-135M-Instruct.Q4_1.gguf";
constexpr int kPatienceMs = 60000; // a bound against hanging, not a measure

QString modelsFolder() {
    const QString fromEnvironment = qEnvironmentVariable("ALCOVE_MODELS");
    return fromEnvironment.isEmpty() ? QStringLiteral(ALCOVE_SHARED_DEFAULT "/../models")
                                     : fromEnvironment;
}

/// The program `alcove` on a screen, with the data folder `data`.
class Window {
public:
    Window(XDisplay& screen, const QString& data, const QString& report) {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("DISPLAY"), screen.name());
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("xcb"));
        environment.insert(QStringLiteral("QT_QUICK_BACKEND"), QStringLiteral("software"));
        m_process.setProcessEnvironment(environment);
        m_process.setProcessChannelMode(QProcess::ForwardedChannels);
        m_process.start(QStringLiteral(ALCOVE_PROGRAM),
                        {QStringLiteral("--data"), data, QStringLiteral("--test-report"), report});
        m_shown = !screen.waitForWindow(QStringLiteral("Alcove"), kPatienceMs).isEmpty();
    }
    ~Window() {
        if (m_process.state() != QProcess::NotRunning)
            m_process.kill();
        m_process.waitForFinished(5000);
    }
    bool isShown() const { return m_shown; }
    QProcess& process() { return m_process; }

private:
    QProcess m_process;
    bool m_shown = false;
};

QJsonObject readReport(const QString& file) {
    QFile in(file);
    return in.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(in.readAll()).object()
                                        : QJsonObject();
}

} // namespace

class WindowTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void aConversationFromStartToRestart();

private:
    void shot(XDisplay& screen, const char* name);
    QString m_shots; // folder for pictures; empty: none are made
};

void WindowTest::initTestCase() {
    m_shots = qEnvironmentVariable("ALCOVE_E2E_PICTURES");
    if (!m_shots.isEmpty())
        QDir().mkpath(m_shots);
}

void WindowTest::shot(XDisplay& screen, const char* name) {
    if (!m_shots.isEmpty())
        screen.screenshot(m_shots + QLatin1Char('/') + QString::fromLatin1(name) +
                          QStringLiteral(".png"));
}

void WindowTest::aConversationFromStartToRestart() {
    const QString model = modelsFolder() + QLatin1Char('/') + QString::fromLatin1(kModelFile);
    if (!QFile::exists(model))
        QSKIP(qPrintable(QStringLiteral("the starter model is not there: ") + model));
    XDisplay screen(1280, 820);
    if (!screen.isValid())
        QSKIP(qPrintable(screen.error()));

    QTemporaryDir folder;
    const QString data =
        folder.filePath(QStringLiteral("data é")); // a space and a letter beyond ASCII
    QVERIFY(QDir().mkpath(data + QStringLiteral("/models")));
    QVERIFY(QFile::link(QFileInfo(model).absoluteFilePath(),
                        data + QStringLiteral("/models/") + QString::fromLatin1(kModelFile)));
    const Observer kept(data + QStringLiteral("/alcove.db"));
    const QString report = folder.filePath(QStringLiteral("report.json"));
    QString stoppedText;
    qint64 leaf = 0;
    QElapsedTimer clock;

    { // First start: ask, see text grow, stop, again, edit, rename, quit.
        clock.start();
        Window window(screen, data, report);
        QVERIFY(window.isShown());
        qInfo("window shown after %lld ms", clock.elapsed());
        shot(screen, "1-first-start");

        screen.key(QStringLiteral("ctrl+l"));
        screen.type(
            QStringLiteral("Write a very long story about a lighthouse keeper and the sea."));
        shot(screen, "2-question-typed");
        screen.key(QStringLiteral("Return"));
        QVERIFY(Observer::waitUntil([&] { return kept.answers().size() == 1; }, kPatienceMs));
        QCOMPARE(kept.questions().constFirst().text,
                 QStringLiteral("Write a very long story about a lighthouse keeper and the sea."));

        // Grows: the kept text gets longer while the state is `writing`.
        QVERIFY(Observer::waitUntil([&] { return !kept.answers().constFirst().text.isEmpty(); },
                                    kPatienceMs));
        shot(screen, "3-writing");
        clock.restart();
        screen.key(QStringLiteral("Escape"));
        QVERIFY(Observer::waitUntil(
            [&] { return kept.answers().constFirst().state != QLatin1String("writing"); },
            kPatienceMs));
        qInfo("stopped and stored %lld ms after the key", clock.elapsed());
        QCOMPARE(kept.answers().constFirst().state, QStringLiteral("stopped"));
        stoppedText = kept.answers().constFirst().text;
        QVERIFY(!stoppedText.isEmpty());
        QTest::qWait(700);
        QCOMPARE(kept.answers().constFirst().text, stoppedText); // quiet stays quiet
        shot(screen, "4-stopped");

        screen.key(QStringLiteral("ctrl+r"));
        QVERIFY(Observer::waitUntil([&] { return kept.answers().size() == 2; }, kPatienceMs));
        QVERIFY(Observer::waitUntil([&] { return kept.answers().constLast().text.size() > 40; },
                                    kPatienceMs));
        screen.key(QStringLiteral("Escape"));
        QVERIFY(Observer::waitUntil(
            [&] { return kept.answers().constLast().state != QLatin1String("writing"); },
            kPatienceMs));
        QCOMPARE(kept.answers().constLast().parentId, kept.answers().constFirst().parentId);
        QCOMPARE(kept.answers().constFirst().text, stoppedText); // the first answer is untouched
        shot(screen, "5-again");

        screen.key(QStringLiteral("ctrl+l"));
        screen.key(QStringLiteral("Up")); // in an empty field: edits the last own message
        QTest::qWait(300);
        screen.key(QStringLiteral("ctrl+a"));
        screen.type(QStringLiteral("What is the capital of France?"));
        shot(screen, "6-editing");
        screen.key(QStringLiteral("Return"));
        QVERIFY(Observer::waitUntil([&] { return kept.questions().size() == 2; }, kPatienceMs));
        QCOMPARE(kept.questions().constLast().text,
                 QStringLiteral("What is the capital of France?"));
        QCOMPARE(kept.questions().constLast().parentId, kept.questions().constFirst().parentId);
        QVERIFY(Observer::waitUntil(
            [&] {
                return kept.answers().size() == 3 &&
                       kept.answers().constLast().state == QLatin1String("complete");
            },
            kPatienceMs));
        QVERIFY2(kept.answers().constLast().text.contains(QLatin1String("Paris")),
                 qPrintable(kept.answers().constLast().text));
        shot(screen, "7-edited-and-answered");

        screen.key(QStringLiteral("F2"));
        QTest::qWait(300);
        screen.key(QStringLiteral("ctrl+a"));
        screen.type(QStringLiteral("Lighthouses"));
        screen.key(QStringLiteral("Return"));
        QVERIFY(Observer::waitUntil([&] { return kept.title() == QLatin1String("Lighthouses"); },
                                    kPatienceMs));
        shot(screen, "8-renamed");
        leaf = kept.leaf();

        clock.restart();
        screen.key(QStringLiteral("ctrl+q"));
        QVERIFY(window.process().waitForFinished(kPatienceMs));
        qInfo("quit after %lld ms", clock.elapsed());
        QCOMPARE(window.process().exitStatus(), QProcess::NormalExit);
        QCOMPARE(window.process().exitCode(), 0);
    }
    qInfo("first run: %s",
          QJsonDocument(readReport(report)).toJson(QJsonDocument::Compact).constData());

    { // Second start: everything is there, and the conversation goes on where it was.
        Window window(screen, data, report);
        QVERIFY(window.isShown());
        QTest::qWait(1500);
        shot(screen, "9-started-again");
        QCOMPARE(kept.title(), QStringLiteral("Lighthouses"));
        QCOMPARE(kept.leaf(), leaf);
        QCOMPARE(kept.answers().constFirst().text, stoppedText);
        screen.key(QStringLiteral("ctrl+l"));
        screen.type(QStringLiteral("And of Italy?"));
        screen.key(QStringLiteral("Return"));
        QVERIFY(Observer::waitUntil(
            [&] {
                return kept.answers().size() == 4 &&
                       kept.answers().constLast().state == QLatin1String("complete");
            },
            kPatienceMs));
        QCOMPARE(kept.questions().constLast().parentId, leaf); // below the branch that was open
        QCOMPARE(kept.conversations(), 1);
        shot(screen, "10-went-on");
        screen.key(QStringLiteral("ctrl+q"));
        QVERIFY(window.process().waitForFinished(kPatienceMs));
        QCOMPARE(window.process().exitCode(), 0);
    }
    qInfo("second run: %s",
          QJsonDocument(readReport(report)).toJson(QJsonDocument::Compact).constData());
    QCOMPARE(kept.integrity(), QStringLiteral("ok"));
}

} // namespace alcove::e2e

QTEST_GUILESS_MAIN(alcove::e2e::WindowTest)
#include "window_test.moc"
