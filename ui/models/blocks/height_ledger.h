#pragma once

#include <cstddef>
#include <vector>

namespace alcove::ui {

/// Heights of the rows of a long list, for a scroll bar that does not jump: estimates until a row
/// was laid out, then its real height. Every operation costs about the square root of the number of
/// rows.
class HeightLedger {
public:
    int count() const { return m_count; }
    double total() const { return m_total; }

    void clear();
    void insert(int row, const std::vector<double>& heights);
    void remove(int row, int count);
    void set(int row, double height);
    double at(int row) const;
    /// Sum of the heights of the rows before this one; of all for row = count().
    double before(int row) const;
    /// The row at this distance from the top and how far below its top, within the list.
    struct Position {
        int row = 0;
        double offset = 0;
    };
    Position find(double distance) const;

private:
    struct Chunk {
        std::vector<double> heights;
        double sum = 0;
    };
    struct Where {
        size_t chunk = 0;
        size_t index = 0;
    };
    Where locate(int row) const;
    void resum(Chunk* chunk);

    static constexpr size_t kMost = 512; // rows of a chunk before it is split

    std::vector<Chunk> m_chunks;
    int m_count = 0;
    double m_total = 0;
};

} // namespace alcove::ui
