#pragma once

#include "ui/models/theme_colors.h"
#include "ui/models/ui_settings.h"

#include <QDBusVariant>
#include <QObject>
#include <QStringList>
#include <QtQml/qqmlregistration.h>

namespace alcove::ui {

/// Theme, text size, motion, fonts, and which key sends. Changes take effect and are kept at once.
/// Lives on the window's thread.
class AppearanceModel : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("made by the program")
    Q_PROPERTY(Theme theme READ theme WRITE setTheme NOTIFY themeChanged FINAL)
    Q_PROPERTY(alcove::ui::ThemeColors::Scheme scheme READ scheme NOTIFY schemeChanged FINAL)
    Q_PROPERTY(
        int textPercent READ textPercent WRITE setTextPercent NOTIFY textPercentChanged FINAL)
    Q_PROPERTY(bool canGrow READ canGrow NOTIFY textPercentChanged FINAL)
    Q_PROPERTY(bool canShrink READ canShrink NOTIFY textPercentChanged FINAL)
    Q_PROPERTY(bool reducedMotion READ reducedMotion WRITE setReducedMotion NOTIFY
                   reducedMotionChanged FINAL)
    Q_PROPERTY(bool enterSends READ enterSends WRITE setEnterSends NOTIFY enterSendsChanged FINAL)
    Q_PROPERTY(QString bodyFamily READ bodyFamily CONSTANT FINAL)
    Q_PROPERTY(QString codeFamily READ codeFamily CONSTANT FINAL)

public:
    enum class Theme { System, Light, Dark, HighContrast };
    Q_ENUM(Theme)

    static constexpr int kSmallestText = 80;
    static constexpr int kLargestText = 200;
    static constexpr int kTextStep = 10;

    /// `settings` outlives the model.
    explicit AppearanceModel(UiSettings& settings, QObject* parent = nullptr);

    Theme theme() const { return m_theme; }
    void setTheme(Theme theme);
    ThemeColors::Scheme scheme() const { return m_scheme; }
    int textPercent() const { return m_textPercent; }
    void setTextPercent(int percent); ///< rounded to a step, kept within 80…200
    bool canGrow() const { return m_textPercent < kLargestText; }
    bool canShrink() const { return m_textPercent > kSmallestText; }
    bool reducedMotion() const { return m_reducedMotion; }
    void setReducedMotion(bool reduced);
    bool enterSends() const { return m_enterSends; }
    void setEnterSends(bool sends);
    QString bodyFamily() const { return m_bodyFamily; }
    QString codeFamily() const { return m_codeFamily; }

    Q_INVOKABLE void growText() { setTextPercent(m_textPercent + kTextStep); }
    Q_INVOKABLE void shrinkText() { setTextPercent(m_textPercent - kTextStep); }
    Q_INVOKABLE void resetText() { setTextPercent(100); }

    /// Asks the desktop (settings portal) whether it is dark and follows it from then on. Does not
    /// wait for the answer; without a desktop the palette's lightness decides. Call after the first
    /// frame.
    void followDesktop();
    /// What the desktop says: dark or light.
    void setSystemDark(bool dark);

Q_SIGNALS:
    void themeChanged();
    void schemeChanged();
    void textPercentChanged();
    void reducedMotionChanged();
    void enterSendsChanged();

private Q_SLOTS:
    void portalSettingChanged(const QString& group, const QString& key, const QDBusVariant& value);

private:
    void updateScheme();

    UiSettings& m_settings;
    Theme m_theme = Theme::System;
    ThemeColors::Scheme m_scheme = ThemeColors::Light;
    bool m_systemDark = false;
    int m_textPercent = 100;
    bool m_reducedMotion = false;
    bool m_enterSends = true;
    QString m_bodyFamily;
    QString m_codeFamily;
};

} // namespace alcove::ui
