#pragma once

#include <QProcess>
#include <QString>
#include <QStringList>

#include <memory>

namespace alcove::e2e {

/// A virtual screen of its own (Xvfb) and a person's hands on it (xdotool). The server ends with
/// the object.
class XDisplay {
public:
    /// Starts a screen of the given size; isValid() is false (see error()) where Xvfb or xdotool
    /// are missing.
    XDisplay(int width, int height);
    ~XDisplay();

    bool isValid() const { return !m_name.isEmpty(); }
    const QString& error() const { return m_error; }
    const QString& name() const { return m_name; } ///< ":7"

    /// The first mapped window whose title holds `title`, given keyboard focus; empty after
    /// `timeoutMs` without one.
    QString waitForWindow(const QString& title, int timeoutMs);
    void key(const QString& keys); ///< "Return", "ctrl+q"
    void type(const QString& text);
    void click(int x, int y);
    /// The screen as a picture, for a person to judge.
    bool screenshot(const QString& file);

private:
    QString xdotool(const QStringList& arguments, int timeoutMs = 10000);
    QProcess m_server;
    QString m_name, m_error;
};

} // namespace alcove::e2e
