#include "ui/models/appearance_model.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QMetaEnum>
#include <QPalette>

#include <algorithm>

namespace alcove::ui {
namespace {

constexpr auto kPortal = "org.freedesktop.portal.Desktop";
constexpr auto kPortalPath = "/org/freedesktop/portal/desktop";
constexpr auto kPortalSettings = "org.freedesktop.portal.Settings";
constexpr auto kAppearanceGroup = "org.freedesktop.appearance";
constexpr auto kColorScheme = "color-scheme";

QString latin(const char* text) {
    return QString::fromLatin1(text);
}

// The desktop's font where it names one; where Qt only found its last resort, a better one that is
// installed.
QString chooseBodyFamily() {
    const QString system = QFontDatabase::systemFont(QFontDatabase::GeneralFont).family();
    const bool lastResort = system.isEmpty() || system == u"Sans Serif" || system == u"Sans" ||
                            system == u"DejaVu Sans";
    if (!lastResort)
        return system;
    const QStringList families = QFontDatabase::families();
    for (const char* family : {"Inter", "Cantarell", "Noto Sans", "Source Sans 3", "Ubuntu"}) {
        if (families.contains(latin(family)))
            return latin(family);
    }
    return system;
}

QString chooseCodeFamily() {
    const QString system = QFontDatabase::systemFont(QFontDatabase::FixedFont).family();
    const bool lastResort =
        system.isEmpty() || system.compare(u"monospace", Qt::CaseInsensitive) == 0;
    return lastResort && QFontDatabase::families().contains(latin("JetBrains Mono"))
               ? latin("JetBrains Mono")
               : system;
}

// The portal nests variants in one another.
QVariant unwrapped(QVariant value) {
    while (value.userType() == qMetaTypeId<QDBusVariant>())
        value = value.value<QDBusVariant>().variant();
    return value;
}

} // namespace

AppearanceModel::AppearanceModel(UiSettings& settings, QObject* parent)
    : QObject(parent), m_settings(settings), m_bodyFamily(chooseBodyFamily()),
      m_codeFamily(chooseCodeFamily()) {
    bool known = false;
    const QByteArray name =
        settings.value(QStringLiteral("appearance/theme")).toString().toLatin1();
    const int theme = QMetaEnum::fromType<Theme>().keyToValue(name.constData(), &known);
    if (known)
        m_theme = Theme(theme);
    const int percent = settings.value(QStringLiteral("appearance/textPercent"), 100).toInt();
    m_textPercent = percent == 0 ? 100 : std::clamp(percent, kSmallestText, kLargestText);
    m_reducedMotion = settings.value(QStringLiteral("appearance/reducedMotion"), false).toBool();
    m_enterSends = settings.value(QStringLiteral("composer/enterSends"), true).toBool();
    const QPalette palette = QGuiApplication::palette();
    m_systemDark = palette.color(QPalette::Window).lightness() <
                   palette.color(QPalette::WindowText).lightness();
    updateScheme();
}

void AppearanceModel::setTheme(Theme theme) {
    if (m_theme == theme)
        return;
    m_theme = theme;
    m_settings.setValue(QStringLiteral("appearance/theme"),
                        latin(QMetaEnum::fromType<Theme>().valueToKey(int(theme))));
    Q_EMIT themeChanged();
    updateScheme();
}

void AppearanceModel::setTextPercent(int percent) {
    const int rounded = (percent + kTextStep / 2) / kTextStep * kTextStep;
    const int kept = std::clamp(rounded, kSmallestText, kLargestText);
    if (m_textPercent == kept)
        return;
    m_textPercent = kept;
    m_settings.setValue(QStringLiteral("appearance/textPercent"), kept);
    Q_EMIT textPercentChanged();
}

void AppearanceModel::setReducedMotion(bool reduced) {
    if (m_reducedMotion == reduced)
        return;
    m_reducedMotion = reduced;
    m_settings.setValue(QStringLiteral("appearance/reducedMotion"), reduced);
    Q_EMIT reducedMotionChanged();
}

void AppearanceModel::setEnterSends(bool sends) {
    if (m_enterSends == sends)
        return;
    m_enterSends = sends;
    m_settings.setValue(QStringLiteral("composer/enterSends"), sends);
    Q_EMIT enterSendsChanged();
}

void AppearanceModel::setSystemDark(bool dark) {
    m_systemDark = dark;
    updateScheme();
}

void AppearanceModel::followDesktop() {
    // Without a session bus in the environment Qt would try to start one, which takes seconds.
    if (qEnvironmentVariableIsEmpty("DBUS_SESSION_BUS_ADDRESS"))
        return;
    QDBusConnection bus = QDBusConnection::sessionBus();
    if (!bus.isConnected())
        return;
    bus.connect(latin(kPortal), latin(kPortalPath), latin(kPortalSettings),
                QStringLiteral("SettingChanged"), this,
                SLOT(portalSettingChanged(QString, QString, QDBusVariant)));
    QDBusMessage call = QDBusMessage::createMethodCall(
        latin(kPortal), latin(kPortalPath), latin(kPortalSettings), QStringLiteral("Read"));
    call << latin(kAppearanceGroup) << latin(kColorScheme);
    auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(call, 2000), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this,
            [this](QDBusPendingCallWatcher* finished) {
                const QDBusPendingReply<QDBusVariant> reply = *finished;
                if (reply.isValid())
                    portalSettingChanged(latin(kAppearanceGroup), latin(kColorScheme),
                                         reply.value());
                finished->deleteLater();
            });
}

void AppearanceModel::portalSettingChanged(const QString& group, const QString& key,
                                           const QDBusVariant& value) {
    if (group != QLatin1String(kAppearanceGroup) || key != QLatin1String(kColorScheme))
        return;
    // 0: no preference, 1: dark, 2: light (org.freedesktop.appearance, color-scheme).
    const uint scheme = unwrapped(value.variant()).toUInt();
    if (scheme == 1 || scheme == 2)
        setSystemDark(scheme == 1);
}

void AppearanceModel::updateScheme() {
    ThemeColors::Scheme scheme = m_systemDark ? ThemeColors::Dark : ThemeColors::Light;
    switch (m_theme) {
    case Theme::System:
        break;
    case Theme::Light:
        scheme = ThemeColors::Light;
        break;
    case Theme::Dark:
        scheme = ThemeColors::Dark;
        break;
    case Theme::HighContrast:
        scheme = m_systemDark ? ThemeColors::HighContrastDark : ThemeColors::HighContrastLight;
        break;
    }
    if (scheme == m_scheme)
        return;
    m_scheme = scheme;
    Q_EMIT schemeChanged();
}

} // namespace alcove::ui
