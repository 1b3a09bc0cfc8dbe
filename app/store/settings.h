#pragma once

#include "app/store/database.h"

#include <QHash>
#include <QString>
#include <QVariant>

#include <algorithm>
#include <type_traits>

namespace alcove::app {

enum class Section { General, Appearance, Engine, Sampling, Window };

/// One setting: key in the table `setting`, fallback, range, and the text of the settings page
/// (translated in context "Settings"). Sections Window: kept by the window, not shown.
template <class T> struct Setting {
    const char* key;
    T fallback;
    T minimum;
    T maximum;
    const char* label;
    Section section;
};
/// Text and switches have no range.
template <> struct Setting<const char*> {
    const char* key;
    const char* fallback;
    const char* label;
    Section section;
};
template <> struct Setting<bool> {
    const char* key;
    bool fallback;
    const char* label;
    Section section;
};

namespace settings {

inline constexpr Setting<bool> kEnterSends{
    "general/enter_sends", true, QT_TRANSLATE_NOOP("Settings", "Enter sends"), Section::General};
inline constexpr Setting<const char*> kTheme{"appearance/theme", "system",
                                             QT_TRANSLATE_NOOP("Settings", "Theme"),
                                             Section::Appearance}; ///< system light dark
inline constexpr Setting<int> kTextPercent{
    "appearance/text_percent", 100, 80, 200, QT_TRANSLATE_NOOP("Settings", "Text size (percent)"),
    Section::Appearance};
inline constexpr Setting<int> kThreads{
    "engine/threads", 0, 0, 256, QT_TRANSLATE_NOOP("Settings", "Threads (0 = automatic)"),
    Section::Engine};
inline constexpr Setting<int> kContext{
    "engine/context",
    0,
    0,
    1 << 20,
    QT_TRANSLATE_NOOP("Settings", "Context in tokens (0 = automatic)"),
    Section::Engine};
inline constexpr Setting<int> kBatch{
    "engine/batch", 512, 1, 8192, QT_TRANSLATE_NOOP("Settings", "Tokens read at once"),
    Section::Engine};
inline constexpr Setting<double> kTemperature{
    "sampling/temperature", 0.8, 0, 5, QT_TRANSLATE_NOOP("Settings", "Temperature"),
    Section::Sampling};
inline constexpr Setting<int> kTopK{
    "sampling/top_k", 40, 0, 100000, QT_TRANSLATE_NOOP("Settings", "Top-k (0 = off)"),
    Section::Sampling};
inline constexpr Setting<double> kTopP{
    "sampling/top_p", 0.95, 0, 1, QT_TRANSLATE_NOOP("Settings", "Top-p (1 = off)"),
    Section::Sampling};
inline constexpr Setting<double> kMinP{
    "sampling/min_p", 0.05, 0, 1, QT_TRANSLATE_NOOP("Settings", "Min-p (0 = off)"),
    Section::Sampling};
inline constexpr Setting<double> kRepeatPenalty{
    "sampling/repeat_penalty",
    1.0,
    0.5,
    2,
    QT_TRANSLATE_NOOP("Settings", "Repetition penalty (1 = off)"),
    Section::Sampling};
inline constexpr Setting<int> kRepeatLastN{
    "sampling/repeat_last_n",
    64,
    -1,
    1 << 20,
    QT_TRANSLATE_NOOP("Settings", "Tokens the penalties look at"),
    Section::Sampling};
inline constexpr Setting<double> kFrequencyPenalty{
    "sampling/frequency_penalty",
    0,
    -2,
    2,
    QT_TRANSLATE_NOOP("Settings", "Frequency penalty"),
    Section::Sampling};
inline constexpr Setting<double> kPresencePenalty{"sampling/presence_penalty",
                                                  0,
                                                  -2,
                                                  2,
                                                  QT_TRANSLATE_NOOP("Settings", "Presence penalty"),
                                                  Section::Sampling};
inline constexpr Setting<double> kSeed{
    "sampling/seed",
    -1,
    -1,
    9007199254740991.0,
    QT_TRANSLATE_NOOP("Settings", "Seed (-1 = a new one each time)"),
    Section::Sampling};
inline constexpr Setting<int> kMaxTokens{
    "sampling/max_tokens",
    -1,
    -1,
    1 << 20,
    QT_TRANSLATE_NOOP("Settings", "Longest answer in tokens (-1 = until the context is full)"),
    Section::Sampling};
inline constexpr Setting<double> kLastConversation{"window/last_conversation", 0,  0,
                                                   9007199254740991.0,         "", Section::Window};
inline constexpr Setting<double> kLastModel{"window/last_model", 0,  0,
                                            9007199254740991.0,  "", Section::Window};

} // namespace settings

/// The table `setting`. A value that is unreadable or out of range counts as the fallback (with a
/// line in the log); writing out of range is Errc::InvalidArgument. Window state of any kind goes
/// through setRaw/raw with its own key.
class SettingsStore {
public:
    explicit SettingsStore(Database& database) : m_database(database) {}

    template <class T> Result<T> get(const Setting<T>& setting);
    template <class T> Status set(const Setting<T>& setting, T value);
    Result<QString> get(const Setting<const char*>& setting);
    Status set(const Setting<const char*>& setting, const QString& value);
    /// Back to the fallback.
    Status reset(const char* key);

    /// The stored text, empty if there is none.
    Result<QString> raw(const QString& key);
    Status setRaw(const QString& key, const QString& value);
    /// All that is stored, for one read at start.
    Result<QHash<QString, QString>> all();

private:
    Database& m_database;
};

/// Text form of a value as it stands in the table, and back (false: not of that type). C locale.
QString settingText(int value);
QString settingText(double value);
QString settingText(bool value);
bool parseSetting(const QString& text, int& value);
bool parseSetting(const QString& text, double& value);
bool parseSetting(const QString& text, bool& value);
namespace detail {
void warnAboutSetting(const char* key);
Error settingOutOfRange(const char* key, const QString& value, const QString& minimum,
                        const QString& maximum);
} // namespace detail

/// The value of `setting` in a set of stored texts, or its fallback.
template <class T> T settingFrom(const QHash<QString, QString>& stored, const Setting<T>& setting) {
    const auto it = stored.constFind(QString::fromLatin1(setting.key));
    T value = setting.fallback;
    if (it == stored.cend())
        return value;
    bool good = parseSetting(*it, value);
    if constexpr (!std::is_same_v<T, bool>)
        good = good && value >= setting.minimum && value <= setting.maximum;
    if (good)
        return value;
    detail::warnAboutSetting(setting.key);
    return setting.fallback;
}

template <class T> Result<T> SettingsStore::get(const Setting<T>& setting) {
    const QString key = QString::fromLatin1(setting.key);
    ALCOVE_ASSIGN_OR_RETURN(const QString text, raw(key));
    return text.isNull() ? setting.fallback
                         : settingFrom(QHash<QString, QString>{{key, text}}, setting);
}

template <class T> Status SettingsStore::set(const Setting<T>& setting, T value) {
    if constexpr (!std::is_same_v<T, bool>) {
        if (!(value >= setting.minimum && value <= setting.maximum))
            return detail::settingOutOfRange(setting.key, settingText(value),
                                             settingText(setting.minimum),
                                             settingText(setting.maximum));
    }
    return setRaw(QString::fromLatin1(setting.key), settingText(value));
}

} // namespace alcove::app
