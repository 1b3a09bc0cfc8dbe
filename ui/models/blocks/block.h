#pragma once

#include <QList>
#include <QMetaType>
#include <QString>

#include <memory>
#include <vector>

/// What the chat view shows of a message: a flat list of blocks, each a piece of plain text with
/// ranges of styles on it. Plain values, no Quick. Positions in `text` and in the source count
/// UTF-16 units, as QString does.
namespace alcove::ui {

/// A styled range of a block's text.
struct Span {
    enum Style : quint8 {
        Strong = 1,
        Emphasis = 2,
        Strike = 4,
        Code = 8,
        Link = 16,
        Formula = 32,
    };
    int start = 0;
    int length = 0;
    quint8 style = 0; ///< a set of Style
    QString target;   ///< of a Link: http, https or mailto, nothing else

    bool operator==(const Span&) const = default;
};
using Spans = QList<Span>;

struct TableCell {
    QString text;
    Spans spans;

    bool operator==(const TableCell&) const = default;
};

/// A table, or a piece of one: pieces of the same table have the same columns and `Block::group`.
struct TableData {
    enum Align : quint8 { Left, Center, Right };
    int columns = 0;
    bool hasHeader = false;       ///< the first row is the header; false in later pieces
    std::vector<Align> align;     ///< [columns]
    std::vector<TableCell> cells; ///< [rows, columns], row by row

    int rows() const { return columns ? int(cells.size()) / columns : 0; }
    const TableCell& at(int row, int column) const { return cells[size_t(row) * columns + column]; }
    bool operator==(const TableData&) const = default;
};

enum class BlockKind : quint8 {
    Paragraph, ///< also list items and quotes: see marker, listDepth, quoteDepth
    Heading,
    Code,
    Table,
    Rule,
    Formula,   ///< a formula on lines of its own
    Reasoning, ///< head of a group of reasoning; the blocks of the group follow with inReasoning
               ///< set
};

/// One row of text. The source ranges of a message's blocks follow each other without gaps, so that
/// putting them together gives the source.
struct Block {
    BlockKind kind = BlockKind::Paragraph;
    quint8 level = 0;      ///< of a heading, 1…6
    quint8 quoteDepth = 0; ///< how many quotes it stands in
    quint8 listDepth = 0;  ///< how many lists it stands in
    qint8 task = -1;       ///< of a task list's item: 0 open, 1 done; -1: no task
    bool loose = false;    ///< an empty line stands before it in the source
    bool inReasoning = false;
    bool open = false;      ///< a code block or reasoning whose end has not come
    bool continued = false; ///< not the first piece of its code block, table or long paragraph
    QString marker;         ///< of a list item: "3." or a bullet; empty in its further paragraphs
    QString text;           ///< what is shown
    Spans spans;            ///< in order, not overlapping
    int sourceStart = 0;
    int sourceEnd = 0;
    int group = 0; ///< where the whole code block, table or reasoning begins in the source

    QString language;  ///< of code, as written: "c++"
    int firstLine = 0; ///< of code: lines of this code block before this piece
    int lexState = 0;  ///< of code: state of the highlighter's lexer at its start
    std::shared_ptr<const TableData> table;
    /// Of a later piece of a table: its first piece, by which columns get their widths. Not
    /// compared.
    std::shared_ptr<const TableData> tableHead;

    bool operator==(const Block& other) const;
};

inline bool Block::operator==(const Block& o) const {
    const bool sameTable = table == o.table || (table && o.table && *table == *o.table);
    return kind == o.kind && level == o.level && quoteDepth == o.quoteDepth &&
           listDepth == o.listDepth && task == o.task && loose == o.loose &&
           inReasoning == o.inReasoning && open == o.open && continued == o.continued &&
           marker == o.marker && text == o.text && spans == o.spans &&
           sourceStart == o.sourceStart && sourceEnd == o.sourceEnd && group == o.group &&
           language == o.language && firstLine == o.firstLine && lexState == o.lexState &&
           sameTable;
}

/// Answers are Markdown; messages of the person are shown as typed, only fences, inline code and
/// links are styled.
enum class Flavor : quint8 { Markdown, AsTyped };

} // namespace alcove::ui
