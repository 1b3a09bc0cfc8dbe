#include "ui/qml/items/screen_check.h"

#include "ui/models/app_model.h"

#include <QAccessible>
#include <QDir>
#include <QFile>
#include <QImage>
#include <QTimer>

namespace alcove::ui {
namespace {

// Long enough for late layout and the 150 ms of a drawer.
constexpr int kSettleMs = 700;

struct Screen {
    const char* name;
    int width, height;
    AppearanceModel::Theme theme;
    int textPercent;
    const char* popup; ///< property of the window that is opened; null: none
};

using Look = AppearanceModel::Theme;

constexpr Screen kScreens[] = {
    {"wide-light", 1280, 820, Look::Light, 100, nullptr},
    {"wide-dark", 1280, 820, Look::Dark, 100, nullptr},
    {"wide-contrast", 1280, 820, Look::HighContrast, 100, nullptr},
    {"medium-light", 960, 720, Look::Light, 100, nullptr},
    {"narrow-light", 600, 760, Look::Light, 100, nullptr},
    {"smallest-light", 480, 400, Look::Light, 100, nullptr},
    {"smallest-dark", 480, 400, Look::Dark, 100, nullptr},
    {"laptop-200-light", 1366, 768, Look::Light, 200, nullptr},
    {"laptop-200-dark", 1366, 768, Look::Dark, 200, nullptr},
    {"wide-80", 1280, 820, Look::Light, 80, nullptr},
    {"picker-light", 1280, 820, Look::Light, 100, "picker"},
    {"picker-dark", 1280, 820, Look::Dark, 100, "picker"},
    {"picker-200", 1366, 768, Look::Light, 200, "picker"},
    {"adapters-light", 1280, 820, Look::Light, 100, "adapterPicker"},
    {"adapters-dark", 1280, 820, Look::Dark, 100, "adapterPicker"},
    {"adapters-200", 1366, 768, Look::Light, 200, "adapterPicker"},
    {"adapters-smallest", 480, 400, Look::Dark, 100, "adapterPicker"},
    {"appearance-light", 1280, 820, Look::Light, 100, "appearancePopover"},
    {"appearance-dark", 1280, 820, Look::Dark, 100, "appearancePopover"},
    {"keys-light", 1280, 820, Look::Light, 100, "keysPopup"},
    {"keys-dark", 1280, 820, Look::Dark, 100, "keysPopup"},
    {"list-drawer", 600, 760, Look::Light, 100, "listPane"},
    {"inspector-drawer", 960, 720, Look::Dark, 100, "inspectorPane"},
};

const Screen* screenNamed(const QString& name) {
    for (const Screen& screen : kScreens) {
        if (name == QLatin1String(screen.name))
            return &screen;
    }
    return nullptr;
}

bool needsName(QAccessibleInterface* item) {
    switch (item->role()) {
    case QAccessible::Client:
    case QAccessible::Window:
    case QAccessible::Pane:
    case QAccessible::NoRole:
        return false;
    default:
        return true;
    }
}

void writeTree(QAccessibleInterface* item, int depth, QString& out) {
    if (item == nullptr || !item->isValid())
        return;
    const QAccessible::State state = item->state();
    if (!state.invisible) {
        const QString role =
            QString::fromLatin1(QMetaEnum::fromType<QAccessible::Role>().valueToKey(item->role()));
        const QString name = item->text(QAccessible::Name);
        out += QString(depth * 2, u' ') + role + QStringLiteral(" \"") + name + u'"';
        if (name.isEmpty() && needsName(item))
            out += QStringLiteral(" NO NAME");
        if (state.disabled)
            out += QStringLiteral(" disabled");
        if (state.focused)
            out += QStringLiteral(" focused");
        out += u'\n';
    }
    for (int i = 0; i < item->childCount(); ++i)
        writeTree(item->child(i), depth + 1, out);
}

} // namespace

ScreenCheck::ScreenCheck(AppModel& app, QQuickWindow& window, const QString& screens,
                         const QString& folder, QObject* parent)
    : QObject(parent), m_app(app), m_window(window),
      m_todo(screens == QLatin1String("all") ? screenNames()
                                             : screens.split(u',', Qt::SkipEmptyParts)),
      m_folder(folder) {}

QStringList ScreenCheck::screenNames() {
    QStringList names;
    for (const Screen& screen : kScreens)
        names << QString::fromLatin1(screen.name);
    return names;
}

QString ScreenCheck::accessibleTree(QObject* root) {
    QString out;
    writeTree(QAccessible::queryAccessibleInterface(root), 0, out);
    return out;
}

void ScreenCheck::run() {
    QAccessible::setActive(true);
    m_ok = QDir().mkpath(m_folder);
    next();
}

void ScreenCheck::next() {
    if (m_todo.isEmpty() || !m_ok) {
        Q_EMIT finished(m_ok);
        return;
    }
    const Screen* screen = screenNamed(m_todo.first());
    if (screen == nullptr) {
        m_ok = false;
        Q_EMIT finished(false);
        return;
    }
    m_app.appearance()->setTheme(screen->theme);
    m_app.appearance()->setTextPercent(screen->textPercent);
    m_window.resize(screen->width, screen->height);
    QTimer::singleShot(kSettleMs, this, [this, screen] {
        if (screen->popup != nullptr) {
            if (qstrcmp(screen->popup, "picker") == 0)
                Q_EMIT m_app.modelNeeded();
            else if (QObject* popup = m_window.property(screen->popup).value<QObject*>())
                QMetaObject::invokeMethod(popup, "open");
        }
        QTimer::singleShot(kSettleMs, this, &ScreenCheck::capture);
    });
}

void ScreenCheck::capture() {
    const QString name = m_todo.takeFirst();
    const Screen* screen = screenNamed(name);
    const QString base = m_folder + u'/' + name;
    m_ok = m_window.grabWindow().save(base + QStringLiteral(".png")) && m_ok;
    QFile tree(base + QStringLiteral(".txt"));
    m_ok = tree.open(QIODevice::WriteOnly) && tree.write(accessibleTree(&m_window).toUtf8()) >= 0 &&
           m_ok;
    if (screen->popup != nullptr) {
        if (qstrcmp(screen->popup, "picker") == 0)
            m_app.models()->picked();
        else if (QObject* popup = m_window.property(screen->popup).value<QObject*>())
            QMetaObject::invokeMethod(popup, "close");
    }
    QTimer::singleShot(kSettleMs, this, &ScreenCheck::next);
}

} // namespace alcove::ui
