#include "app/engine/conversation_controller.h"
#include "app/library/model_library.h"
#include "app/store/settings.h"
#include "tests/app/engine/real_models.h"

#include <QCryptographicHash>
#include <QProcess>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

#include <cstdio>
#include <signal.h>

using namespace alcove;
using namespace alcove::app;

namespace {

QByteArray digest(const QString& text) {
    return QCryptographicHash::hash(text.toUtf8(), QCryptographicHash::Sha256).toHex();
}

void say(const QByteArray& line) {
    std::fputs((line + '\n').constData(), stdout);
    std::fflush(stdout);
}

/// The child: sends questions without end and says what it was told is stored.
int chatUntilKilled(int argc, char** argv) {
    QCoreApplication program(argc, argv);
    StoreThread store(QString::fromLocal8Bit(argv[2]));
    EngineService engine(nullptr, slowEngine(3));
    ConversationController controller(store, engine);
    int sent = 0;
    const auto next = [&] {
        controller.send(QStringLiteral("question %1 of this run").arg(++sent));
    };
    QObject::connect(&controller, &ConversationController::messageAdded, &controller,
                     [](const Message& message) {
                         if (message.role == Role::User)
                             say("question " + QByteArray::number(message.id) + ' ' +
                                 digest(message.text));
                     });
    QObject::connect(&controller, &ConversationController::answerDelta, &controller,
                     [] { say("grows"); });
    QObject::connect(&controller, &ConversationController::answerFinished, &controller,
                     [&](const Message& message) {
                         say("finished " + QByteArray::number(message.id) + ' ' +
                             digest(message.text));
                         next();
                     });
    controller.begin();
    // A kill while loading marks the model; here it is always given another try.
    QObject::connect(&controller, &ConversationController::modelStateChanged, &controller, [&] {
        if (controller.model().loadCrashed)
            controller.selectModel(controller.model().id);
        else if (sent == 0 && controller.model().id != 0)
            next();
    });
    controller.openNew();
    return QCoreApplication::exec();
}

} // namespace

class CrashTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void killedAtRandomMomentsNothingFinishedIsLost() {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("alcove.db"));
        const QString model = starterModel().isEmpty() ? tinyModel() : starterModel();
        {
            auto database = Database::open(path).value();
            QVERIFY(addModel(*database, model));
            QVERIFY(SettingsStore(*database).set(settings::kMaxTokens, 8));
        }
        QHash<RowId, QByteArray> promised; // message → digest of what was said to be stored
        int interrupted = 0;
        int finishedAnswers = 0;
        auto* random = QRandomGenerator::global();
        for (int round = 0; round < 10; ++round) {
            QProcess child;
            child.setProcessChannelMode(QProcess::ForwardedErrorChannel);
            child.start(QCoreApplication::applicationFilePath(),
                        {QStringLiteral("--chat-until-killed"), path});
            QVERIFY(child.waitForStarted());
            // Once text has come, a random while later: while reading, growing, finishing or
            // storing the next question.
            QByteArray output;
            while (!output.contains("grows") && child.waitForReadyRead(60'000))
                output += child.readAllStandardOutput();
            QVERIFY2(output.contains("grows"), output.constData());
            QTest::qWait(static_cast<int>(random->bounded(2500)));
            ::kill(static_cast<pid_t>(child.processId()), SIGKILL);
            QVERIFY(child.waitForFinished());
            output += child.readAllStandardOutput();
            const QList<QByteArray> lines = output.split('\n');
            for (const QByteArray& line : lines.mid(0, lines.size() - 1)) { // the last may be cut
                const QList<QByteArray> words = line.split(' ');
                if (words.size() == 3) {
                    promised.insert(words[1].toLongLong(), words[2]);
                    finishedAnswers += words[0] == "finished";
                }
            }
            auto opened = Database::open(path);
            QVERIFY2(opened, opened ? "" : opened.error().message.c_str());
            QVERIFY2((*opened)->notice().isEmpty(), qPrintable((*opened)->notice()));
            const auto findings = (*opened)->checkIntegrity();
            QVERIFY2(findings->isEmpty(), qPrintable(findings->join(QLatin1Char('\n'))));
            MessageStore messages(**opened);
            interrupted += messages.markInterrupted().value();
            for (auto it = promised.cbegin(); it != promised.cend(); ++it) {
                const auto message = messages.get(it.key());
                QVERIFY2(message, qPrintable(QStringLiteral("message %1 is lost").arg(it.key())));
                QCOMPARE(digest(message->text), it.value());
            }
        }
        qInfo("10 kills: %lld messages promised (%d answers), all there; %d answers interrupted",
              static_cast<long long>(promised.size()), finishedAnswers, interrupted);
        QVERIFY(promised.size() >= 10);
        QVERIFY(interrupted >= 1);
    }
};

int main(int argc, char** argv) {
    if (argc == 3 && QByteArray(argv[1]) == "--chat-until-killed")
        return chatUntilKilled(argc, argv);
    QCoreApplication program(argc, argv);
    CrashTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "crash_test.moc"
