#include "tests/e2e/x_display.h"

#include <QDeadlineTimer>
#include <QStandardPaths>
#include <QThread>

namespace alcove::e2e {

namespace {

QProcessEnvironment onDisplay(const QString& name) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("DISPLAY"), name);
    return environment;
}

} // namespace

XDisplay::XDisplay(int width, int height) {
    for (const auto* program : {"Xvfb", "xdotool"}) {
        if (QStandardPaths::findExecutable(QString::fromLatin1(program)).isEmpty()) {
            m_error = QString::fromLatin1(program) + QStringLiteral(" is not installed");
            return;
        }
    }
    // The server picks a free number itself and says it on standard output.
    m_server.start(QStringLiteral("Xvfb"),
                   {QStringLiteral("-displayfd"), QStringLiteral("1"), QStringLiteral("-screen"),
                    QStringLiteral("0"), QStringLiteral("%1x%2x24").arg(width).arg(height),
                    QStringLiteral("-nolisten"), QStringLiteral("tcp")});
    if (!m_server.waitForReadyRead(20000)) {
        m_error = QStringLiteral("Xvfb did not start: ") +
                  QString::fromUtf8(m_server.readAllStandardError());
        return;
    }
    m_name = QStringLiteral(":") + QString::fromUtf8(m_server.readLine()).trimmed();
}

XDisplay::~XDisplay() {
    m_server.terminate();
    if (!m_server.waitForFinished(5000))
        m_server.kill();
    m_server.waitForFinished(1000);
}

QString XDisplay::waitForWindow(const QString& title, int timeoutMs) {
    QDeadlineTimer deadline(timeoutMs);
    while (!deadline.hasExpired()) {
        const QString ids = xdotool({QStringLiteral("search"), QStringLiteral("--onlyvisible"),
                                     QStringLiteral("--name"), title});
        const QString id = ids.section(QLatin1Char('\n'), 0, 0).trimmed();
        if (!id.isEmpty()) {
            // There is no window manager on this screen: focus is given by hand.
            xdotool({QStringLiteral("windowfocus"), QStringLiteral("--sync"), id});
            return id;
        }
        QThread::msleep(20);
    }
    return {};
}

void XDisplay::key(const QString& keys) {
    xdotool({QStringLiteral("key"), QStringLiteral("--clearmodifiers"), keys});
}

void XDisplay::type(const QString& text) {
    xdotool({QStringLiteral("type"), QStringLiteral("--delay"), QStringLiteral("8"), text}, 60000);
}

void XDisplay::click(int x, int y) {
    xdotool({QStringLiteral("mousemove"), QString::number(x), QString::number(y),
             QStringLiteral("click"), QStringLiteral("1")});
}

bool XDisplay::screenshot(const QString& file) {
    QProcess import;
    import.setProcessEnvironment(onDisplay(m_name));
    import.start(QStringLiteral("import"),
                 {QStringLiteral("-window"), QStringLiteral("root"), file});
    return import.waitForFinished(20000) && import.exitCode() == 0;
}

QString XDisplay::xdotool(const QStringList& arguments, int timeoutMs) {
    QProcess process;
    process.setProcessEnvironment(onDisplay(m_name));
    process.start(QStringLiteral("xdotool"), arguments);
    process.waitForFinished(timeoutMs);
    return QString::fromUtf8(process.readAllStandardOutput());
}

} // namespace alcove::e2e
