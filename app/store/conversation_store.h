#pragma once

#include "app/store/database.h"
#include "app/store/records.h"

#include <optional>

namespace alcove::app {

/// Where the next page of the list begins: the last row of the page before. The list is ordered by
/// last use, newest first, then by id; paging by key stays right while rows come and go.
struct ConversationCursor {
    QDateTime used;
    RowId id = 0;
    static ConversationCursor after(const Conversation& row) { return {row.used, row.id}; }
};

/// The table `conversation`. Synchronous; used on the thread that owns `database`. Every change is
/// one transaction.
class ConversationStore {
public:
    explicit ConversationStore(Database& database) : m_database(database) {}

    Result<Conversation> create(const QString& systemPrompt = {}, RowId modelId = 0);
    /// Errc::NotFound if there is none; rows in the trash are found.
    Result<Conversation> get(RowId id);

    /// Up to `limit` rows outside the trash, most recently used first; empty `after`: from the
    /// begin.
    Result<QVector<Conversation>> list(const std::optional<ConversationCursor>& after = {},
                                       int limit = 100);
    Result<qint64> count();
    /// How many rows stand before `id` in the list, or Errc::NotFound.
    Result<qint64> position(RowId id);

    /// Keeps the title from now on. White space is simplified; an empty title gives the first
    /// message's again.
    Status rename(RowId id, const QString& title);
    Status setSystemPrompt(RowId id, const QString& text);
    Status setModel(RowId id, RowId modelId);
    /// Brings the conversation to the top of the list.
    Status touch(RowId id);

    /// The unsent text; does not change the order of the list. `queued`: to be sent when the
    /// running answer ends.
    Status saveDraft(RowId id, const QString& text, int caret, bool queued = false);

    /// Into the trash, out of the list. Nothing is lost until purgeTrash().
    Status moveToTrash(RowId id);
    /// Back to where it was in the list.
    Status restore(RowId id);
    Result<QVector<Conversation>> trash();
    /// Deletes for good what has been in the trash since before `before`; gives how many
    /// conversations.
    Result<int> purgeTrash(const QDateTime& before);

private:
    Database& m_database;
};

/// A title from a first message: white space simplified, cut at a word, at most 60 characters
/// (whole characters, with "…" when cut).
QString titleFromMessage(QStringView text);

} // namespace alcove::app
