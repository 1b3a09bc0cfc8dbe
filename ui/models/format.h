#pragma once

#include <QDate>
#include <QDateTime>
#include <QString>

/// Numbers as people read them, in the user's locale. 1 MB is 1,000,000 bytes.
namespace alcove::ui {

QString formatBytes(qint64 bytes);           ///< "145 MB", "5.1 GB"; "–" below zero
QString formatCount(qint64 count);           ///< "2,376"
QString formatSpeed(double tokensPerSecond); ///< "28 tok/s", "4.2 tok/s"; "–" for zero
QString formatDuration(double seconds);      ///< "0.9 s", "12 s", "2 min"
QString formatPercent(double fraction);      ///< "58 %"
QString formatDay(const QDate& day,
                  const QDate& today); ///< "today", "yesterday", "Monday", "3 Nov", "3 Nov 2025"
/// The heading in the conversation list: "Today", "Yesterday", "Last 7 days", then the month with
/// its year if another.
QString formatSection(const QDate& day, const QDate& today);

} // namespace alcove::ui
