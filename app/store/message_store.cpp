#include "app/store/message_store.h"

#include "app/store/conversation_store.h"
#include "app/store/sql.h"

#include <QJsonDocument>

#include <bit>

namespace alcove::app {

namespace {

RowId insertMessage(SQLite::Database& database, RowId conversationId, RowId parentId, Role role,
                    MessageState state) {
    sql::execute(database,
                 "INSERT INTO message (conversation_id, parent_id, role, state, created) VALUES "
                 "(?, ?, ?, ?, ?)",
                 conversationId, sql::Reference{parentId}, roleName(role), messageStateName(state),
                 sql::now());
    return database.getLastInsertRowid();
}

void insertText(SQLite::Database& database, RowId id, const QString& text) {
    sql::execute(database, "INSERT INTO message_part (message_id, position, body) VALUES (?, 0, ?)",
                 id, text);
}

void addToIndex(SQLite::Database& database, RowId id, const QString& text) {
    sql::execute(database, "INSERT INTO message_search (rowid, body) VALUES (?, ?)", id, text);
}

void removeFromIndex(SQLite::Database& database, RowId id, const QString& text) {
    sql::execute(database,
                 "INSERT INTO message_search (message_search, rowid, body) VALUES ('delete', ?, ?)",
                 id, text);
}

/// What is stored of a message, with what an answer has grown since.
constexpr const char* kSelectText =
    "SELECT body FROM (SELECT body, position AS place, 0 AS grown FROM message_part WHERE "
    "message_id = ?1 "
    "UNION ALL SELECT body, id, 1 FROM answer_growth WHERE message_id = ?1) ORDER BY grown, place";

QString joinedText(SQLite::Database& database, RowId id) {
    auto rows = sql::prepare(database, kSelectText, id);
    QString text;
    while (rows.executeStep())
        text += sql::text(rows.getColumn(0));
    return text;
}

void storeJoined(SQLite::Database& database, RowId id, const QString& text) {
    sql::execute(database, "DELETE FROM message_part WHERE message_id = ?", id);
    sql::execute(database, "DELETE FROM answer_growth WHERE message_id = ?", id);
    insertText(database, id, text);
}

void setState(SQLite::Database& database, RowId id, MessageState state) {
    sql::execute(database, "UPDATE message SET state = ? WHERE id = ?", messageStateName(state),
                 id);
}

/// Makes `leafId` the end of the chosen path. `parentId` is where the path turns off the one chosen
/// before.
void chooseLeaf(SQLite::Database& database, RowId conversationId, RowId parentId, RowId childId,
                RowId leafId) {
    if (parentId != 0)
        sql::execute(database, "UPDATE message SET chosen_child_id = ? WHERE id = ?", childId,
                     parentId);
    sql::execute(database, "UPDATE conversation SET leaf_id = ? WHERE id = ?", leafId,
                 conversationId);
}

AnswerFacts readFacts(SQLite::Statement& row, int column) {
    AnswerFacts f;
    f.modelName = sql::text(row.getColumn(column++));
    f.modelSha256 = sql::text(row.getColumn(column++));
    f.templateSha256 = sql::text(row.getColumn(column++));
    f.adapters = adaptersFromJson(sql::text(row.getColumn(column++)));
    f.sampling = QJsonDocument::fromJson(sql::text(row.getColumn(column++)).toUtf8()).object();
    f.seed = std::bit_cast<quint64>(sql::integer(row.getColumn(column++)));
    f.promptTokens = row.getColumn(column++).getInt();
    f.cachedTokens = row.getColumn(column++).getInt();
    f.generatedTokens = row.getColumn(column++).getInt();
    f.contextSize = row.getColumn(column++).getInt();
    f.contextUsed = row.getColumn(column++).getInt();
    f.prefillSeconds = row.getColumn(column++).getDouble();
    f.decodeSeconds = row.getColumn(column++).getDouble();
    f.firstTokenSeconds = row.getColumn(column++).getDouble();
    f.loadSeconds = row.getColumn(column++).getDouble();
    f.finish = sql::text(row.getColumn(column++));
    f.finishDetail = sql::text(row.getColumn(column++));
    return f;
}

void storeFacts(SQLite::Database& database, RowId id, const AnswerFacts& f) {
    sql::execute(database,
                 "INSERT OR REPLACE INTO answer_facts (message_id, model_name, model_sha256, "
                 "template_sha256, adapters, sampling, "
                 "seed, prompt_tokens, cached_tokens, generated_tokens, context_size, "
                 "context_used, prefill_seconds, "
                 "decode_seconds, first_token_seconds, load_seconds, finish, finish_detail) "
                 "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                 id, f.modelName, f.modelSha256, f.templateSha256, adaptersToJson(f.adapters),
                 QString::fromUtf8(QJsonDocument(f.sampling).toJson(QJsonDocument::Compact)),
                 std::bit_cast<qint64>(f.seed), f.promptTokens, f.cachedTokens, f.generatedTokens,
                 f.contextSize, f.contextUsed, f.prefillSeconds, f.decodeSeconds,
                 f.firstTokenSeconds, f.loadSeconds, f.finish, f.finishDetail);
}

// The sub-selects count among the children of one parent: cheap, by index. `IS` also matches the
// roots (NULL).
constexpr const char* kSelectMessage =
    "SELECT m.id, m.conversation_id, m.parent_id, m.role, m.state, m.created, "
    "(SELECT count(*) FROM message s WHERE s.conversation_id = m.conversation_id AND s.parent_id "
    "IS m.parent_id "
    " AND s.id < m.id), "
    "(SELECT count(*) FROM message s WHERE s.conversation_id = m.conversation_id AND s.parent_id "
    "IS m.parent_id), "
    "f.message_id, f.model_name, f.model_sha256, f.template_sha256, f.adapters, f.sampling, "
    "f.seed, "
    "f.prompt_tokens, "
    "f.cached_tokens, f.generated_tokens, f.context_size, f.context_used, f.prefill_seconds, "
    "f.decode_seconds, "
    "f.first_token_seconds, f.load_seconds, f.finish, f.finish_detail "
    "FROM message m LEFT JOIN answer_facts f ON f.message_id = m.id WHERE m.id = ?";

/// One statement for many messages: reset and bound again.
class MessageReader {
public:
    explicit MessageReader(SQLite::Database& database)
        : m_message(database, kSelectMessage), m_parts(database, kSelectText) {}

    Result<Message> read(RowId id) {
        m_message.reset();
        m_message.bind(1, static_cast<int64_t>(id));
        if (!m_message.executeStep())
            return sql::notFound("Message", id);
        Message m;
        m.id = id;
        m.conversationId = sql::integer(m_message.getColumn(1));
        m.parentId = sql::integer(m_message.getColumn(2));
        m.role = roleFromName(sql::text(m_message.getColumn(3))).value_or(Role::User);
        m.state = messageStateFromName(sql::text(m_message.getColumn(4)))
                      .value_or(MessageState::Complete);
        m.created = sql::time(m_message.getColumn(5));
        m.siblingIndex = m_message.getColumn(6).getInt();
        m.siblingCount = m_message.getColumn(7).getInt();
        if (!m_message.getColumn(8).isNull())
            m.facts = readFacts(m_message, 9);
        m_parts.reset();
        m_parts.bind(1, static_cast<int64_t>(id));
        while (m_parts.executeStep())
            m.text += sql::text(m_parts.getColumn(0));
        return m;
    }

private:
    SQLite::Statement m_message;
    SQLite::Statement m_parts;
};

Result<Message> requireAnswer(SQLite::Database& database, RowId id) {
    ALCOVE_ASSIGN_OR_RETURN(Message message, MessageReader(database).read(id));
    if (message.role != Role::Assistant)
        return Error{Errc::InvalidArgument,
                     "message " + std::to_string(id) + " is a question, expected an answer"};
    return message;
}

} // namespace

Result<QuestionAndAnswer> MessageStore::addQuestion(RowId conversationId, RowId parentId,
                                                    const QString& text, RowId modelId,
                                                    const QString& systemPrompt) {
    QuestionAndAnswer added;
    ALCOVE_RETURN_IF_ERROR(m_database.transaction([&]() -> Status {
        SQLite::Database& database = m_database.handle();
        ConversationStore conversations(m_database);
        if (conversationId == 0) {
            ALCOVE_ASSIGN_OR_RETURN(const Conversation made,
                                    conversations.create(systemPrompt, modelId));
            conversationId = made.id;
        }
        if (parentId != 0) {
            ALCOVE_ASSIGN_OR_RETURN(const Message parent, MessageReader(database).read(parentId));
            if (parent.conversationId != conversationId)
                return Error{Errc::InvalidArgument,
                             "message " + std::to_string(parentId) + " belongs to conversation " +
                                 std::to_string(parent.conversationId) + ", expected " +
                                 std::to_string(conversationId)};
        }
        const RowId question =
            insertMessage(database, conversationId, parentId, Role::User, MessageState::Complete);
        insertText(database, question, text);
        addToIndex(database, question, text);
        const RowId answer = insertMessage(database, conversationId, question, Role::Assistant,
                                           MessageState::Writing);
        chooseLeaf(database, conversationId, question, answer, answer);
        if (parentId != 0)
            sql::execute(database, "UPDATE message SET chosen_child_id = ? WHERE id = ?", question,
                         parentId);
        if (sql::execute(
                database,
                "UPDATE conversation SET used = ?, draft = '', draft_caret = 0, draft_queued = 0, "
                "title = CASE WHEN title = '' THEN ? ELSE title END, "
                "model_id = coalesce(?, model_id) WHERE id = ?",
                sql::now(), titleFromMessage(text), sql::Reference{modelId}, conversationId) == 0)
            return sql::notFound("Conversation", conversationId);
        ALCOVE_ASSIGN_OR_RETURN(added.conversation, conversations.get(conversationId));
        MessageReader reader(database);
        ALCOVE_ASSIGN_OR_RETURN(added.question, reader.read(question));
        ALCOVE_ASSIGN_OR_RETURN(added.answer, reader.read(answer));
        return ok();
    }));
    return added;
}

Result<Message> MessageStore::addAnswer(RowId questionId) {
    Message added;
    ALCOVE_RETURN_IF_ERROR(m_database.transaction([&]() -> Status {
        SQLite::Database& database = m_database.handle();
        ALCOVE_ASSIGN_OR_RETURN(const Message question, MessageReader(database).read(questionId));
        const RowId answer = insertMessage(database, question.conversationId, questionId,
                                           Role::Assistant, MessageState::Writing);
        chooseLeaf(database, question.conversationId, questionId, answer, answer);
        sql::execute(database, "UPDATE conversation SET used = ? WHERE id = ?", sql::now(),
                     question.conversationId);
        ALCOVE_ASSIGN_OR_RETURN(added, MessageReader(database).read(answer));
        return ok();
    }));
    return added;
}

Result<Message> MessageStore::addEditedAnswer(RowId answerId, const QString& text) {
    Message added;
    ALCOVE_RETURN_IF_ERROR(m_database.transaction([&]() -> Status {
        SQLite::Database& database = m_database.handle();
        ALCOVE_ASSIGN_OR_RETURN(const Message old, requireAnswer(database, answerId));
        const RowId answer = insertMessage(database, old.conversationId, old.parentId,
                                           Role::Assistant, MessageState::Complete);
        insertText(database, answer, text);
        addToIndex(database, answer, text);
        chooseLeaf(database, old.conversationId, old.parentId, answer, answer);
        ALCOVE_ASSIGN_OR_RETURN(added, MessageReader(database).read(answer));
        return ok();
    }));
    return added;
}

Result<Message> MessageStore::reopenAnswer(RowId answerId) {
    Message reopened;
    ALCOVE_RETURN_IF_ERROR(m_database.transaction([&]() -> Status {
        SQLite::Database& database = m_database.handle();
        ALCOVE_ASSIGN_OR_RETURN(reopened, requireAnswer(database, answerId));
        if (reopened.state == MessageState::Writing)
            return Error{Errc::InvalidArgument,
                         "answer " + std::to_string(answerId) + " is being written already"};
        removeFromIndex(database, answerId, reopened.text);
        setState(database, answerId, MessageState::Writing);
        sql::execute(database, "UPDATE conversation SET used = ? WHERE id = ?", sql::now(),
                     reopened.conversationId);
        reopened.state = MessageState::Writing;
        return ok();
    }));
    return reopened;
}

Status MessageStore::appendAnswer(RowId answerId, const QString& delta) {
    return guarded("The growing answer", [&]() -> Status {
        const int rows =
            sql::execute(m_database.handle(),
                         "INSERT INTO answer_growth (message_id, body) SELECT id, ? FROM message "
                         "WHERE id = ? AND state = 'writing'",
                         delta, answerId);
        if (rows == 0)
            return Error{Errc::InvalidArgument,
                         "answer " + std::to_string(answerId) + " is not being written"};
        return ok();
    });
}

Result<Message> MessageStore::finishAnswer(RowId answerId, const QString& delta, MessageState state,
                                           const AnswerFacts& facts) {
    Message finished;
    ALCOVE_RETURN_IF_ERROR(m_database.transaction([&]() -> Status {
        SQLite::Database& database = m_database.handle();
        ALCOVE_ASSIGN_OR_RETURN(const Message growing, requireAnswer(database, answerId));
        if (growing.state != MessageState::Writing)
            return Error{Errc::InvalidArgument,
                         "answer " + std::to_string(answerId) + " is not being written"};
        const QString text = growing.text + delta;
        storeJoined(database, answerId, text);
        setState(database, answerId, state);
        storeFacts(database, answerId, facts);
        addToIndex(database, answerId, text);
        ALCOVE_ASSIGN_OR_RETURN(finished, MessageReader(database).read(answerId));
        return ok();
    }));
    return finished;
}

Result<int> MessageStore::markInterrupted() {
    int marked = 0;
    ALCOVE_RETURN_IF_ERROR(m_database.transaction([&]() -> Status {
        SQLite::Database& database = m_database.handle();
        QVector<RowId> left;
        SQLite::Statement rows(database, "SELECT id FROM message WHERE state = 'writing'");
        while (rows.executeStep())
            left.append(sql::integer(rows.getColumn(0)));
        for (const RowId id : left) {
            const QString text = joinedText(database, id);
            storeJoined(database, id, text);
            setState(database, id, MessageState::Interrupted);
            addToIndex(database, id, text);
        }
        marked = static_cast<int>(left.size());
        return ok();
    }));
    return marked;
}

Result<Message> MessageStore::get(RowId id) {
    return guarded("The message", [&]() -> Result<Message> {
        return MessageReader(m_database.handle()).read(id);
    });
}

Result<QVector<RowId>> MessageStore::pathIds(RowId leafId) {
    return guarded("The conversation", [&]() -> Result<QVector<RowId>> {
        QVector<RowId> ids;
        SQLite::Statement parent(m_database.handle(), "SELECT parent_id FROM message WHERE id = ?");
        // A parent is always older than its child; anything else would be a loop in a damaged file.
        for (RowId id = leafId, next = 0; id != 0; id = next) {
            parent.reset();
            parent.bind(1, static_cast<int64_t>(id));
            if (!parent.executeStep())
                return sql::notFound("Message", id);
            ids.append(id);
            next = sql::integer(parent.getColumn(0));
            if (next >= id)
                return Error{Errc::Format,
                             "message " + std::to_string(id) +
                                 " has a parent that is newer: " + std::to_string(next)};
        }
        std::reverse(ids.begin(), ids.end());
        return ids;
    });
}

Result<QVector<Message>> MessageStore::load(std::span<const RowId> ids) {
    return guarded("The conversation", [&]() -> Result<QVector<Message>> {
        SQLite::Transaction snapshot(m_database.handle()); // one state of the file, one lock
        MessageReader reader(m_database.handle());
        QVector<Message> messages;
        messages.reserve(static_cast<qsizetype>(ids.size()));
        for (const RowId id : ids) {
            ALCOVE_ASSIGN_OR_RETURN(Message message, reader.read(id));
            messages.append(std::move(message));
        }
        return messages;
    });
}

Result<QVector<Message>> MessageStore::path(RowId leafId) {
    ALCOVE_ASSIGN_OR_RETURN(const QVector<RowId> ids, pathIds(leafId));
    return load(ids);
}

Result<QVector<RowId>> MessageStore::siblings(RowId id) {
    return guarded("The branches", [&]() -> Result<QVector<RowId>> {
        auto rows = sql::prepare(
            m_database.handle(),
            "SELECT s.id FROM message m JOIN message s ON s.conversation_id = m.conversation_id "
            "AND s.parent_id IS m.parent_id WHERE m.id = ? ORDER BY s.id",
            id);
        QVector<RowId> ids;
        while (rows.executeStep())
            ids.append(sql::integer(rows.getColumn(0)));
        if (ids.isEmpty())
            return sql::notFound("Message", id);
        return ids;
    });
}

Result<RowId> MessageStore::chooseBranch(RowId id) {
    RowId leaf = id;
    ALCOVE_RETURN_IF_ERROR(m_database.transaction([&]() -> Status {
        SQLite::Database& database = m_database.handle();
        ALCOVE_ASSIGN_OR_RETURN(const Message top, MessageReader(database).read(id));
        // Below: the child chosen last, or the newest.
        SQLite::Statement child(
            database, "SELECT coalesce(m.chosen_child_id, (SELECT max(c.id) FROM message c WHERE "
                      "c.parent_id = m.id)) FROM message m WHERE m.id = ?");
        for (RowId next = id; next != 0;) {
            leaf = next;
            child.reset();
            child.bind(1, static_cast<int64_t>(leaf));
            next = child.executeStep() ? sql::integer(child.getColumn(0)) : 0;
        }
        chooseLeaf(database, top.conversationId, top.parentId, id, leaf);
        // Above: every ancestor leads here, also if another branch was the chosen one further up.
        ALCOVE_ASSIGN_OR_RETURN(const QVector<RowId> path, pathIds(id));
        for (qsizetype i = 0; i + 1 < path.size(); ++i)
            sql::execute(
                database,
                "UPDATE message SET chosen_child_id = ? WHERE id = ? AND chosen_child_id IS NOT ?",
                path[i + 1], path[i], path[i + 1]);
        return ok();
    }));
    return leaf;
}

Result<QVector<Message>> MessageStore::all(RowId conversationId) {
    return guarded("The conversation", [&]() -> Result<QVector<Message>> {
        auto rows = sql::prepare(m_database.handle(),
                                 "SELECT id FROM message WHERE conversation_id = ? ORDER BY id",
                                 conversationId);
        QVector<RowId> ids;
        while (rows.executeStep())
            ids.append(sql::integer(rows.getColumn(0)));
        return load(ids);
    });
}

Result<qint64> MessageStore::count(RowId conversationId) {
    return guarded("The conversation", [&]() -> Result<qint64> {
        auto row =
            sql::prepare(m_database.handle(),
                         "SELECT count(*) FROM message WHERE conversation_id = ?", conversationId);
        row.executeStep();
        return sql::integer(row.getColumn(0));
    });
}

} // namespace alcove::app
