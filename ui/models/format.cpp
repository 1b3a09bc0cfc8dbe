#include "ui/models/format.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace alcove::ui {
namespace {

struct Texts {
    Q_DECLARE_TR_FUNCTIONS(Format)
};

QString nothing() {
    return QStringLiteral("\u2013");
}

QString number(double value, int decimals) {
    return QLocale().toString(value, 'f', decimals);
}

} // namespace

QString formatBytes(qint64 bytes) {
    if (bytes < 0)
        return nothing();
    constexpr double kKilo = 1e3;
    constexpr double kMega = 1e6;
    constexpr double kGiga = 1e9;
    const auto value = static_cast<double>(bytes);
    if (value < kKilo)
        return Texts::tr("%n byte(s)", "size", int(bytes));
    if (value < kMega)
        return Texts::tr("%1 kB").arg(number(value / kKilo, 0));
    if (value < 999.5 * kMega)
        return Texts::tr("%1 MB").arg(number(value / kMega, value < 10 * kMega ? 1 : 0));
    return Texts::tr("%1 GB").arg(number(value / kGiga, 1));
}

QString formatCount(qint64 count) {
    return QLocale().toString(count);
}

QString formatSpeed(double tokensPerSecond) {
    if (!(tokensPerSecond > 0) || !std::isfinite(tokensPerSecond))
        return nothing();
    return Texts::tr("%1 tok/s", "tokens per second")
        .arg(number(tokensPerSecond, tokensPerSecond < 10 ? 1 : 0));
}

QString formatDuration(double seconds) {
    if (seconds < 0 || !std::isfinite(seconds))
        return nothing();
    if (seconds < 9.95)
        return Texts::tr("%1 s", "seconds").arg(number(seconds, 1));
    if (seconds < 119.5)
        return Texts::tr("%1 s", "seconds").arg(number(seconds, 0));
    return Texts::tr("%1 min", "minutes").arg(number(seconds / 60, 0));
}

QString formatPercent(double fraction) {
    return Texts::tr("%1 %", "percent").arg(number(std::clamp(fraction, 0.0, 1.0) * 100, 0));
}

QString formatDay(const QDate& day, const QDate& today) {
    const QLocale locale;
    const qint64 ago = day.daysTo(today);
    if (ago == 0)
        return Texts::tr("today");
    if (ago == 1)
        return Texts::tr("yesterday");
    if (ago > 1 && ago < 7)
        return locale.dayName(day.dayOfWeek());
    if (day.year() == today.year())
        return locale.toString(day, Texts::tr("d MMM", "short date, as QLocale formats it"));
    return locale.toString(day, Texts::tr("d MMM yyyy", "date with year, as QLocale formats it"));
}

QString formatSection(const QDate& day, const QDate& today) {
    const qint64 ago = day.daysTo(today);
    if (ago <= 0)
        return Texts::tr("Today");
    if (ago == 1)
        return Texts::tr("Yesterday");
    if (ago <= 7)
        return Texts::tr("Last 7 days");
    const QLocale locale;
    const QString month = locale.standaloneMonthName(day.month());
    return day.year() == today.year()
               ? month
               : Texts::tr("%1 %2", "month and year").arg(month).arg(day.year());
}

} // namespace alcove::ui
