#include "app/instance.h"
#include "app/logging.h"
#include "app/paths.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <signal.h>

using namespace alcove;
using namespace alcove::app;

/// Data folder, one window per folder, log.
class StartTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void optionWinsOverVariableAndVariableOverThePlatformsPlace() {
        qputenv("ALCOVE_DATA", m_folder->filePath(QStringLiteral("variable")).toUtf8());
        QCOMPARE(resolvePaths(m_folder->filePath(QStringLiteral("option")))->data,
                 m_folder->filePath(QStringLiteral("option")));
        const auto paths = resolvePaths({});
        QCOMPARE(paths->data, m_folder->filePath(QStringLiteral("variable")));
        QVERIFY(QDir(paths->models).exists());
        QCOMPARE(paths->database, paths->data + QStringLiteral("/alcove.db"));
        qunsetenv("ALCOVE_DATA");
        qputenv("XDG_DATA_HOME", m_folder->filePath(QStringLiteral("home")).toUtf8());
        QCOMPARE(resolvePaths({})->data, m_folder->filePath(QStringLiteral("home/Alcove")));
        qunsetenv("XDG_DATA_HOME");
    }

    void aFileInPlaceOfTheFolderGivesASentence() {
        QFile file(m_folder->filePath(QStringLiteral("file")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        const auto paths = resolvePaths(file.fileName());
        QVERIFY(!paths);
        QVERIFY2(QByteArray::fromStdString(paths.error().message).contains("is a file"),
                 paths.error().message.c_str());
    }

    void secondStartHandsItsFilesOver() {
        const AppPaths paths = resolvePaths(m_folder->path()).value();
        const auto first = Instance::acquire(paths, {});
        QVERIFY(first);
        QVERIFY(!(*first)->handedOver());
        QSignalSpy activated(first->get(), &Instance::activated);
        QProcess second;
        second.start(QCoreApplication::applicationFilePath(),
                     {QStringLiteral("--second"), m_folder->path(), QStringLiteral("/a b.gguf"),
                      QStringLiteral("/ü.gguf")});
        QTRY_COMPARE(activated.size(), 1);
        QCOMPARE(activated.at(0).at(0).toStringList(),
                 (QStringList{QStringLiteral("/a b.gguf"), QStringLiteral("/ü.gguf")}));
        QTRY_COMPARE(second.state(), QProcess::NotRunning);
        QCOMPARE(second.exitCode(), 0);
    }

    void anotherFolderIsAnotherWindow() {
        const auto first =
            Instance::acquire(resolvePaths(m_folder->filePath(QStringLiteral("a"))).value(), {});
        const auto second =
            Instance::acquire(resolvePaths(m_folder->filePath(QStringLiteral("b"))).value(), {});
        QVERIFY(first && second);
        QVERIFY(!(*second)->handedOver());
    }

    void aKilledWindowsLockIsTakenOver() {
        QProcess holder;
        holder.start(QCoreApplication::applicationFilePath(),
                     {QStringLiteral("--hold"), m_folder->path()});
        QVERIFY(holder.waitForReadyRead());
        ::kill(static_cast<pid_t>(holder.processId()), SIGKILL);
        QVERIFY(holder.waitForFinished());
        const auto next = Instance::acquire(resolvePaths(m_folder->path()).value(), {});
        QVERIFY2(next, next ? "" : next.error().message.c_str());
        QVERIFY(!(*next)->handedOver());
    }

    void logGoesToAFileWithTheRoomsName() {
        const AppPaths paths = resolvePaths(m_folder->path()).value();
        startLogging(paths, LogTarget::File, false);
        logInfo("store", QStringLiteral("opened"));
        logDebug("store", QStringLiteral("a detail"));
        engineLog()(LogLevel::Warning, "model", "guessed {} something"); // braces are text
        stopLogging();
        logInfo("store", QStringLiteral("after the end"));
        QFile log(paths.logs + QStringLiteral("/alcove.log"));
        QVERIFY(log.open(QIODevice::ReadOnly));
        const QByteArray text = log.readAll();
        QVERIFY2(text.contains("store: opened"), text.constData());
        QVERIFY2(text.contains("engine.model: guessed {} something"), text.constData());
        QVERIFY(!text.contains("detail"));
        QVERIFY(!text.contains("after the end"));
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
};

int main(int argc, char** argv) {
    QCoreApplication program(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    if (argc >= 3 &&
        (arguments[1] == QLatin1String("--second") || arguments[1] == QLatin1String("--hold"))) {
        const auto instance =
            Instance::acquire(resolvePaths(arguments[2]).value(), arguments.mid(3));
        if (arguments[1] == QLatin1String("--second"))
            return instance && (*instance)->handedOver() ? 0 : 1;
        std::puts("held");
        std::fflush(stdout);
        return QCoreApplication::exec();
    }
    StartTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "start_test.moc"
