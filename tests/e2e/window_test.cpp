// A person's first hour, by real keys in the real window with a real model: ask, watch the answer
// grow, stop, write again, edit, rename, quit, come back and find everything; and the same with the
// power cut in the middle of answers.
#include "window_driver.h"

#include "app/paths.h"
#include "app/store/conversation_store.h"
#include "app/store/database.h"
#include "app/store/message_store.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

using namespace alcove;
using app::Message;
using app::MessageState;
using app::Role;

namespace {

constexpr auto kModelFile = "SmolLM2-135M-Instruct.Q4_1.gguf";
constexpr int kAnswerMs = 180'000;
constexpr int kSoonMs = 30'000;

QString realModel() {
    const QString named = qEnvironmentVariable("ALCOVE_E2E_MODEL");
    const QStringList places{named, QStringLiteral(ALCOVE_SOURCE_DIR "/../models/") +
                                        QLatin1String(kModelFile)};
    for (const QString& place : places) {
        if (!place.isEmpty() && QFile::exists(place))
            return QFileInfo(place).canonicalFilePath();
    }
    return {};
}

/// What the window has stored, read beside it.
class Stored {
public:
    explicit Stored(const QString& dataFolder) {
        auto opened = app::Database::open(dataFolder + QStringLiteral("/alcove.db"));
        if (opened)
            m_database = std::move(*opened);
    }
    bool isOpen() const { return m_database != nullptr; }
    QVector<app::Conversation> conversations() const {
        auto rows = app::ConversationStore(*m_database).list();
        return rows ? *rows : QVector<app::Conversation>();
    }
    QVector<Message> all() const {
        QVector<Message> messages;
        for (const app::Conversation& row : conversations()) {
            if (auto of = app::MessageStore(*m_database).all(row.id))
                messages += *of;
        }
        return messages;
    }
    std::optional<Message> last(Role role) const {
        std::optional<Message> found;
        for (const Message& message : all()) {
            if (message.role == role)
                found = message;
        }
        return found;
    }
    int count(Role role) const {
        int n = 0;
        for (const Message& message : all())
            n += message.role == role ? 1 : 0;
        return n;
    }
    QStringList damage() const {
        auto found = m_database->checkIntegrity();
        return found ? QStringList(found->cbegin(), found->cend())
                     : QStringList{QStringLiteral("could not be checked")};
    }

private:
    std::unique_ptr<app::Database> m_database;
};

QJsonObject reportOf(const QString& file) {
    QFile report(file);
    return report.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(report.readAll()).object()
                                            : QJsonObject();
}

} // namespace

class WindowTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        m_model = realModel();
        if (m_model.isEmpty())
            QSKIP("the starter model is not here: set ALCOVE_E2E_MODEL or place it in ../models");
        const QString reason = Display::start(m_display);
        if (!reason.isEmpty())
            QSKIP(qPrintable(reason));
    }

    void aConversationFromNothing() {
        const QTemporaryDir dir;
        prepare(dir.path());
        const QString report = dir.filePath(QStringLiteral("report.json"));
        WindowProgram window(*m_display, dir.path());
        QVERIFY2(window.start(report), qPrintable(window.error()));
        QTRY_VERIFY_WITH_TIMEOUT(Stored(dir.path()).isOpen(), kSoonMs);
        const Stored stored(dir.path());
        chooseModel(window);
        m_display->shoot(QStringLiteral("1-chosen.png"));

        // Ask, and watch it grow.
        window.type(QStringLiteral("Tell me a long story about a lighthouse keeper"));
        m_display->shoot(QStringLiteral("2-typed.png"));
        window.key(QStringLiteral("Return"));
        QTRY_VERIFY_WITH_TIMEOUT(stored.last(Role::User).has_value(), kSoonMs);
        QCOMPARE(stored.last(Role::User)->text,
                 QStringLiteral("Tell me a long story about a lighthouse keeper"));
        QTRY_VERIFY_WITH_TIMEOUT(stored.last(Role::Assistant) &&
                                     !stored.last(Role::Assistant)->text.isEmpty(),
                                 kAnswerMs);
        const qsizetype early = stored.last(Role::Assistant)->text.size();
        QTRY_VERIFY_WITH_TIMEOUT(stored.last(Role::Assistant)->text.size() > early, kSoonMs);
        QCOMPARE(stored.last(Role::Assistant)->state, MessageState::Writing);
        m_display->shoot(QStringLiteral("3-growing.png"));

        // Stop: from the key to the answer stored as stopped.
        QElapsedTimer clock;
        clock.start();
        window.key(QStringLiteral("Escape"));
        const qint64 pressed = clock.elapsed();
        while (stored.last(Role::Assistant)->state == MessageState::Writing &&
               clock.elapsed() < kSoonMs)
            QTest::qSleep(5);
        const qint64 quiet = clock.elapsed();
        QCOMPARE(stored.last(Role::Assistant)->state, MessageState::Stopped);
        const QString stopped = stored.last(Role::Assistant)->text;
        QTest::qWait(1500);
        QCOMPARE(stored.last(Role::Assistant)->text, stopped);
        qInfo("stop: quiet %lld ms after the key was sent, %lld ms after it was pressed", quiet,
              quiet - pressed);
        m_display->shoot(QStringLiteral("4-stopped.png"));

        // Again: a second answer to the same question; the first one stays.
        window.key(QStringLiteral("ctrl+r"));
        QTRY_COMPARE_WITH_TIMEOUT(stored.count(Role::Assistant), 2, kSoonMs);
        QCOMPARE(stored.count(Role::User), 1);
        QTRY_VERIFY_WITH_TIMEOUT(!stored.last(Role::Assistant)->text.isEmpty(), kAnswerMs);
        window.key(QStringLiteral("Escape"));
        QTRY_VERIFY_WITH_TIMEOUT(stored.last(Role::Assistant)->state != MessageState::Writing,
                                 kSoonMs);

        // Edit the question: Up brings it into the field; a branch beside the first.
        window.key(QStringLiteral("ctrl+l"));
        window.key(QStringLiteral("Up"));
        QTest::qWait(300);
        window.key(QStringLiteral("ctrl+a"));
        window.type(QStringLiteral("Say only the word yes"));
        m_display->shoot(QStringLiteral("5-editing.png"));
        window.key(QStringLiteral("Return"));
        QTRY_COMPARE_WITH_TIMEOUT(stored.count(Role::User), 2, kSoonMs);
        QCOMPARE(stored.last(Role::User)->text, QStringLiteral("Say only the word yes"));
        QCOMPARE(stored.last(Role::User)->siblingCount, 2);
        QTRY_VERIFY_WITH_TIMEOUT(stored.last(Role::Assistant)->state != MessageState::Writing,
                                 kAnswerMs);
        m_display->shoot(QStringLiteral("6-edited.png"));

        // Rename.
        window.key(QStringLiteral("F2"));
        QTest::qWait(300);
        window.key(QStringLiteral("ctrl+a"));
        window.type(QStringLiteral("The lighthouse"));
        window.key(QStringLiteral("Return"));
        QTRY_COMPARE_WITH_TIMEOUT(stored.conversations().constFirst().title,
                                  QStringLiteral("The lighthouse"), kSoonMs);

        // A draft that was never sent.
        window.key(QStringLiteral("ctrl+l"));
        window.type(QStringLiteral("a half thou"));
        const QVector<Message> before = stored.all();
        QVERIFY2(window.quit(), qPrintable(window.error()));
        const QJsonObject held = reportOf(report);
        QVERIFY(!held.isEmpty());
        qInfo("usable %.0f ms after the process began",
              held.value(QStringLiteral("usable_after_ms")).toDouble());
        qInfo("the window's thread was held for at most %.1f ms (%s), for more than 50 ms %d times",
              held.value(QStringLiteral("longest_ms")).toDouble(),
              qPrintable(held.value(QStringLiteral("longest_in")).toString()),
              held.value(QStringLiteral("over_50_ms")).toInt());

        // Come back.
        QVERIFY2(window.start(report), qPrintable(window.error()));
        QTRY_VERIFY_WITH_TIMEOUT(window.title().contains(QStringLiteral("The lighthouse")),
                                 kSoonMs);
        m_display->shoot(QStringLiteral("7-again.png"));
        QCOMPARE(stored.conversations().constFirst().draft, QStringLiteral("a half thou"));
        const QVector<Message> after = stored.all();
        QCOMPARE(after.size(), before.size());
        for (qsizetype i = 0; i < after.size(); ++i) {
            QCOMPARE(after[i].text, before[i].text);
            QCOMPARE(after[i].state, before[i].state);
        }
        QCOMPARE(stored.damage(), QStringList());
        QVERIFY2(window.quit(), qPrintable(window.error()));
    }

    void killingItInTheMiddleLosesNoFinishedMessage() {
        const QTemporaryDir dir;
        prepare(dir.path());
        QHash<qint64, QString> finished;
        constexpr int kKills = 10;
        for (int round = 0; round < kKills; ++round) {
            WindowProgram window(*m_display, dir.path());
            QVERIFY2(window.start(), qPrintable(window.error()));
            QTRY_VERIFY_WITH_TIMEOUT(Stored(dir.path()).isOpen(), kSoonMs);
            const Stored stored(dir.path());
            if (round == 0)
                chooseModel(window);
            window.key(QStringLiteral("ctrl+n"));
            const int questions = stored.count(Role::User);
            window.type(QStringLiteral("Count slowly, round %1").arg(round));
            window.key(QStringLiteral("Return"));
            // Killed while it loaded, a model is not loaded again by itself: the text waits until
            // it is chosen.
            if (!QTest::qWaitFor([&] { return stored.count(Role::User) > questions; }, 5000)) {
                chooseModel(window);
                window.key(QStringLiteral("ctrl+l"));
                window.key(QStringLiteral("Return"));
            }
            QTRY_COMPARE_WITH_TIMEOUT(stored.count(Role::User), questions + 1, kSoonMs);
            QTest::qWait(QRandomGenerator::global()->bounded(100, 3000));
            for (const Message& message : stored.all()) {
                if (message.state != MessageState::Writing)
                    finished.insert(message.id, message.text);
            }
            window.killNow();

            const Stored afterwards(dir.path());
            QVERIFY(afterwards.isOpen());
            QCOMPARE(afterwards.damage(), QStringList());
            QHash<qint64, QString> found;
            for (const Message& message : afterwards.all())
                found.insert(message.id, message.text);
            for (auto it = finished.cbegin(); it != finished.cend(); ++it)
                QCOMPARE(found.value(it.key()), it.value());
        }
        qInfo("killed %d times; %lld finished messages all there", kKills,
              qlonglong(finished.size()));
    }

private:
    // A fresh data folder whose model folder has the real model.
    void prepare(const QString& folder) const {
        QVERIFY(QDir().mkpath(folder + QStringLiteral("/models")));
        QVERIFY(
            QFile::link(m_model, folder + QStringLiteral("/models/") + QLatin1String(kModelFile)));
    }

    void chooseModel(const WindowProgram& window) const {
        // The library is read after the first frame.
        QTest::qWait(1500);
        window.key(QStringLiteral("ctrl+m"));
        QTest::qWait(700);
        window.key(QStringLiteral("Return"));
        QTest::qWait(300);
        window.key(QStringLiteral("ctrl+l"));
    }

    QString m_model;
    std::unique_ptr<Display> m_display;
};

QTEST_GUILESS_MAIN(WindowTest)
#include "window_test.moc"
