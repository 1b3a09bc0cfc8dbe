#include "window_driver.h"

#include <QDir>
#include <QElapsedTimer>
#include <QStandardPaths>
#include <QTest>

namespace {

constexpr int kStartMs = 30'000;
constexpr int kToolMs = 20'000;

QString tool(const char* name) {
    return QStandardPaths::findExecutable(QLatin1String(name));
}

} // namespace

QString Display::start(std::unique_ptr<Display>& display) {
    for (const char* name : {"Xvfb", "xdotool"}) {
        if (tool(name).isEmpty())
            return QStringLiteral("%1 is not installed").arg(QLatin1String(name));
    }
    auto made = std::unique_ptr<Display>(new Display);
    // The server chooses a free number and writes it to its standard output.
    made->m_server.start(
        tool("Xvfb"), {QStringLiteral("-displayfd"), QStringLiteral("1"), QStringLiteral("-screen"),
                       QStringLiteral("0"), QStringLiteral("1400x900x24"),
                       QStringLiteral("-nolisten"), QStringLiteral("tcp"),
                       // The server would start anew whenever its last client leaves.
                       QStringLiteral("-noreset")});
    QByteArray number;
    while (!number.contains('\n')) {
        if (!made->m_server.waitForReadyRead(kStartMs))
            return QStringLiteral("Xvfb did not start: %1")
                .arg(QString::fromLocal8Bit(made->m_server.readAllStandardError()));
        number += made->m_server.readAllStandardOutput();
    }
    made->m_name = u':' + QString::fromLatin1(number.trimmed());
    display = std::move(made);
    return {};
}

Display::~Display() {
    m_server.terminate();
    if (!m_server.waitForFinished(kToolMs))
        m_server.kill();
}

std::optional<QString> Display::xdotool(const QStringList& arguments) const {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("DISPLAY"), m_name);
    process.setProcessEnvironment(environment);
    process.start(tool("xdotool"), arguments);
    if (!process.waitForFinished(kToolMs) || process.exitCode() != 0)
        return std::nullopt;
    return QString::fromUtf8(process.readAllStandardOutput()).trimmed();
}

void Display::shoot(const QString& picture) const {
    const QString folder = qEnvironmentVariable("ALCOVE_E2E_SHOTS");
    if (folder.isEmpty() || tool("import").isEmpty())
        return;
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("DISPLAY"), m_name);
    process.setProcessEnvironment(environment);
    process.start(tool("import"),
                  {QStringLiteral("-window"), QStringLiteral("root"), folder + u'/' + picture});
    process.waitForFinished(kToolMs);
}

WindowProgram::WindowProgram(const Display& display, const QString& dataFolder)
    : m_display(display), m_dataFolder(dataFolder) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("DISPLAY"), display.name());
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("xcb"));
    environment.insert(QStringLiteral("QT_QUICK_BACKEND"), QStringLiteral("software"));
    environment.remove(QStringLiteral("WAYLAND_DISPLAY"));
    environment.remove(QStringLiteral("DBUS_SESSION_BUS_ADDRESS"));
    m_process.setProcessEnvironment(environment);
    m_process.setProcessChannelMode(QProcess::ForwardedChannels);
}

WindowProgram::~WindowProgram() {
    if (isRunning())
        killNow();
}

bool WindowProgram::start(const QString& reportFile) {
    QStringList arguments{QStringLiteral("--data"), m_dataFolder};
    if (!reportFile.isEmpty())
        arguments << QStringLiteral("--test-report") << reportFile;
    m_process.start(QStringLiteral(ALCOVE_PROGRAM), arguments);
    if (!m_process.waitForStarted(kStartMs)) {
        m_error = m_process.errorString();
        return false;
    }
    QElapsedTimer clock;
    clock.start();
    while (clock.elapsed() < kStartMs && isRunning()) {
        const auto found =
            m_display.xdotool({QStringLiteral("search"), QStringLiteral("--onlyvisible"),
                               QStringLiteral("--pid"), QString::number(m_process.processId())});
        if (found && !found->isEmpty()) {
            m_window = found->section(u'\n', 0, 0);
            focus();
            return true;
        }
        QTest::qWait(50);
    }
    m_error = QStringLiteral("no window appeared");
    return false;
}

// There is no window manager that would do it.
void WindowProgram::focus() const {
    m_display.xdotool({QStringLiteral("windowfocus"), QStringLiteral("--sync"), m_window});
}

QString WindowProgram::title() const {
    return m_display.xdotool({QStringLiteral("getwindowname"), m_window}).value_or(QString());
}

void WindowProgram::key(const QString& keys) const {
    m_display.xdotool({QStringLiteral("key"), QStringLiteral("--clearmodifiers"), keys});
}

void WindowProgram::type(const QString& text) const {
    m_display.xdotool(
        {QStringLiteral("type"), QStringLiteral("--delay"), QStringLiteral("25"), text});
}

bool WindowProgram::quit() {
    key(QStringLiteral("ctrl+q"));
    if (!m_process.waitForFinished(kStartMs)) {
        m_error = QStringLiteral("it did not end");
        return false;
    }
    return m_process.exitStatus() == QProcess::NormalExit && m_process.exitCode() == 0;
}

void WindowProgram::killNow() {
    m_process.kill();
    m_process.waitForFinished(kStartMs);
}
