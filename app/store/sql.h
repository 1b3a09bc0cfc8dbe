#pragma once

#include "app/store/records.h"

#include <QDateTime>
#include <QString>
#include <SQLiteCpp/SQLiteCpp.h>

/// Small helpers of the store classes: Qt's types in and out of statements. Included by their .cpp
/// files only.
namespace alcove::app::sql {

inline QDateTime now() {
    return QDateTime::currentDateTimeUtc();
}

inline void bindOne(SQLite::Statement& statement, int index, const QString& value) {
    statement.bind(index, value.toStdString());
}
inline void bindOne(SQLite::Statement& statement, int index, const QDateTime& value) {
    if (value.isValid())
        statement.bind(index, static_cast<int64_t>(value.toMSecsSinceEpoch()));
    else
        statement.bind(index); // NULL
}
inline void bindOne(SQLite::Statement& statement, int index, bool value) {
    statement.bind(index, value ? 1 : 0);
}
inline void bindOne(SQLite::Statement& statement, int index, int value) {
    statement.bind(index, value);
}
inline void bindOne(SQLite::Statement& statement, int index, qint64 value) {
    statement.bind(index, static_cast<int64_t>(value));
}
inline void bindOne(SQLite::Statement& statement, int index, double value) {
    statement.bind(index, value);
}

/// A reference to another row: 0 is NULL.
struct Reference {
    RowId id;
};
inline void bindOne(SQLite::Statement& statement, int index, Reference value) {
    if (value.id != 0)
        statement.bind(index, static_cast<int64_t>(value.id));
    else
        statement.bind(index);
}

/// A prepared statement with its parameters bound from 1 on.
template <class... Values>
SQLite::Statement prepare(SQLite::Database& database, const char* text, const Values&... values) {
    SQLite::Statement statement(database, text);
    int index = 0;
    (bindOne(statement, ++index, values), ...);
    return statement;
}

/// Runs a statement that gives no rows; gives the number of rows changed.
template <class... Values>
int execute(SQLite::Database& database, const char* text, const Values&... values) {
    return prepare(database, text, values...).exec();
}

inline QString text(const SQLite::Column& column) {
    return QString::fromStdString(column.getString());
}
inline qint64 integer(const SQLite::Column& column) {
    return column.getInt64();
}
inline QDateTime time(const SQLite::Column& column) {
    return column.isNull() ? QDateTime()
                           : QDateTime::fromMSecsSinceEpoch(column.getInt64(), Qt::UTC);
}

inline Error notFound(const char* what, RowId id) {
    return Error{Errc::NotFound,
                 std::string(what) + " " + std::to_string(id) + " is not in the database"};
}

} // namespace alcove::app::sql
