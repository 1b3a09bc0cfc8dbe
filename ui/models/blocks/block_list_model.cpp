#include "ui/models/blocks/block_list_model.h"

#include <algorithm>
#include <cmath>

namespace alcove::ui {
namespace {

constexpr int kTickMs = 33;                 // at most 30 updates a second
constexpr int kAround = 100;                // messages parsed on either side of the view
constexpr int kMostParsed = 2000;           // more are dropped, farthest first
constexpr qsizetype kParseAtOnce = 400'000; // characters parsed when a conversation opens

} // namespace

BlockListModel::BlockListModel(QObject* parent) : QAbstractListModel(parent) {
    m_tick.setSingleShot(true);
    m_tick.callOnTimeout(this, &BlockListModel::flush);
    m_thinkingTick.setInterval(1000);
    m_thinkingTick.callOnTimeout(this, [this] {
        bool thinking = false;
        for (int i = std::max(0, messageCount() - 2); i < messageCount(); ++i) {
            if (!message(i).thinking())
                continue;
            thinking = true;
            changedRowsOf(i, RowType::Reasoning, {TitleRole, AccessibleNameRole});
        }
        if (!thinking)
            m_thinkingTick.stop();
    });
}

int BlockListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : m_starts.back();
}

// --- Places
// ---------------------------------------------------------------------------------------------------------

/// Makes the first rows of the messages after `from` true again.
void BlockListModel::refreshStarts(int from) {
    m_starts.resize(m_messages.size() + 1);
    for (size_t i = size_t(from); i < m_messages.size(); ++i)
        m_starts[i + 1] = m_starts[i] + int(m_messages[i]->rows().size());
}

BlockListModel::Place_ BlockListModel::placeOf(int row) const {
    const auto after = std::upper_bound(m_starts.begin(), m_starts.end(), row);
    const int message = int(after - m_starts.begin()) - 1;
    return {message, row - m_starts[size_t(message)]};
}

int BlockListModel::messageAt(int row) const {
    if (row < 0 || row >= rowCount())
        return -1;
    return placeOf(row).message;
}

int BlockListModel::firstRowOf(int message) const {
    if (message < 0 || message >= messageCount())
        return -1;
    return m_starts[size_t(message)];
}

int BlockListModel::lastRowOf(int message) const {
    if (message < 0 || message >= messageCount())
        return -1;
    return m_starts[size_t(message) + 1] - 1;
}

qint64 BlockListModel::messageId(int index) const {
    return index < 0 || index >= messageCount() ? 0 : message(index).message().id;
}

int BlockListModel::messageIndex(qint64 id) const {
    // What is asked for is nearly always at the end.
    for (size_t i = m_messages.size(); i-- > 0;)
        if (m_messages[i]->message().id == id)
            return int(i);
    return -1;
}

qint64 BlockListModel::lastAnswerId() const {
    for (size_t i = m_messages.size(); i-- > 0;)
        if (!m_messages[i]->mine())
            return m_messages[i]->message().id;
    return 0;
}

bool BlockListModel::isAnswer(qint64 id) const {
    const int at = messageIndex(id);
    return at >= 0 && !message(at).mine();
}

RowRef BlockListModel::rowAt(int row) const {
    if (row < 0 || row >= rowCount())
        return {};
    const Place_ place = placeOf(row);
    return message(place.message).rows()[size_t(place.row)];
}

const Block* BlockListModel::blockAt(int row) const {
    const RowRef ref = rowAt(row);
    if (ref.block < 0)
        return nullptr;
    return &message(placeOf(row).message).blocks()[size_t(ref.block)];
}

// --- Parsing around the view
// ----------------------------------------------------------------------------------------

int BlockListModel::ensureParsed(int row) {
    const int at = messageAt(row);
    if (at < 0)
        return row;
    const int behind = row - firstRowOf(at);
    parseFrom(std::max(0, at - kAround), std::min(messageCount(), at + kAround));
    int parsed = 0;
    for (const auto& entry : m_messages)
        parsed += entry->parsed();
    for (int distance = messageCount(); parsed > kMostParsed && distance > kAround; --distance) {
        for (const int i : {at - distance, at + distance}) {
            if (i < 0 || i >= messageCount() || !message(i).parsed() || message(i).growing())
                continue;
            m_messages[size_t(i)]->drop();
            apply(i);
            --parsed;
        }
    }
    return std::min(firstRowOf(at) + behind, lastRowOf(at));
}

void BlockListModel::parseFrom(int first, int last) {
    for (int i = first; i < last; ++i) {
        if (message(i).parsed())
            continue;
        m_messages[size_t(i)]->parse();
        apply(i);
    }
}

/// Shows the rows of a message as they are wanted now, telling views only what differs.
void BlockListModel::apply(int index) {
    MessageRows& entry = *m_messages[size_t(index)];
    const std::vector<RowRef>& old = entry.rows();
    std::vector<RowRef> wanted = entry.wantedRows();
    size_t same = 0;
    while (same < old.size() && same < wanted.size() && old[same] == wanted[same])
        ++same;
    size_t tail = 0;
    while (tail < old.size() - same && tail < wanted.size() - same &&
           old[old.size() - 1 - tail] == wanted[wanted.size() - 1 - tail])
        ++tail;
    const int start = m_starts[size_t(index)];
    const int removed = int(old.size() - same - tail);
    const int added = int(wanted.size() - same - tail);
    if (removed > 0) {
        std::vector<RowRef> without(old.begin(), old.begin() + qsizetype(same));
        without.insert(without.end(), old.end() - qsizetype(tail), old.end());
        beginRemoveRows({}, start + int(same), start + int(same) + removed - 1);
        entry.setRows(std::move(without));
        refreshStarts(index);
        endRemoveRows();
    }
    if (added > 0) {
        beginInsertRows({}, start + int(same), start + int(same) + added - 1);
        entry.setRows(std::move(wanted));
        refreshStarts(index);
        endInsertRows();
    }
    // The row after a change may have another space above, and the panel another end.
    if (removed + added > 0) {
        if (same > 0)
            changed(index, int(same) - 1, {PlaceRole, PieceRole});
        if (same + size_t(added) < entry.rows().size())
            changed(index, int(same) + added, {GapRole, PlaceRole, PieceRole});
    }
}

void BlockListModel::changed(int index, int row, const QList<int>& roles) {
    const QModelIndex at = this->index(m_starts[size_t(index)] + row);
    Q_EMIT dataChanged(at, at, roles);
}

void BlockListModel::changedRowsOf(int index, RowType type, const QList<int>& roles) {
    const std::vector<RowRef>& rows = message(index).rows();
    for (size_t i = 0; i < rows.size(); ++i)
        if (rows[i].type == type)
            changed(index, int(i), roles);
}

// --- The conversation
// -----------------------------------------------------------------------------------------------

void BlockListModel::setMessages(const QVector<app::Message>& messages) {
    beginResetModel();
    m_waiting.clear();
    m_readingId = 0;
    m_messages.clear();
    m_messages.reserve(size_t(messages.size()));
    for (const app::Message& message : messages)
        if (message.role != app::Role::System)
            m_messages.push_back(std::make_unique<MessageRows>(message));
    qsizetype characters = 0;
    for (size_t i = m_messages.size(), n = 0; i-- > 0 && n < 2 * kAround; ++n) {
        characters += m_messages[i]->message().text.size();
        if (characters > kParseAtOnce && n > 0)
            break;
        m_messages[i]->parse();
        m_messages[i]->setRows(m_messages[i]->wantedRows());
    }
    m_starts.assign(1, 0);
    refreshStarts(0);
    endResetModel();
    Q_EMIT messagesChanged();
}

void BlockListModel::addMessage(const app::Message& message) {
    if (message.role == app::Role::System)
        return;
    auto entry = std::make_unique<MessageRows>(message);
    entry->parse();
    entry->setRows(entry->wantedRows());
    const int first = rowCount();
    beginInsertRows({}, first, first + int(entry->rows().size()) - 1);
    m_messages.push_back(std::move(entry));
    refreshStarts(messageCount() - 1);
    endInsertRows();
    Q_EMIT messagesChanged();
    Q_EMIT grown();
}

void BlockListModel::removeFrom(int first) {
    if (first >= messageCount())
        return;
    beginRemoveRows({}, m_starts[size_t(first)], rowCount() - 1);
    for (int i = first; i < messageCount(); ++i)
        m_waiting.remove(messageId(i));
    m_messages.resize(size_t(first));
    m_starts.resize(size_t(first) + 1);
    endRemoveRows();
}

void BlockListModel::replaceFrom(qint64 id, const QVector<app::Message>& messages) {
    const int first = messageIndex(id);
    if (first >= 0)
        removeFrom(first);
    for (const app::Message& message : messages)
        addMessage(message);
    Q_EMIT messagesChanged();
}

void BlockListModel::updateMessage(const app::Message& message) {
    const int at = messageIndex(message.id);
    if (at < 0)
        return;
    flush();
    MessageRows& entry = *m_messages[size_t(at)];
    const bool growing = message.state == app::MessageState::Writing;
    // The text on the way to the window is ahead of the stored one.
    app::Message merged = message;
    if (growing && entry.growing() && entry.text().startsWith(message.text))
        merged.text = entry.text();
    entry.setGrowing(growing);
    entry.setMessage(merged);
    apply(at);
    const int rows = int(entry.rows().size());
    const QModelIndex first = index(m_starts[size_t(at)]);
    Q_EMIT dataChanged(first, index(m_starts[size_t(at)] + rows - 1));
    Q_EMIT messagesChanged();
}

void BlockListModel::appendText(qint64 id, const QString& more) {
    if (more.isEmpty())
        return;
    m_waiting[id] += more;
    if (m_tick.isActive())
        return;
    const qint64 since = m_lastUpdate.isValid() ? m_lastUpdate.elapsed() : kTickMs;
    if (since >= kTickMs)
        flush();
    else
        m_tick.start(int(kTickMs - since));
}

void BlockListModel::flush() {
    m_tick.stop();
    if (m_waiting.isEmpty())
        return;
    m_lastUpdate.start();
    const QHash<qint64, QString> waiting = std::exchange(m_waiting, {});
    for (auto it = waiting.begin(); it != waiting.end(); ++it) {
        const int at = messageIndex(it.key());
        if (at < 0)
            continue;
        if (it.key() == m_readingId)
            clearReading();
        MessageRows& entry = *m_messages[size_t(at)];
        const std::vector<Block>& blocks = entry.blocks();
        const std::vector<Block> tail(
            blocks.end() - std::min<qsizetype>(qsizetype(blocks.size()), 8), blocks.end());
        const bool thought = entry.thinking();
        const int first = entry.append(it.value());
        updateRows(at, first, tail);
        if (thought != entry.thinking())
            changedRowsOf(at, RowType::Reasoning);
        if (entry.thinking() && !m_thinkingTick.isActive())
            m_thinkingTick.start();
    }
    Q_EMIT grown();
}

/// After an append: `oldTail` are the last blocks as they were.
void BlockListModel::updateRows(int at, int firstChangedBlock, const std::vector<Block>& oldTail) {
    const MessageRows& entry = message(at);
    // Rows that stay where they are and show another text.
    int oldCount = 0;
    const std::vector<RowRef>& rows = entry.rows();
    for (const RowRef& row : rows)
        oldCount = std::max(oldCount, row.block + 1);
    const std::vector<RowRef> before = rows;
    apply(at);
    const std::vector<RowRef>& now = entry.rows();
    for (size_t i = std::min(before.size(), now.size()); i-- > 0;) {
        const RowRef& row = now[i];
        if (!(row == before[i]))
            continue;
        if (row.block < 0)
            continue;
        if (row.block < firstChangedBlock)
            break;
        const int fromEnd = oldCount - row.block;
        if (fromEnd > 0 && fromEnd <= int(oldTail.size()) &&
            oldTail[oldTail.size() - size_t(fromEnd)] == entry.blocks()[size_t(row.block)])
            continue;
        changed(at, int(i), {ContentRole, FlagRole, TitleRole, AccessibleNameRole});
    }
}

void BlockListModel::finishMessage(const app::Message& message) {
    flush();
    const int at = messageIndex(message.id);
    if (at < 0)
        return;
    if (message.id == m_readingId)
        clearReading();
    MessageRows& entry = *m_messages[size_t(at)];
    entry.finish();
    updateMessage(message);
    Q_EMIT grown();
}

void BlockListModel::setReading(qint64 id, const QString& title, double fraction) {
    if (m_readingId != id)
        clearReading();
    const int at = messageIndex(id);
    if (at < 0)
        return;
    m_readingTitle = title;
    m_readingFraction = fraction;
    if (m_readingId == id)
        return changedRowsOf(at, RowType::Reading, {TitleRole, ProgressRole, AccessibleNameRole});
    m_readingId = id;
    m_messages[size_t(at)]->setReading(true);
    apply(at);
    Q_EMIT grown();
}

void BlockListModel::clearReading() {
    const int at = messageIndex(std::exchange(m_readingId, 0));
    if (at < 0)
        return;
    m_messages[size_t(at)]->setReading(false);
    apply(at);
}

// --- What the person does
// -------------------------------------------------------------------------------------------

void BlockListModel::toggleFold(int row) {
    const RowRef ref = rowAt(row);
    if (ref.type != RowType::Reasoning)
        return;
    const int at = messageAt(row);
    MessageRows& entry = *m_messages[size_t(at)];
    entry.setFolded(ref.block, !entry.folded(ref.block));
    apply(at);
    changedRowsOf(at, RowType::Reasoning, {FlagRole, AccessibleNameRole});
}

void BlockListModel::toggleWrap(int row) {
    const Block* block = blockAt(row);
    if (!block)
        return;
    const int at = messageAt(row);
    m_messages[size_t(at)]->toggleWrapped(block->group);
    changedRowsOf(at, RowType::Code, {FlagRole});
}

void BlockListModel::showMore(int row) {
    const Block* block = blockAt(row);
    if (!block || rowAt(row).type != RowType::More)
        return;
    const int at = messageAt(row);
    m_messages[size_t(at)]->showAll(block->group);
    apply(at);
}

void BlockListModel::setAssistantName(const QString& name) {
    if (m_assistantName == name)
        return;
    m_assistantName = name;
    Q_EMIT assistantNameChanged();
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0), index(rowCount() - 1), {TitleRole});
}

double BlockListModel::estimatedHeight(int row, double width, double textScale) const {
    constexpr double kLine = 23;   // body text, Theme.bodyLine
    constexpr double kWidth = 7.4; // mean character of body text at 15 px
    const Place_ place = placeOf(row);
    const MessageRows& entry = message(place.message);
    const RowRef& ref = entry.rows()[size_t(place.row)];
    const double columns = std::max(8.0, width / textScale / kWidth);
    const auto lines = [&](const QString& text) {
        double count = 0;
        for (const QStringView line : QStringView(text).tokenize(u'\n'))
            count += std::max(1.0, std::ceil(double(line.size()) / columns));
        return count;
    };
    if (ref.type == RowType::Placeholder)
        return (lines(entry.message().text) * kLine + 60) * textScale;
    const RowRef* above = place.row > 0 ? &entry.rows()[size_t(place.row) - 1] : nullptr;
    const double gap = gapAbove(entry, above, ref);
    double height = 32;
    if (ref.block >= 0) {
        const Block& block = entry.blocks()[size_t(ref.block)];
        if (ref.type == RowType::Text)
            height = lines(block.text) * kLine + (entry.mine() ? 16 : 0);
        else if (ref.type == RowType::Code)
            height = double(block.text.count(u'\n') + 1) * 20 + (block.continued ? 0 : 46);
        else if (ref.type == RowType::Table)
            height = block.table->rows() * 34;
    }
    return (gap + height) * textScale;
}

} // namespace alcove::ui
