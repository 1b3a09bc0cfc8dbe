#include "ui/models/blocks/message_document.h"

#include "ui/models/blocks/block_builder.h"
#include "ui/models/blocks/reasoning_markers.h"

#include <algorithm>

namespace alcove::ui {

void MessageDocument::setSource(const QString& source, bool final) {
    m_source = source;
    m_final = final;
    m_blocks.clear();
    m_settledState = {};
    m_settledPosition = 0;
    m_settledBlocks = 0;
    parseTail();
}

int MessageDocument::append(QStringView more) {
    m_source.append(more);
    m_final = false;
    return parseTail();
}

int MessageDocument::finish() {
    if (m_final)
        return int(m_blocks.size());
    m_final = true;
    return parseTail();
}

namespace {

/// How much of the end may be the beginning of a reasoning mark that is not complete: it is not
/// shown as text meanwhile.
qsizetype partialMarker(QStringView source) {
    const QStringView last = source.mid(source.lastIndexOf(u'\n') + 1);
    if (last.isEmpty() || last.size() > 32)
        return 0;
    for (const ReasoningMarker& marker : reasoningMarkers()) {
        if (last.size() < marker.open.size() && marker.open.startsWith(last))
            return last.size();
        if (last.size() < marker.close.size() && marker.close.startsWith(last))
            return last.size();
    }
    return 0;
}

} // namespace

int MessageDocument::parseTail() {
    m_blocks.resize(m_settledBlocks);
    int changed = int(m_settledBlocks);
    // Two things reach back over the settled point: the source range of the block before it, which
    // may take in an end that shows nothing, and whether its reasoning is open.
    if (m_settledBlocks > 0) {
        --changed;
        m_blocks.back().sourceEnd = m_settledPosition;
    }
    if (m_settledState.reasoning >= 0) {
        size_t head = m_settledBlocks - 1;
        while (head > 0 && m_blocks[head].kind != BlockKind::Reasoning)
            --head;
        m_blocks[head].open = true;
    }
    QStringView source = m_source;
    if (!m_final && m_flavor == Flavor::Markdown)
        source.chop(partialMarker(source));
    UnitScanner scanner(source, m_flavor, m_final, m_settledState, m_settledPosition);
    Unit unit;
    bool any = false;
    while (scanner.next(&unit)) {
        // Where a unit begins is certain once its first line is complete.
        const bool certain = source.indexOf(u'\n', unit.start) >= 0;
        if (certain || m_final) {
            m_settledState = unit.before;
            m_settledPosition = unit.start;
            m_settledBlocks = m_blocks.size();
        }
        appendBlocks(source, unit, m_flavor, m_final, &m_blocks);
        any = true;
    }
    if (any && m_final && !m_blocks.empty())
        m_blocks.back().sourceEnd = int(m_source.size());
    return changed;
}

QString MessageDocument::answerSource() const {
    if (std::none_of(m_blocks.begin(), m_blocks.end(),
                     [](const Block& b) { return b.kind == BlockKind::Reasoning; }))
        return m_source;
    QString text;
    for (const Block& block : m_blocks)
        if (block.kind != BlockKind::Reasoning && !block.inReasoning)
            text +=
                QStringView(m_source).mid(block.sourceStart, block.sourceEnd - block.sourceStart);
    return text;
}

} // namespace alcove::ui
