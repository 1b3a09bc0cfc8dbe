#pragma once

#include "ui/models/blocks/block.h"
#include "ui/models/blocks/source_line.h"

/// Cuts the source of a message into units: top-level blocks, and pieces of those that are long.
/// Each unit is then parsed by itself, so that a growing message never has to be parsed again
/// before its last unit, and no row is without bound.
///
/// The cut depends only on text before and at a unit's first line once that line is complete,
/// except that the last unit may still grow or be cut anew. Scanning from a unit's start in its
/// `before` state gives the same units as scanning from 0. The price of parsing units apart: link
/// reference definitions have no effect and are shown as typed.
namespace alcove::ui {

/// Everything the scanner knows between two units.
struct ScanState {
    enum class Mode : quint8 { Top, Fence, Table };
    Mode mode = Mode::Top;
    int reasoning = -1; ///< row of reasoningMarkers() that is open; -1: none
    int reasoningStart = 0;
    bool blankBefore = false; ///< an empty line stands before
    bool continued =
        false;     ///< the unit goes on with what the last began (a long paragraph, code, a table)
    int group = 0; ///< start of the code block or table
    Fence fence;   ///< in Mode::Fence
    int fenceIndent = 0;
    int line = 0; ///< of code or table: lines, or rows, before
    int lexState = 0;
    int headerStart = 0, headerEnd = 0; ///< in Mode::Table: the header and the delimiter line
};

enum class UnitKind : quint8 { Text, List, Quote, Code, Table, ReasoningOpen, ReasoningClose };

struct Unit {
    UnitKind kind = UnitKind::Text;
    int start = 0, end = 0;               ///< in the source; units leave no gap
    int contentStart = 0, contentEnd = 0; ///< without fences, markers and empty lines around
    bool closed = true;                   ///< of code: the closing fence was found
    ScanState before;                     ///< to scan again from `start`
    ScanState inside;                     ///< of code and tables: what the piece belongs to
};

// Rows stay small enough to be drawn within a frame; lines of code at first, then per further row.
inline constexpr int kFirstCodeLines = 40;
inline constexpr int kCodeLines = 60;
inline constexpr int kTableRows = 50;
inline constexpr int kTextLimit = 4000;
/// Lists and quotes cannot be cut without losing their indents, so they get more room.
inline constexpr int kNestedLimit = 64000;
/// A single line of code beyond this goes on in the next row.
inline constexpr int kLongLine = 16000;

/// The language in what stands behind an opening fence.
QStringView fenceLanguage(QStringView info);

class UnitScanner {
public:
    /// `final`: nothing will be added to the source.
    UnitScanner(QStringView source, Flavor flavor, bool final, const ScanState& state, int from);

    /// The next unit, or false at the end.
    bool next(Unit* unit);

private:
    SourceLine line(int start) const { return sourceLineAt(m_source, start); }
    QStringView at(int position) const { return m_source.mid(position); }
    void finish(Unit* unit, int contentEnd, int next);
    void scanText(Unit* unit);
    void scanList(Unit* unit);
    void scanQuote(Unit* unit);
    void scanCode(Unit* unit);
    void scanTable(Unit* unit);
    void cutCode(Unit* unit, int position, int lines);
    void openFence(const SourceLine& first, const Fence& fence);
    bool startsTable(const SourceLine& first) const;
    bool interruptsText(const SourceLine& next) const;
    bool interruptsBlock(const SourceLine& next) const;
    bool startsFormula(const SourceLine& next) const;
    int formulaEnd(const SourceLine& first, bool* unresolved) const;
    int openMarkerAt(int position) const;
    int closeMarkerIn(const SourceLine& line) const;
    bool cutAtMarker(Unit* unit, const SourceLine& line);
    int cutInLine(int unitStart, const SourceLine& line) const;

    QStringView m_source;
    Flavor m_flavor;
    bool m_final;
    ScanState m_state;
    int m_pos;
};

} // namespace alcove::ui
