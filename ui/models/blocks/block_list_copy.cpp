// What BlockListModel puts on the clipboard.
#include "ui/models/blocks/block_clipboard.h"
#include "ui/models/blocks/block_list_model.h"

namespace alcove::ui {

QString BlockListModel::messageText(qint64 id) const {
    const int at = messageIndex(id);
    return at < 0 ? QString() : message(at).text();
}

namespace {

std::vector<Block> answerBlocks(const MessageRows& entry) {
    std::vector<Block> blocks;
    const auto keep = [&](const std::vector<Block>& all) {
        for (const Block& block : all)
            if (!block.inReasoning && block.kind != BlockKind::Reasoning)
                blocks.push_back(block);
    };
    if (entry.parsed()) {
        keep(entry.blocks());
    } else {
        MessageDocument document(entry.mine() ? Flavor::AsTyped : Flavor::Markdown);
        document.setSource(entry.text(), true);
        keep(document.blocks());
    }
    return blocks;
}

} // namespace

void BlockListModel::copyMessage(qint64 id) const {
    const int at = messageIndex(id);
    if (at >= 0)
        copyToClipboard(message(at).answerText(), blocksToHtml(answerBlocks(message(at))));
}

void BlockListModel::copyMessageAsText(qint64 id) const {
    const int at = messageIndex(id);
    if (at >= 0)
        copyToClipboard(blocksToText(answerBlocks(message(at))), {});
}

/// The whole code block that a row is a piece of.
QString BlockListModel::codeOfGroup(int row) const {
    const Block* wanted = blockAt(row);
    QString code;
    if (!wanted)
        return code;
    bool first = true;
    for (const Block& block : message(messageAt(row)).blocks()) {
        if (block.kind != wanted->kind || block.group != wanted->group)
            continue;
        if (!first)
            code += u'\n';
        code += block.text;
        first = false;
    }
    return code;
}

void BlockListModel::copyCode(int row) const {
    copyToClipboard(codeOfGroup(row), {});
}

void BlockListModel::copyTable(int row) const {
    const Block* block = blockAt(row);
    if (!block || !block->table)
        return;
    QString markdown;
    std::vector<Block> pieces;
    for (const Block& piece : message(messageAt(row)).blocks()) {
        if (!piece.table || piece.group != block->group)
            continue;
        TableData rows = *piece.table;
        pieces.push_back(piece);
        QString text = tableToMarkdown(rows);
        if (piece.continued) // the line of dashes stands only under the header
            text.remove(text.indexOf(u'\n') + 1,
                        text.indexOf(u'\n', text.indexOf(u'\n') + 1) - text.indexOf(u'\n'));
        markdown += text;
    }
    copyToClipboard(markdown, blocksToHtml(pieces));
}

void BlockListModel::copyLastCode() const {
    for (int row = rowCount() - 1; row >= 0; --row)
        if (rowAt(row).type == RowType::Code)
            return copyCode(row);
}

} // namespace alcove::ui
