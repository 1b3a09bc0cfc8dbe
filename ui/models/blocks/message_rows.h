#pragma once

#include "app/store/records.h"
#include "ui/models/blocks/message_document.h"

#include <QElapsedTimer>
#include <QHash>
#include <QSet>

#include <vector>

namespace alcove::ui {

enum class RowType : quint8 {
    Placeholder, ///< a message that is far from the view and not parsed yet
    Header,      ///< who answers
    Text,        ///< paragraph, heading, list item, quote, formula
    Code,
    Table,
    Rule,
    Reasoning, ///< head of the reasoning, folds it
    More,      ///< shows the rest of a long code block or table
    Status,    ///< stopped, cut short, failed
    Reading,   ///< progress before the first word
    Footer,    ///< what can be done with the message
};

/// A row of a message: what it shows is looked up by the block's number.
struct RowRef {
    RowType type = RowType::Placeholder;
    int block = -1; ///< of the message's blocks; -1: the row is about the whole message

    bool operator==(const RowRef&) const = default;
};

/// One message of the list: its text, its parsed blocks, the rows that are shown of it and what the
/// person folded. Holds the state of rows, so that their delegates hold none.
class MessageRows {
public:
    explicit MessageRows(const app::Message& message);

    const app::Message& message() const { return m_message; }
    /// State, facts, sibling numbers; the text only if it differs.
    void setMessage(const app::Message& message);
    bool mine() const { return m_message.role == app::Role::User; }
    bool growing() const { return m_growing; }
    void setGrowing(bool growing) { m_growing = growing; }
    /// Shows the row of the phase before the first word.
    void setReading(bool reading) { m_reading = reading; }

    bool parsed() const { return m_parsed; }
    void parse();
    void drop(); ///< the parsed blocks, to save memory

    /// First block that may differ.
    int append(QStringView more);
    int finish();
    QString text() const { return m_parsed ? m_document.source() : m_message.text; }
    QString answerText() const;
    const std::vector<Block>& blocks() const { return m_document.blocks(); }

    const std::vector<RowRef>& rows() const { return m_rows; }
    /// What the rows are by the present state; setRows makes them the ones that are shown.
    std::vector<RowRef> wantedRows() const;
    void setRows(std::vector<RowRef> rows) { m_rows = std::move(rows); }

    bool folded(int block) const; ///< of a Reasoning block
    void setFolded(int block, bool folded);
    bool wrapped(int group) const { return m_wrapped.contains(group); }
    void toggleWrapped(int group);
    void showAll(int group) { m_expanded.insert(group); }
    /// Lines of a code block or rows of a table that More would show.
    int hiddenCount(int block) const;
    /// Seconds that the model thought, if this was seen; -1: not known.
    double thinkingSeconds() const;
    bool thinking() const;

private:
    bool hiddenByFold(int block) const;
    void followThinking();
    int groupEnd(int block) const;
    int groupLines(int block) const;

    app::Message m_message;
    MessageDocument m_document;
    bool m_parsed = false;
    bool m_growing = false;
    bool m_reading = false;
    bool m_grewHere = false; ///< long code that was seen growing is not folded afterwards
    std::vector<RowRef> m_rows;
    QHash<int, bool> m_folded; ///< by where the reasoning starts; absent: folded once it has ended
    QSet<int> m_expanded;
    QSet<int> m_wrapped;
    QElapsedTimer m_thinkingSince;
    double m_thinkingSeconds = -1;
};

inline constexpr int kFoldLines = 120;     ///< code of more lines shows its first piece
inline constexpr int kFoldTableRows = 200; ///< a table of more rows shows these

/// Space above a row in logical pixels at 100 %, given the row above it within the message (null:
/// none).
int gapAbove(const MessageRows& message, const RowRef* above, const RowRef& row);

} // namespace alcove::ui
