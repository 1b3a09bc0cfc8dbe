#pragma once

#include <QSettings>
#include <QString>

namespace alcove::ui {

/// What the window itself remembers (theme, text size, geometry, panes): `window.ini` in the data
/// folder. It is read before the first frame, so it does not wait for the database. A value that
/// cannot be read counts as absent.
class UiSettings {
public:
    explicit UiSettings(const QString& file) : m_settings(file, QSettings::IniFormat) {}

    QVariant value(const QString& key, const QVariant& fallback = {}) const {
        return m_settings.value(key, fallback);
    }
    void setValue(const QString& key, const QVariant& value) { m_settings.setValue(key, value); }
    void sync() { m_settings.sync(); }

private:
    QSettings m_settings;
};

} // namespace alcove::ui
