#include "tests/e2e/observer.h"

#include <QFileInfo>
#include <QThread>

#include <SQLiteCpp/SQLiteCpp.h>

#include <optional>

namespace alcove::e2e {

namespace {

/// A new connection for each look: what is seen is what another program would see at that moment.
std::optional<SQLite::Database> look(const QString& path) {
    if (!QFileInfo::exists(path))
        return {};
    try {
        return SQLite::Database(path.toStdString(), SQLite::OPEN_READONLY, 2000);
    } catch (const SQLite::Exception&) {
        return {};
    }
}

QString text(const SQLite::Column& column) {
    return QString::fromUtf8(column.getText(), column.getBytes());
}

QString single(const QString& path, const char* sql) {
    const auto database = look(path);
    if (!database)
        return {};
    try {
        SQLite::Statement statement(*database, sql);
        return statement.executeStep() ? text(statement.getColumn(0)) : QString();
    } catch (const SQLite::Exception&) {
        return {};
    }
}

QVector<Observer::Message> withRole(const QVector<Observer::Message>& all, QLatin1StringView role) {
    QVector<Observer::Message> found;
    for (const auto& message : all)
        if (message.role == role)
            found.append(message);
    return found;
}

} // namespace

void Observer::pause(int ms) {
    QThread::msleep(static_cast<unsigned long>(ms));
}

QVector<Observer::Message> Observer::messages() const {
    QVector<Message> found;
    const auto database = look(m_database);
    if (!database)
        return found;
    try {
        SQLite::Statement rows(
            *database,
            "SELECT m.id, coalesce(m.parent_id, 0), m.role, m.state, "
            "coalesce((SELECT group_concat(body, '') FROM (SELECT body FROM message_part p "
            "WHERE p.message_id = m.id ORDER BY position)), '') FROM message m ORDER BY m.id");
        while (rows.executeStep())
            found.append({rows.getColumn(0).getInt64(), rows.getColumn(1).getInt64(),
                          text(rows.getColumn(2)), text(rows.getColumn(3)),
                          text(rows.getColumn(4))});
    } catch (const SQLite::Exception&) {
        found.clear(); // the schema is being made just now
    }
    return found;
}

QVector<Observer::Message> Observer::answers() const {
    return withRole(messages(), QLatin1StringView("assistant"));
}

QVector<Observer::Message> Observer::questions() const {
    return withRole(messages(), QLatin1StringView("user"));
}

QString Observer::title() const {
    return single(
        m_database,
        "SELECT title FROM conversation WHERE deleted_at IS NULL ORDER BY used DESC LIMIT 1");
}

int Observer::conversations() const {
    return single(m_database, "SELECT count(*) FROM conversation WHERE deleted_at IS NULL").toInt();
}

qint64 Observer::leaf() const {
    return single(m_database, "SELECT leaf_id FROM conversation WHERE deleted_at IS NULL ORDER BY "
                              "used DESC LIMIT 1")
        .toLongLong();
}

QString Observer::integrity() const {
    return single(m_database, "PRAGMA integrity_check");
}

} // namespace alcove::e2e
