#include "ui/models/blocks/block_builder.h"

#include "ui/models/blocks/inline_source.h"
#include "ui/models/blocks/link_text.h"
#include "ui/models/blocks/markdown_unit.h"

#include <algorithm>

namespace alcove::ui {
namespace {

/// Fields that all blocks of the unit share.
Block unitBlock(const Unit& unit, BlockKind kind) {
    Block block;
    block.kind = kind;
    block.sourceStart = unit.start;
    block.sourceEnd = unit.end;
    block.group = unit.start;
    block.loose = unit.before.blankBefore;
    block.continued = unit.before.continued;
    block.inReasoning = unit.before.reasoning >= 0;
    return block;
}

Block codeBlock(QStringView source, const Unit& unit, bool final) {
    const ScanState& inside = unit.inside;
    Block block = unitBlock(unit, BlockKind::Code);
    block.group = inside.group;
    block.open = !unit.closed;
    block.firstLine = inside.line;
    block.lexState = inside.lexState;
    const Fence& fence = inside.fence;
    // The label counts when its line is complete, lest it be shown letter by letter.
    if (final || fence.infoEnd < source.size())
        block.language =
            fenceLanguage(source.mid(fence.infoStart, fence.infoEnd - fence.infoStart)).toString();
    QStringView code = source.mid(unit.contentStart, unit.contentEnd - unit.contentStart);
    if (code.endsWith(u'\n'))
        code.chop(1);
    if (inside.fenceIndent == 0) {
        block.text = code.toString();
        return block;
    }
    // An indented fence takes up to its own indent off every line (CommonMark 4.5).
    for (qsizetype i = 0; i <= code.size();) {
        qsizetype end = code.indexOf(u'\n', i);
        end = end < 0 ? code.size() : end;
        for (int n = 0; n < inside.fenceIndent && i < end && code[i] == u' '; ++n)
            ++i;
        block.text += code.sliced(i, end - i);
        if (end < code.size())
            block.text += u'\n';
        i = end + 1;
    }
    return block;
}

void appendTable(QStringView source, const Unit& unit, std::vector<Block>* blocks) {
    const ScanState& inside = unit.inside;
    Block block = unitBlock(unit, BlockKind::Table);
    block.group = inside.group;
    block.firstLine = inside.line;
    InlineSource text;
    text.append(source, inside.headerStart, inside.headerEnd);
    if (!text.utf8().endsWith('\n'))
        text.append(u"\n", 0, 1);
    text.append(source, unit.contentStart, unit.contentEnd);
    std::vector<Block> parsed;
    parseMarkdownUnit(text, block, &parsed);
    if (parsed.empty() || parsed[0].kind != BlockKind::Table) {
        block.kind = BlockKind::Paragraph;
        block.text = source.mid(unit.start, unit.end - unit.start).trimmed().toString();
        blocks->push_back(block);
        return;
    }
    TableData table = *parsed[0].table;
    if (inside.line > 0) {
        table.hasHeader = false;
        table.cells.erase(table.cells.begin(), table.cells.begin() + table.columns);
        if (table.cells.empty()) {
            if (!blocks->empty())
                blocks->back().sourceEnd = unit.end;
            return;
        }
        if (!blocks->empty() && blocks->back().table && blocks->back().group == block.group) {
            const Block& before = blocks->back();
            block.tableHead = before.tableHead ? before.tableHead : before.table;
        }
    }
    block.text = tableText(table);
    block.table = std::make_shared<const TableData>(std::move(table));
    blocks->push_back(block);
}

void appendText(QStringView source, const Unit& unit, std::vector<Block>* blocks) {
    InlineSource text;
    text.append(source, unit.contentStart, unit.contentEnd, unit.before.continued);
    const size_t first = blocks->size();
    parseMarkdownUnit(text, unitBlock(unit, BlockKind::Paragraph), blocks);
    if (blocks->size() == first) { // whatever shows nothing is shown as typed
        Block block = unitBlock(unit, BlockKind::Paragraph);
        block.text = source.mid(unit.contentStart, unit.contentEnd - unit.contentStart).toString();
        blocks->push_back(block);
        return;
    }
    // Each row's source begins where its first line begins and ends where the next row's does.
    int position = unit.start;
    for (size_t i = first; i < blocks->size(); ++i) {
        Block& block = (*blocks)[i];
        if (i > first) {
            const int lineStart =
                int(source.left(std::max(block.sourceStart, 0)).lastIndexOf(u'\n')) + 1;
            position = std::clamp(lineStart, position, unit.end);
        }
        block.sourceStart = position;
        if (i > first)
            (*blocks)[i - 1].sourceEnd = position;
        const QStringView before = source.mid(unit.start, position - unit.start);
        if (i > first)
            block.loose = before.endsWith(u"\n\n") || before.endsWith(u"\n>\n");
    }
    blocks->back().sourceEnd = unit.end;
}

} // namespace

void appendBlocks(QStringView source, const Unit& unit, Flavor flavor, bool final,
                  std::vector<Block>* blocks) {
    switch (unit.kind) {
    case UnitKind::Code:
        if (unit.inside.line > 0 && unit.contentStart == unit.contentEnd && !blocks->empty()) {
            blocks->back().sourceEnd = unit.end;
            return;
        }
        blocks->push_back(codeBlock(source, unit, final));
        return;
    case UnitKind::Table:
        return appendTable(source, unit, blocks);
    case UnitKind::ReasoningOpen: {
        Block block = unitBlock(unit, BlockKind::Reasoning);
        block.open = true;
        block.inReasoning = false;
        blocks->push_back(block);
        return;
    }
    case UnitKind::ReasoningClose:
        for (size_t i = blocks->size(); i-- > 0;) {
            if ((*blocks)[i].kind == BlockKind::Reasoning) {
                (*blocks)[i].open = false;
                break;
            }
        }
        if (!blocks->empty())
            blocks->back().sourceEnd = unit.end;
        return;
    case UnitKind::Text:
    case UnitKind::List:
    case UnitKind::Quote:
        break;
    }
    if (flavor == Flavor::AsTyped) {
        Block block = unitBlock(unit, BlockKind::Paragraph);
        block.text = source.mid(unit.contentStart, unit.contentEnd - unit.contentStart).toString();
        block.spans = spansAsTyped(block.text);
        blocks->push_back(block);
        return;
    }
    appendText(source, unit, blocks);
}

} // namespace alcove::ui
