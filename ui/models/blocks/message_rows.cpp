#include "ui/models/blocks/message_rows.h"

#include <algorithm>

namespace alcove::ui {
namespace {

Flavor flavorOf(const app::Message& message) {
    return message.role == app::Role::Assistant ? Flavor::Markdown : Flavor::AsTyped;
}

RowType rowTypeOf(const Block& block) {
    switch (block.kind) {
    case BlockKind::Code:
        return RowType::Code;
    case BlockKind::Table:
        return RowType::Table;
    case BlockKind::Rule:
        return RowType::Rule;
    case BlockKind::Reasoning:
        return RowType::Reasoning;
    case BlockKind::Paragraph:
    case BlockKind::Heading:
    case BlockKind::Formula:
        break;
    }
    return RowType::Text;
}

bool needsStatus(app::MessageState state) {
    return state != app::MessageState::Complete && state != app::MessageState::Writing;
}

int lineCount(const QString& text) {
    return text.isEmpty() ? 0 : int(text.count(u'\n')) + 1;
}

} // namespace

MessageRows::MessageRows(const app::Message& message)
    : m_message(message), m_document(flavorOf(message)) {
    m_growing = message.state == app::MessageState::Writing;
    m_rows = {{RowType::Placeholder, -1}};
}

void MessageRows::setMessage(const app::Message& message) {
    const bool sameText = message.text == text();
    m_message = message;
    if (!sameText && m_parsed)
        m_document.setSource(message.text, !m_growing);
}

void MessageRows::parse() {
    if (m_parsed)
        return;
    m_parsed = true;
    m_document.setSource(m_message.text, !m_growing);
}

void MessageRows::drop() {
    m_message.text = text();
    m_parsed = false;
    m_document = MessageDocument(flavorOf(m_message));
}

int MessageRows::append(QStringView more) {
    parse();
    m_grewHere = true;
    const int changed = m_document.append(more);
    followThinking();
    return changed;
}

int MessageRows::finish() {
    parse();
    m_growing = false;
    const int changed = m_document.finish();
    followThinking();
    m_message.text = m_document.source();
    return changed;
}

QString MessageRows::answerText() const {
    if (m_parsed)
        return m_document.answerSource();
    MessageDocument document(flavorOf(m_message));
    document.setSource(m_message.text, true);
    return document.answerSource();
}

bool MessageRows::thinking() const {
    return m_growing && m_thinkingSince.isValid() && m_thinkingSeconds < 0;
}

double MessageRows::thinkingSeconds() const {
    if (m_thinkingSeconds >= 0 || !m_thinkingSince.isValid())
        return m_thinkingSeconds;
    return double(m_thinkingSince.elapsed()) / 1000;
}

void MessageRows::followThinking() {
    if (m_thinkingSeconds >= 0)
        return;
    for (const Block& block : blocks()) {
        if (block.kind != BlockKind::Reasoning)
            continue;
        if (!m_thinkingSince.isValid())
            m_thinkingSince.start();
        if (!block.open || !m_growing)
            m_thinkingSeconds = double(m_thinkingSince.elapsed()) / 1000;
        return;
    }
}

bool MessageRows::folded(int block) const {
    const Block& head = blocks()[size_t(block)];
    return m_folded.value(head.sourceStart, !(head.open && m_growing));
}

void MessageRows::setFolded(int block, bool folded) {
    m_folded[blocks()[size_t(block)].sourceStart] = folded;
}

void MessageRows::toggleWrapped(int group) {
    if (!m_wrapped.remove(group))
        m_wrapped.insert(group);
}

int MessageRows::groupEnd(int block) const {
    const std::vector<Block>& all = blocks();
    size_t end = size_t(block) + 1;
    while (end < all.size() && all[end].kind == all[size_t(block)].kind &&
           all[end].group == all[size_t(block)].group && all[end].continued)
        ++end;
    return int(end);
}

int MessageRows::groupLines(int block) const {
    const Block& last = blocks()[size_t(groupEnd(block) - 1)];
    return last.firstLine +
           (last.table ? last.table->rows() - last.table->hasHeader : lineCount(last.text));
}

int MessageRows::hiddenCount(int block) const {
    const Block& first = blocks()[size_t(block)];
    const bool table = first.kind == BlockKind::Table;
    if (m_grewHere || m_expanded.contains(first.group))
        return 0;
    const int lines = groupLines(block);
    if (lines <= (table ? kFoldTableRows : kFoldLines))
        return 0;
    return lines - (table ? kFoldTableRows : kFirstCodeLines);
}

std::vector<RowRef> MessageRows::wantedRows() const {
    if (!m_parsed)
        return {{RowType::Placeholder, -1}};
    std::vector<RowRef> rows;
    const std::vector<Block>& all = blocks();
    rows.reserve(all.size() + 3);
    if (!mine())
        rows.push_back({RowType::Header, -1});
    for (int i = 0; i < int(all.size());) {
        const Block& block = all[size_t(i)];
        rows.push_back({rowTypeOf(block), i});
        if (block.kind == BlockKind::Reasoning && folded(i)) {
            ++i;
            while (i < int(all.size()) && all[size_t(i)].inReasoning)
                ++i;
            continue;
        }
        const bool cutable = block.kind == BlockKind::Code || block.kind == BlockKind::Table;
        if (!cutable || block.continued || hiddenCount(i) == 0) {
            ++i;
            continue;
        }
        const int end = groupEnd(i);
        int shown = i + 1;
        if (block.kind == BlockKind::Table)
            shown = std::min(end, i + kFoldTableRows / kTableRows);
        for (int k = i + 1; k < shown; ++k)
            rows.push_back({RowType::Table, k});
        rows.push_back({RowType::More, i});
        i = end;
    }
    if (m_reading)
        rows.push_back({RowType::Reading, -1});
    if (!mine() && !m_growing && needsStatus(m_message.state))
        rows.push_back({RowType::Status, -1});
    rows.push_back({RowType::Footer, -1});
    return rows;
}

int gapAbove(const MessageRows& message, const RowRef* above, const RowRef& row) {
    if (!above)
        return message.mine() ? 28 : 20;
    if (above->type == RowType::Header)
        return 4;
    if (row.type == RowType::Footer)
        return 4;
    if (row.type == RowType::Status || row.type == RowType::Reading)
        return 12;
    if (row.block < 0 || row.type == RowType::More)
        return 0;
    const Block& block = message.blocks()[size_t(row.block)];
    if (block.continued && row.type == above->type && row.type != RowType::Text)
        return 0;
    if (block.kind == BlockKind::Heading)
        return block.level <= 2 ? 24 : 18;
    if (above->type == RowType::Text && above->block >= 0) {
        const Block& before = message.blocks()[size_t(above->block)];
        if (before.kind == BlockKind::Heading)
            return block.kind == BlockKind::Paragraph ? 6 : 10;
        if (block.kind == BlockKind::Paragraph && block.listDepth > 0 && before.listDepth > 0)
            return block.loose ? 10 : 4;
        if (block.kind == BlockKind::Paragraph && before.kind == BlockKind::Paragraph &&
            before.listDepth == 0 && block.listDepth > 0 && !block.loose)
            return 6;
    }
    return 14;
}

} // namespace alcove::ui
