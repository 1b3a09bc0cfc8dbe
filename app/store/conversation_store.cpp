#include "app/store/conversation_store.h"

#include "app/store/sql.h"

#include <QTextBoundaryFinder>

namespace alcove::app {

namespace {

constexpr int kTitleCharacters = 60;

// The columns of readConversation(), in its order.
#define CONVERSATION_SELECT                                                                        \
    "SELECT c.id, c.title, c.renamed, c.model_id, m.name, c.leaf_id, c.created, c.used, "          \
    "c.deleted_at, c.draft_caret, "                                                                \
    "c.draft_queued, c.draft, c.system_prompt FROM conversation c LEFT JOIN model m ON m.id = "    \
    "c.model_id "

Conversation readConversation(SQLite::Statement& row) {
    Conversation c;
    c.id = sql::integer(row.getColumn(0));
    c.title = sql::text(row.getColumn(1));
    c.renamed = row.getColumn(2).getInt() != 0;
    c.modelId = sql::integer(row.getColumn(3));
    c.modelName = sql::text(row.getColumn(4));
    c.leafId = sql::integer(row.getColumn(5));
    c.created = sql::time(row.getColumn(6));
    c.used = sql::time(row.getColumn(7));
    c.deletedAt = sql::time(row.getColumn(8));
    c.draftCaret = row.getColumn(9).getInt();
    c.draftQueued = row.getColumn(10).getInt() != 0;
    c.draft = sql::text(row.getColumn(11));
    c.systemPrompt = sql::text(row.getColumn(12));
    return c;
}

QVector<Conversation> readAll(SQLite::Statement& rows) {
    QVector<Conversation> all;
    while (rows.executeStep())
        all.append(readConversation(rows));
    return all;
}

/// Changes one conversation, or says that there is none.
template <class... Values>
Status change(Database& database, RowId id, const char* action, const char* text,
              const Values&... values) {
    return guarded(action, [&]() -> Status {
        if (sql::execute(database.handle(), text, values..., id) == 0)
            return sql::notFound("Conversation", id);
        return ok();
    });
}

/// The title that a conversation has by itself: from the first user message of its chosen path's
/// begin.
QString ownTitle(SQLite::Database& database, RowId id) {
    auto row = sql::prepare(database,
                            "SELECT p.body FROM message m JOIN message_part p ON p.message_id = "
                            "m.id AND p.position = 0 "
                            "WHERE m.conversation_id = ? AND m.role = 'user' ORDER BY m.id LIMIT 1",
                            id);
    return row.executeStep() ? titleFromMessage(sql::text(row.getColumn(0))) : QString();
}

} // namespace

QString titleFromMessage(QStringView text) {
    // A pasted book is not simplified as a whole for its first 60 characters.
    QString simple = text.left(4000).toString().simplified();
    QTextBoundaryFinder characters(QTextBoundaryFinder::Grapheme, simple);
    qsizetype end = 0;
    int count = 0;
    while (count < kTitleCharacters && end < simple.size()) {
        end = characters.toNextBoundary();
        ++count;
    }
    if (end >= simple.size())
        return simple;
    // One character makes room for "…"; then back to the end of a word, unless that leaves less
    // than half.
    characters.setPosition(end);
    end = characters.toPreviousBoundary();
    if (const qsizetype space = simple.lastIndexOf(QLatin1Char(' '), end); space > end / 2)
        end = space;
    return simple.left(end).trimmed() + QChar(0x2026);
}

Result<Conversation> ConversationStore::create(const QString& systemPrompt, RowId modelId) {
    return guarded("The new conversation", [&]() -> Result<Conversation> {
        const QDateTime now = sql::now();
        sql::execute(
            m_database.handle(),
            "INSERT INTO conversation (created, used, system_prompt, model_id) VALUES (?, ?, ?, ?)",
            now, now, systemPrompt, sql::Reference{modelId});
        return get(m_database.handle().getLastInsertRowid());
    });
}

Result<Conversation> ConversationStore::get(RowId id) {
    return guarded("The conversation", [&]() -> Result<Conversation> {
        auto row = sql::prepare(m_database.handle(), CONVERSATION_SELECT "WHERE c.id = ?", id);
        if (!row.executeStep())
            return sql::notFound("Conversation", id);
        return readConversation(row);
    });
}

Result<QVector<Conversation>>
ConversationStore::list(const std::optional<ConversationCursor>& after, int limit) {
    return guarded("The list of conversations", [&]() -> Result<QVector<Conversation>> {
        const QDateTime used =
            after ? after->used : QDateTime::fromMSecsSinceEpoch(INT64_MAX / 2, Qt::UTC);
        const RowId id = after ? after->id : INT64_MAX;
        auto rows = sql::prepare(m_database.handle(),
                                 CONVERSATION_SELECT
                                 "WHERE c.deleted_at IS NULL AND (c.used, c.id) < (?, ?) "
                                 "ORDER BY c.used DESC, c.id DESC LIMIT ?",
                                 used, id, limit);
        return readAll(rows);
    });
}

Result<qint64> ConversationStore::count() {
    return guarded("The list of conversations", [&]() -> Result<qint64> {
        return qint64{m_database.handle()
                          .execAndGet("SELECT count(*) FROM conversation WHERE deleted_at IS NULL")
                          .getInt64()};
    });
}

Result<qint64> ConversationStore::position(RowId id) {
    return guarded("The list of conversations", [&]() -> Result<qint64> {
        auto row = sql::prepare(
            m_database.handle(),
            "SELECT (SELECT count(*) FROM conversation WHERE deleted_at IS NULL AND (used, id) > "
            "(c.used, c.id)) FROM conversation c WHERE c.id = ? AND c.deleted_at IS NULL",
            id);
        if (!row.executeStep())
            return sql::notFound("Conversation", id);
        return sql::integer(row.getColumn(0));
    });
}

Status ConversationStore::rename(RowId id, const QString& title) {
    const QString simple = title.simplified();
    if (!simple.isEmpty())
        return change(m_database, id, "Renaming",
                      "UPDATE conversation SET title = ?, renamed = 1 WHERE id = ?", simple);
    return guarded("Renaming", [&]() -> Status {
        return change(m_database, id, "Renaming",
                      "UPDATE conversation SET title = ?, renamed = 0 WHERE id = ?",
                      ownTitle(m_database.handle(), id));
    });
}

Status ConversationStore::setSystemPrompt(RowId id, const QString& text) {
    return change(m_database, id, "The system text",
                  "UPDATE conversation SET system_prompt = ? WHERE id = ?", text);
}

Status ConversationStore::setModel(RowId id, RowId modelId) {
    return change(m_database, id, "The choice of model",
                  "UPDATE conversation SET model_id = ? WHERE id = ?", sql::Reference{modelId});
}

Status ConversationStore::touch(RowId id) {
    return change(m_database, id, "The conversation",
                  "UPDATE conversation SET used = ? WHERE id = ?", sql::now());
}

Status ConversationStore::saveDraft(RowId id, const QString& text, int caret, bool queued) {
    return change(
        m_database, id, "The draft",
        "UPDATE conversation SET draft = ?, draft_caret = ?, draft_queued = ? WHERE id = ?", text,
        caret, queued);
}

Status ConversationStore::moveToTrash(RowId id) {
    return change(m_database, id, "Deleting", "UPDATE conversation SET deleted_at = ? WHERE id = ?",
                  sql::now());
}

Status ConversationStore::restore(RowId id) {
    return change(m_database, id, "Restoring",
                  "UPDATE conversation SET deleted_at = NULL WHERE id = ?");
}

Result<QVector<Conversation>> ConversationStore::trash() {
    return guarded("The trash", [&]() -> Result<QVector<Conversation>> {
        auto rows =
            sql::prepare(m_database.handle(), CONVERSATION_SELECT
                         "WHERE c.deleted_at IS NOT NULL ORDER BY c.deleted_at DESC, c.id DESC");
        return readAll(rows);
    });
}

Result<int> ConversationStore::purgeTrash(const QDateTime& before) {
    int purged = 0;
    ALCOVE_RETURN_IF_ERROR(m_database.transaction([&]() -> Status {
        SQLite::Database& database = m_database.handle();
        // The index does not follow cascades: it takes the words that were put in.
        sql::execute(
            database,
            "INSERT INTO message_search (message_search, rowid, body) "
            "SELECT 'delete', t.id, t.body FROM message_text t JOIN message m ON m.id = t.id "
            "JOIN conversation c ON c.id = m.conversation_id WHERE c.deleted_at < ? AND m.state <> "
            "'writing'",
            before);
        purged = sql::execute(database, "DELETE FROM conversation WHERE deleted_at < ?", before);
        return ok();
    }));
    return purged;
}

} // namespace alcove::app
