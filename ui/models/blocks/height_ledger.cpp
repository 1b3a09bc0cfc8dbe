#include "ui/models/blocks/height_ledger.h"

#include <algorithm>
#include <numeric>

namespace alcove::ui {

void HeightLedger::clear() {
    m_chunks.clear();
    m_count = 0;
    m_total = 0;
}

HeightLedger::Where HeightLedger::locate(int row) const {
    size_t left = size_t(row);
    for (size_t i = 0; i < m_chunks.size(); ++i) {
        if (left < m_chunks[i].heights.size())
            return {i, left};
        left -= m_chunks[i].heights.size();
    }
    return {m_chunks.size(), 0};
}

void HeightLedger::resum(Chunk* chunk) {
    m_total -= chunk->sum;
    chunk->sum = std::accumulate(chunk->heights.begin(), chunk->heights.end(), 0.0);
    m_total += chunk->sum;
}

void HeightLedger::insert(int row, const std::vector<double>& heights) {
    if (heights.empty())
        return;
    m_count += int(heights.size());
    Where where = locate(row);
    if (where.chunk == m_chunks.size()) {
        if (m_chunks.empty())
            m_chunks.emplace_back();
        where = {m_chunks.size() - 1, m_chunks.back().heights.size()};
    }
    Chunk& chunk = m_chunks[where.chunk];
    chunk.heights.insert(chunk.heights.begin() + std::ptrdiff_t(where.index), heights.begin(),
                         heights.end());
    resum(&chunk);
    if (chunk.heights.size() <= kMost)
        return;
    // Split into halves of a full chunk, so that the next insertions find room.
    std::vector<double> all = std::move(chunk.heights);
    m_total -= chunk.sum;
    std::vector<Chunk> pieces;
    for (size_t i = 0; i < all.size(); i += kMost / 2) {
        Chunk piece;
        const size_t end = std::min(i + kMost / 2, all.size());
        piece.heights.assign(all.begin() + std::ptrdiff_t(i), all.begin() + std::ptrdiff_t(end));
        resum(&piece);
        pieces.push_back(std::move(piece));
    }
    const auto at = m_chunks.erase(m_chunks.begin() + std::ptrdiff_t(where.chunk));
    m_chunks.insert(at, std::make_move_iterator(pieces.begin()),
                    std::make_move_iterator(pieces.end()));
}

void HeightLedger::remove(int row, int count) {
    m_count -= count;
    Where where = locate(row);
    while (count > 0 && where.chunk < m_chunks.size()) {
        Chunk& chunk = m_chunks[where.chunk];
        const size_t here = std::min(size_t(count), chunk.heights.size() - where.index);
        const auto first = chunk.heights.begin() + std::ptrdiff_t(where.index);
        chunk.heights.erase(first, first + std::ptrdiff_t(here));
        resum(&chunk);
        count -= int(here);
        if (chunk.heights.empty())
            m_chunks.erase(m_chunks.begin() + std::ptrdiff_t(where.chunk));
        else
            ++where.chunk;
        where.index = 0;
    }
    if (m_count == 0)
        clear(); // no rest of rounding
}

void HeightLedger::set(int row, double height) {
    const Where where = locate(row);
    if (where.chunk == m_chunks.size())
        return;
    Chunk& chunk = m_chunks[where.chunk];
    chunk.heights[where.index] = height;
    resum(&chunk);
}

double HeightLedger::at(int row) const {
    const Where where = locate(row);
    return where.chunk == m_chunks.size() ? 0 : m_chunks[where.chunk].heights[where.index];
}

double HeightLedger::before(int row) const {
    const Where where = locate(row);
    double sum = 0;
    for (size_t i = 0; i < where.chunk; ++i)
        sum += m_chunks[i].sum;
    if (where.chunk < m_chunks.size())
        for (size_t i = 0; i < where.index; ++i)
            sum += m_chunks[where.chunk].heights[i];
    return sum;
}

HeightLedger::Position HeightLedger::find(double distance) const {
    int row = 0;
    distance = std::max(distance, 0.0);
    for (const Chunk& chunk : m_chunks) {
        if (distance >= chunk.sum) {
            distance -= chunk.sum;
            row += int(chunk.heights.size());
            continue;
        }
        for (const double height : chunk.heights) {
            if (distance < height)
                return {row, distance};
            distance -= height;
            ++row;
        }
    }
    return m_count == 0 ? Position{} : Position{m_count - 1, at(m_count - 1)};
}

} // namespace alcove::ui
