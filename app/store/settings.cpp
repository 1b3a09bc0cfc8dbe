#include "app/store/settings.h"

#include "app/logging.h"
#include "app/store/sql.h"

namespace alcove::app {

QString settingText(int value) {
    return QString::number(value);
}
QString settingText(double value) {
    return QString::number(value, 'g', 17);
}
QString settingText(bool value) {
    return value ? QStringLiteral("true") : QStringLiteral("false");
}

bool parseSetting(const QString& text, int& value) {
    bool good = false;
    value = text.toInt(&good);
    return good;
}

bool parseSetting(const QString& text, double& value) {
    bool good = false;
    value = text.toDouble(&good);
    return good;
}

bool parseSetting(const QString& text, bool& value) {
    value = text == QLatin1String("true");
    return value || text == QLatin1String("false");
}

void detail::warnAboutSetting(const char* key) {
    logWarning("store",
               QStringLiteral("setting %1 is unreadable or out of range; its default is used")
                   .arg(QString::fromLatin1(key)));
}

Error detail::settingOutOfRange(const char* key, const QString& value, const QString& minimum,
                                const QString& maximum) {
    return {Errc::InvalidArgument, QStringLiteral("setting %1 is %2, expected %3 to %4")
                                       .arg(QString::fromLatin1(key), value, minimum, maximum)
                                       .toStdString()};
}

Result<QString> SettingsStore::raw(const QString& key) {
    return guarded("The settings", [&]() -> Result<QString> {
        auto row =
            sql::prepare(m_database.handle(), "SELECT value FROM setting WHERE key = ?", key);
        if (!row.executeStep())
            return QString();
        const QString value = sql::text(row.getColumn(0));
        return value.isNull() ? QStringLiteral("") : value; // null means "not stored"
    });
}

Status SettingsStore::setRaw(const QString& key, const QString& value) {
    return guarded("The settings", [&]() -> Status {
        sql::execute(m_database.handle(),
                     "INSERT INTO setting (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE "
                     "SET value = excluded.value",
                     key, value);
        return ok();
    });
}

Status SettingsStore::reset(const char* key) {
    return guarded("The settings", [&]() -> Status {
        sql::execute(m_database.handle(), "DELETE FROM setting WHERE key = ?",
                     QString::fromLatin1(key));
        return ok();
    });
}

Result<QHash<QString, QString>> SettingsStore::all() {
    return guarded("The settings", [&]() -> Result<QHash<QString, QString>> {
        QHash<QString, QString> stored;
        SQLite::Statement rows(m_database.handle(), "SELECT key, value FROM setting");
        while (rows.executeStep())
            stored.insert(sql::text(rows.getColumn(0)), sql::text(rows.getColumn(1)));
        return stored;
    });
}

Result<QString> SettingsStore::get(const Setting<const char*>& setting) {
    ALCOVE_ASSIGN_OR_RETURN(const QString text, raw(QString::fromLatin1(setting.key)));
    return text.isNull() ? QString::fromUtf8(setting.fallback) : text;
}

Status SettingsStore::set(const Setting<const char*>& setting, const QString& value) {
    return setRaw(QString::fromLatin1(setting.key), value);
}

} // namespace alcove::app
