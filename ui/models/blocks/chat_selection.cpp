#include "ui/models/blocks/chat_selection.h"

#include "ui/models/blocks/block_clipboard.h"

#include <QTextBoundaryFinder>

#include <algorithm>
#include <tuple>

namespace alcove::ui {

ChatSelection::ChatSelection(QObject* parent) : QObject(parent) {}

void ChatSelection::setRows(BlockListModel* rows) {
    if (m_rows == rows)
        return;
    if (m_rows)
        m_rows->disconnect(this);
    m_rows = rows;
    if (rows) {
        connect(rows, &QAbstractItemModel::modelReset, this, &ChatSelection::clear);
        connect(rows, &BlockListModel::messagesChanged, this, &ChatSelection::drop);
    }
    clear();
    Q_EMIT rowsChanged();
}

/// Forgets a selection whose messages are gone.
void ChatSelection::drop() {
    if (m_active && (indexOf(m_anchor.message) < 0 || indexOf(m_head.message) < 0))
        clear();
}

bool ChatSelection::empty() const {
    return !m_active || (m_anchor == m_head && !m_whole);
}

int ChatSelection::indexOf(qint64 message) const {
    return m_rows ? m_rows->messageIndex(message) : -1;
}

bool ChatSelection::pointAt(int row, int offset, Point* point) const {
    if (!m_rows)
        return false;
    for (; row >= 0 && row < m_rows->rowCount(); --row) {
        const RowRef ref = m_rows->rowAt(row);
        const Block* block = m_rows->blockAt(row);
        if (!block)
            continue;
        // A head row of reasoning has no text: it selects as a whole.
        const int length = int(block->text.size());
        *point = {m_rows->messageId(m_rows->messageAt(row)), ref.block,
                  std::clamp(offset, 0, length)};
        return true;
    }
    return false;
}

bool ChatSelection::before(const Point& a, const Point& b) const {
    return std::tuple(indexOf(a.message), a.block, a.offset) <
           std::tuple(indexOf(b.message), b.block, b.offset);
}

void ChatSelection::ordered(Point* first, Point* last) const {
    const bool swapped = before(m_head, m_anchor);
    *first = swapped ? m_head : m_anchor;
    *last = swapped ? m_anchor : m_head;
}

void ChatSelection::begin(int row, int offset) {
    m_whole = false;
    m_active = pointAt(row, offset, &m_anchor);
    m_head = m_anchor;
    Q_EMIT changed();
}

void ChatSelection::extend(int row, int offset) {
    if (!m_active)
        return begin(row, offset);
    Point head;
    if (!pointAt(row, offset, &head) || head == m_head)
        return;
    m_head = head;
    m_whole = false;
    Q_EMIT changed();
}

void ChatSelection::selectWord(int row, int offset) {
    begin(row, offset);
    const Block* block = m_rows ? m_rows->blockAt(row) : nullptr;
    if (!block || !m_active || block->text.isEmpty())
        return;
    QTextBoundaryFinder words(QTextBoundaryFinder::Word, block->text);
    words.setPosition(std::min<qsizetype>(offset + 1, block->text.size()));
    if (!words.isAtBoundary())
        words.toNextBoundary();
    m_head.offset = int(std::max<qsizetype>(words.position(), 0));
    words.toPreviousBoundary();
    m_anchor.offset = int(std::max<qsizetype>(words.position(), 0));
    Q_EMIT changed();
}

void ChatSelection::selectRow(int row) {
    begin(row, 0);
    if (const Block* block = m_rows ? m_rows->blockAt(row) : nullptr)
        extend(row, int(block->text.size()));
}

void ChatSelection::selectMessage(int row) {
    if (!m_rows || m_rows->messageAt(row) < 0)
        return;
    m_rows->ensureParsed(row);
    const int message = m_rows->messageAt(row);
    const std::vector<Block>& blocks = m_rows->message(message).blocks();
    if (blocks.empty())
        return;
    m_active = m_whole = true;
    m_anchor = {m_rows->messageId(message), 0, 0};
    m_head = {m_anchor.message, int(blocks.size()) - 1, int(blocks.back().text.size())};
    Q_EMIT changed();
}

void ChatSelection::selectAll() {
    if (!m_rows || m_rows->empty())
        return;
    const int last = m_rows->messageCount() - 1;
    const std::vector<Block>& blocks = m_rows->message(last).blocks();
    m_active = m_whole = true;
    m_anchor = {m_rows->messageId(0), 0, 0};
    m_head = {m_rows->messageId(last), std::max(0, int(blocks.size()) - 1),
              blocks.empty() ? 0 : int(blocks.back().text.size())};
    Q_EMIT changed();
}

int ChatSelection::headRow() const {
    const int message = m_active ? indexOf(m_head.message) : -1;
    if (message < 0)
        return -1;
    const std::vector<RowRef>& rows = m_rows->message(message).rows();
    for (size_t i = 0; i < rows.size(); ++i)
        if (rows[i].block >= m_head.block)
            return m_rows->firstRowOf(message) + int(i);
    return m_rows->lastRowOf(message);
}

void ChatSelection::extendByRows(int step) {
    if (!m_active || step == 0)
        return;
    const int direction = step > 0 ? 1 : -1;
    for (int row = headRow() + direction; row >= 0 && row < m_rows->rowCount(); row += direction) {
        if (const Block* block = m_rows->blockAt(row))
            return extend(row, direction > 0 ? int(block->text.size()) : 0);
    }
}

void ChatSelection::clear() {
    if (!m_active)
        return;
    m_active = false;
    Q_EMIT changed();
}

ChatSelection::Range ChatSelection::rangeIn(int message, int block) const {
    Point first;
    Point last;
    ordered(&first, &last);
    const int firstMessage = indexOf(first.message);
    const int lastMessage = indexOf(last.message);
    const auto here = std::pair(message, block);
    if (here < std::pair(firstMessage, first.block) || here > std::pair(lastMessage, last.block))
        return {};
    const int length = int(m_rows->message(message).blocks()[size_t(block)].text.size());
    Range range{0, length};
    if (here == std::pair(firstMessage, first.block))
        range.start = std::min(first.offset, length);
    if (here == std::pair(lastMessage, last.block))
        range.end = std::min(last.offset, length);
    return range;
}

int ChatSelection::startIn(int row) const {
    if (empty() || !m_rows)
        return -1;
    const RowRef ref = m_rows->rowAt(row);
    return ref.block < 0 || ref.type == RowType::More
               ? -1
               : rangeIn(m_rows->messageAt(row), ref.block).start;
}

int ChatSelection::endIn(int row) const {
    if (empty() || !m_rows)
        return -1;
    const RowRef ref = m_rows->rowAt(row);
    return ref.block < 0 || ref.type == RowType::More
               ? -1
               : rangeIn(m_rows->messageAt(row), ref.block).end;
}

QString ChatSelection::text() const {
    QString text;
    if (empty() || !m_rows)
        return text;
    Point first;
    Point last;
    ordered(&first, &last);
    const int lastMessage = indexOf(last.message);
    for (int i = indexOf(first.message); i >= 0 && i <= lastMessage; ++i) {
        const MessageRows& entry = m_rows->message(i);
        if (!text.isEmpty() && !text.endsWith(u'\n'))
            text += QStringLiteral("\n\n");
        if (!entry.parsed()) {
            text += entry.text();
            continue;
        }
        const QString source = entry.text();
        for (size_t k = 0; k < entry.blocks().size(); ++k) {
            const Range range = rangeIn(i, int(k));
            if (range.start < 0)
                continue;
            const Block& block = entry.blocks()[k];
            const bool whole = range.start == 0 && range.end == int(block.text.size());
            if (whole)
                text +=
                    QStringView(source).mid(block.sourceStart, block.sourceEnd - block.sourceStart);
            else
                text += QStringView(block.text).mid(range.start, range.end - range.start);
            const bool goesOn = k + 1 < entry.blocks().size() && rangeIn(i, int(k) + 1).start >= 0;
            if (!whole && goesOn)
                text += u'\n';
        }
    }
    return text;
}

QString ChatSelection::html() const {
    std::vector<Block> blocks;
    if (empty() || !m_rows)
        return {};
    Point first;
    Point last;
    ordered(&first, &last);
    const int lastMessage = indexOf(last.message);
    for (int i = indexOf(first.message); i >= 0 && i <= lastMessage; ++i) {
        const MessageRows& entry = m_rows->message(i);
        for (size_t k = 0; k < entry.blocks().size(); ++k) {
            const Range range = rangeIn(i, int(k));
            if (range.start < 0)
                continue;
            Block block = entry.blocks()[k];
            if (range.start != 0 || range.end != int(block.text.size())) {
                Spans spans;
                for (Span span : block.spans) {
                    const int start = std::max(span.start, range.start);
                    const int end = std::min(span.start + span.length, range.end);
                    span.start = start - range.start;
                    span.length = end - start;
                    if (span.length > 0)
                        spans.append(span);
                }
                block.text = block.text.mid(range.start, range.end - range.start);
                block.spans = spans;
                if (block.kind == BlockKind::Table)
                    block.kind = BlockKind::Paragraph;
            }
            blocks.push_back(block);
        }
    }
    return blocksToHtml(blocks);
}

void ChatSelection::copy() const {
    if (!empty())
        copyToClipboard(text(), html());
}

} // namespace alcove::ui
