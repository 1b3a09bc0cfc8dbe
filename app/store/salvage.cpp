#include "app/store/salvage.h"

#include "app/logging.h"
#include "app/store/sql.h"

#include <algorithm>

namespace alcove::app {

namespace {

struct Table {
    const char* name;
    const char* key; // ordered by it, both ways
};
constexpr Table kTables[] = {
    {"model", "id"},         {"conversation", "id"},
    {"message", "id"},       {"message_part", "message_id, position"},
    {"answer_growth", "id"}, {"answer_facts", "message_id"},
    {"adapter", "id"},       {"conversation_adapter", "conversation_id, adapter_id"},
    {"setting", "key"},
};

/// Columns that both files have; the damaged one may be of an earlier version.
std::string commonColumns(SQLite::Database& damaged, SQLite::Database& fresh,
                          const std::string& table, int& count) {
    const auto columnsOf = [&](SQLite::Database& database) {
        std::vector<std::string> names;
        SQLite::Statement statement(database,
                                    "SELECT name FROM pragma_table_info('" + table + "')");
        while (statement.executeStep())
            names.push_back(statement.getColumn(0).getString());
        return names;
    };
    const std::vector<std::string> there = columnsOf(damaged);
    std::string list;
    count = 0;
    for (const std::string& name : columnsOf(fresh)) {
        if (std::find(there.begin(), there.end(), name) == there.end())
            continue;
        list += (count++ > 0 ? ", " : "") + name;
    }
    return list;
}

void bindColumn(SQLite::Statement& insert, int index, const SQLite::Column& column) {
    if (column.isNull())
        insert.bind(index);
    else if (column.isInteger())
        insert.bind(index, column.getInt64());
    else if (column.isFloat())
        insert.bind(index, column.getDouble());
    else
        insert.bind(index, column.getString());
}

/// Reads in one direction until the end or the first unreadable place (false).
bool copyRows(SQLite::Database& damaged, SQLite::Database& fresh, const std::string& select,
              const std::string& insert, int columns) {
    try {
        SQLite::Statement rows(damaged, select);
        SQLite::Statement into(fresh, insert);
        while (rows.executeStep()) {
            for (int column = 0; column < columns; ++column)
                bindColumn(into, column + 1, rows.getColumn(column));
            into.tryExecuteStep(); // a row that breaks a rule of the schema is left out
            into.reset();
        }
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

void copyTable(SQLite::Database& damaged, SQLite::Database& fresh, const Table& table) {
    int columns = 0;
    std::string list;
    try {
        list = commonColumns(damaged, fresh, table.name, columns);
    } catch (const std::exception&) {
        return;
    }
    if (columns == 0)
        return;
    std::string places = "?";
    for (int column = 1; column < columns; ++column)
        places += ", ?";
    const std::string from = "SELECT " + list + " FROM " + table.name;
    const std::string into = std::string("INSERT OR IGNORE INTO ") + table.name + " (" + list +
                             ") VALUES (" + places + ")";
    const std::string key = table.key;
    if (!copyRows(damaged, fresh, from + " ORDER BY " + key, into, columns)) {
        std::string backwards = key + " DESC";
        if (const auto comma = key.find(','); comma != std::string::npos)
            backwards = key.substr(0, comma) + " DESC" + key.substr(comma) + " DESC";
        copyRows(damaged, fresh, from + " ORDER BY " + backwards, into, columns);
    }
}

/// What lost its counterpart is made whole or left out, so that every reference holds.
constexpr const char* kRepairs[] = {
    "DELETE FROM message WHERE conversation_id NOT IN (SELECT id FROM conversation)",
    "UPDATE message SET parent_id = NULL WHERE parent_id NOT IN (SELECT id FROM message)",
    "UPDATE message SET state = 'interrupted' WHERE state = 'writing'",
    "DELETE FROM message_part WHERE message_id NOT IN (SELECT id FROM message)",
    "DELETE FROM answer_growth WHERE message_id NOT IN (SELECT id FROM message)",
    "DELETE FROM conversation_adapter WHERE conversation_id NOT IN (SELECT id FROM conversation) "
    "OR adapter_id NOT IN (SELECT id FROM adapter)",
    "DELETE FROM answer_facts WHERE message_id NOT IN (SELECT id FROM message)",
    "UPDATE conversation SET model_id = NULL WHERE model_id NOT IN (SELECT id FROM model)",
    // The chosen path ends at the newest message that is left.
    "UPDATE conversation SET leaf_id = (SELECT max(id) FROM message WHERE conversation_id = "
    "conversation.id) "
    "WHERE leaf_id IS NULL OR leaf_id NOT IN (SELECT id FROM message)",
    // What an answer had grown is joined to it.
    "CREATE TEMP TABLE grown AS SELECT message_id, group_concat(body, '') AS body FROM "
    "(SELECT message_id, body FROM answer_growth ORDER BY id) GROUP BY message_id",
    "INSERT INTO message_part (message_id, position, body) SELECT message_id, 0, body FROM grown "
    "WHERE true "
    "ON CONFLICT DO UPDATE SET body = message_part.body || excluded.body",
    "DELETE FROM answer_growth",
    "DROP TABLE grown",
    "INSERT INTO message_search (message_search) VALUES ('rebuild')",
};

} // namespace

Salvaged salvage(const QString& path, Database& fresh) {
    Salvaged result;
    try {
        SQLite::Database damaged(path.toStdString(), SQLite::OPEN_READWRITE);
        SQLite::Database& target = fresh.handle();
        target.exec("PRAGMA foreign_keys = OFF");
        {
            SQLite::Transaction transaction(target);
            for (const Table& table : kTables)
                copyTable(damaged, target, table);
            for (const char* repair : kRepairs)
                target.exec(repair);
            transaction.commit();
        }
        target.exec("PRAGMA foreign_keys = ON");
        result.conversations = target.execAndGet("SELECT count(*) FROM conversation").getInt();
        result.conversationsFound =
            damaged.execAndGet("SELECT count(*) FROM conversation").getInt();
    } catch (const std::exception& exception) {
        logWarning("store", QStringLiteral("not all of the damaged database could be read: %1")
                                .arg(QString::fromUtf8(exception.what())));
        try {
            fresh.handle().exec("PRAGMA foreign_keys = ON");
        } catch (const std::exception&) {
            logWarning("store", QStringLiteral("the fresh database does not answer"));
        }
    }
    return result;
}

} // namespace alcove::app
