#pragma once

#include <QProcess>
#include <QString>
#include <QStringList>

#include <memory>
#include <optional>

/// A display of its own (Xvfb) and keys as a person would press them (xdotool).
class Display {
public:
    /// Empty: a display is running. Else why there is none.
    static QString start(std::unique_ptr<Display>& display);
    ~Display();

    const QString& name() const { return m_name; }
    /// Runs xdotool with `arguments`; its output, or nothing if it failed.
    std::optional<QString> xdotool(const QStringList& arguments) const;
    /// Saves a picture of the screen if ALCOVE_E2E_SHOTS names a folder.
    void shoot(const QString& picture) const;

private:
    QProcess m_server;
    QString m_name;
};

/// The window program, running on a display with a data folder.
class WindowProgram {
public:
    WindowProgram(const Display& display, const QString& dataFolder);
    ~WindowProgram();

    /// Starts it and waits until its window has the keyboard. False: it did not come up; error()
    /// says more.
    bool start(const QString& reportFile = {});
    bool isRunning() const { return m_process.state() == QProcess::Running; }
    QString error() const { return m_error; }
    QString title() const;

    void key(const QString& keys) const;  ///< "Return", "ctrl+r"
    void type(const QString& text) const; ///< as keys, one after the other
    bool quit();                          ///< Ctrl+Q; true if it ended by itself with 0
    void killNow();                       ///< SIGKILL

private:
    void focus() const;

    const Display& m_display;
    QString m_dataFolder, m_error, m_window;
    QProcess m_process;
};
