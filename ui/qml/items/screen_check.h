#pragma once

#include <QObject>
#include <QQuickWindow>
#include <QString>

#include <functional>

namespace alcove::ui {

class AppModel;

/// Renders screens and states of the running window to pictures, and writes their accessible tree
/// beside them as text, so that people can review them and a test can look for controls without a
/// name. Ends the program when done.
class ScreenCheck : public QObject {
    Q_OBJECT

public:
    /// `screens`: a screen's name, several with commas, or "all". Files go to `folder`.
    ScreenCheck(AppModel& app, QQuickWindow& window, const QString& screens, const QString& folder,
                QObject* parent = nullptr);

    static QStringList screenNames();
    /// One item a line, indented by depth: role, name, state. Items that act or hold text and have
    /// no name are marked "NO NAME".
    static QString accessibleTree(QObject* root);
    void run();

Q_SIGNALS:
    void finished(bool ok);

private:
    void next();
    void capture();

    AppModel& m_app;
    QQuickWindow& m_window;
    QStringList m_todo;
    QString m_folder;
    bool m_ok = true;
};

} // namespace alcove::ui
