#include "engine/text/jinja/globals.h"

#include <fmt/format.h>

namespace alcove::jinja {
namespace {

constexpr const char* kDays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                 "Thursday", "Friday", "Saturday"};
constexpr const char* kMonths[] = {"January",   "February", "March",    "April",
                                   "May",       "June",     "July",     "August",
                                   "September", "October",  "November", "December"};

std::string padded(int value, int width, char flag, char usual) {
    const char fill = flag == '\0' ? usual : (flag == '_' ? ' ' : '0');
    if (flag == '-')
        return std::to_string(value);
    std::string digits = std::to_string(value);
    while (static_cast<int>(digits.size()) < width)
        digits.insert(digits.begin(), fill);
    return digits;
}

int twelve_hours(int hour) {
    return hour % 12 == 0 ? 12 : hour % 12;
}

/// Week and year of ISO 8601: weeks begin on Monday, week 1 holds the first Thursday.
struct IsoWeek {
    int year, week;
};
IsoWeek iso_week(const std::tm& time) {
    const int weekday = (time.tm_wday + 6) % 7; // Monday is 0
    int year = time.tm_year + 1900;
    int week = (time.tm_yday - weekday + 10) / 7;
    const auto weeks_in = [](int y) {
        // A year has 53 weeks if it ends on a Thursday, or if the year before ended on a Wednesday.
        const auto last_day = [](int of) { return (of + of / 4 - of / 100 + of / 400) % 7; };
        return last_day(y) == 4 || last_day(y - 1) == 3 ? 53 : 52;
    };
    if (week < 1) {
        --year;
        week = weeks_in(year);
    } else if (week > weeks_in(year)) {
        ++year;
        week = 1;
    }
    return {year, week};
}

std::string zone_offset(const std::tm& time) {
    const long minutes = time.tm_gmtoff / 60;
    const long size = minutes < 0 ? -minutes : minutes;
    return fmt::format("{}{:02}{:02}", minutes < 0 ? '-' : '+', size / 60, size % 60);
}

std::string convert(char code, char flag, const std::tm& t) {
    const auto day = static_cast<unsigned>(t.tm_wday) % 7U;
    const auto month = static_cast<unsigned>(t.tm_mon) % 12U;
    const int year = t.tm_year + 1900;
    switch (code) {
    case 'a':
        return std::string(kDays[day]).substr(0, 3);
    case 'A':
        return kDays[day];
    case 'b':
    case 'h':
        return std::string(kMonths[month]).substr(0, 3);
    case 'B':
        return kMonths[month];
    case 'c':
        return format_time("%a %b %e %H:%M:%S %Y", t);
    case 'C':
        return padded(year / 100, 2, flag, '0');
    case 'd':
        return padded(t.tm_mday, 2, flag, '0');
    case 'D':
    case 'x':
        return format_time("%m/%d/%y", t);
    case 'e':
        return padded(t.tm_mday, 2, flag, ' ');
    case 'f':
        return "000000";
    case 'F':
        return format_time("%Y-%m-%d", t);
    case 'g':
        return padded(iso_week(t).year % 100, 2, flag, '0');
    case 'G':
        return std::to_string(iso_week(t).year);
    case 'H':
        return padded(t.tm_hour, 2, flag, '0');
    case 'I':
        return padded(twelve_hours(t.tm_hour), 2, flag, '0');
    case 'j':
        return padded(t.tm_yday + 1, 3, flag, '0');
    case 'k':
        return padded(t.tm_hour, 2, flag, ' ');
    case 'l':
        return padded(twelve_hours(t.tm_hour), 2, flag, ' ');
    case 'm':
        return padded(t.tm_mon + 1, 2, flag, '0');
    case 'M':
        return padded(t.tm_min, 2, flag, '0');
    case 'n':
        return "\n";
    case 'p':
        return t.tm_hour < 12 ? "AM" : "PM";
    case 'P':
        return t.tm_hour < 12 ? "am" : "pm";
    case 'r':
        return format_time("%I:%M:%S %p", t);
    case 'R':
        return format_time("%H:%M", t);
    case 'S':
        return padded(t.tm_sec, 2, flag, '0');
    case 't':
        return "\t";
    case 'T':
    case 'X':
        return format_time("%H:%M:%S", t);
    case 'u':
        return std::to_string(t.tm_wday == 0 ? 7 : t.tm_wday);
    case 'U':
        return padded((t.tm_yday + 7 - t.tm_wday) / 7, 2, flag, '0');
    case 'V':
        return padded(iso_week(t).week, 2, flag, '0');
    case 'w':
        return std::to_string(t.tm_wday);
    case 'W':
        return padded((t.tm_yday + 7 - (t.tm_wday + 6) % 7) / 7, 2, flag, '0');
    case 'y':
        return padded(year % 100, 2, flag, '0');
    case 'Y':
        return std::to_string(year);
    case 'z':
        return zone_offset(t);
    case 'Z':
        return t.tm_zone == nullptr ? "" : t.tm_zone;
    case '%':
        return "%";
    default:
        return std::string("%") + code;
    }
}

} // namespace

std::string format_time(std::string_view format, const std::tm& time) {
    std::string out;
    for (std::size_t i = 0; i < format.size(); ++i) {
        if (format[i] != '%' || i + 1 >= format.size()) {
            out += format[i];
            continue;
        }
        ++i;
        char flag = '\0';
        if ((format[i] == '-' || format[i] == '_' || format[i] == '0') && i + 1 < format.size())
            flag = format[i++];
        out += convert(format[i], flag, time);
    }
    return out;
}

} // namespace alcove::jinja
