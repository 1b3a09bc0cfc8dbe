#include "ui/models/blocks/unit_scanner.h"

#include "ui/models/blocks/code_lexer.h"
#include "ui/models/blocks/reasoning_markers.h"

#include <algorithm>

namespace alcove::ui {

UnitScanner::UnitScanner(QStringView source, Flavor flavor, bool final, const ScanState& state,
                         int from)
    : m_source(source), m_flavor(flavor), m_final(final), m_state(state), m_pos(from) {}

bool UnitScanner::next(Unit* unit) {
    if (m_pos >= m_source.size())
        return false;
    *unit = Unit{};
    unit->start = m_pos;
    unit->before = m_state;
    if (m_state.mode == ScanState::Mode::Fence) {
        scanCode(unit);
        return true;
    }
    if (m_state.mode == ScanState::Mode::Table) {
        scanTable(unit);
        return true;
    }
    SourceLine first = line(m_pos);
    while (first.blank() && first.next < m_source.size())
        first = line(first.next);
    if (first.blank())
        return false; // white space only: no row
    m_pos = first.start;
    unit->contentStart = first.start;
    if (m_flavor == Flavor::Markdown) {
        if (m_state.reasoning < 0) {
            const int marker = openMarkerAt(first.first);
            if (marker >= 0) {
                unit->kind = UnitKind::ReasoningOpen;
                m_state.reasoning = marker;
                m_state.reasoningStart = unit->start;
                const int end = first.first + int(reasoningMarkers()[size_t(marker)].open.size());
                finish(unit, end, end);
                return true;
            }
        } else if (closeMarkerIn(first) == first.first) {
            unit->kind = UnitKind::ReasoningClose;
            const int end =
                first.first + int(reasoningMarkers()[size_t(m_state.reasoning)].close.size());
            m_state.reasoning = -1;
            finish(unit, end, end);
            return true;
        }
    }
    if (const Fence fence = openingFence(m_source, first); fence && !m_state.continued) {
        openFence(first, fence);
        scanCode(unit);
        return true;
    }
    if (m_flavor == Flavor::AsTyped || m_state.continued) {
        scanText(unit);
    } else if (isHeadingLine(m_source, first) || isRuleLine(m_source, first)) {
        if (!cutAtMarker(unit, first))
            finish(unit, first.end, first.next);
    } else if (listMarker(m_source, first).valid && first.indent <= 3) {
        scanList(unit);
    } else if (isQuoteLine(m_source, first)) {
        scanQuote(unit);
    } else if (startsTable(first)) {
        m_state.mode = ScanState::Mode::Table;
        m_state.group = unit->start;
        m_state.line = 0;
        m_state.headerStart = first.start;
        m_state.headerEnd = line(first.next).next;
        scanTable(unit);
    } else {
        scanText(unit);
    }
    return true;
}

/// Ends the unit at contentEnd; empty lines from `next` on belong to it.
void UnitScanner::finish(Unit* unit, int contentEnd, int next) {
    unit->contentEnd = contentEnd;
    m_state.blankBefore = false;
    m_state.continued = false;
    bool restOfLine = next == contentEnd; // after a marker
    while (next < m_source.size()) {
        const SourceLine following = line(next);
        if (!following.blank())
            break;
        m_state.blankBefore |= !restOfLine;
        restOfLine = false;
        next = following.next;
    }
    unit->end = next;
    m_pos = next;
}

int UnitScanner::openMarkerAt(int position) const {
    for (size_t i = 0; i < reasoningMarkers().size(); ++i)
        if (at(position).startsWith(reasoningMarkers()[i].open))
            return int(i);
    return -1;
}

/// Where the open reasoning ends in this line, -1: not here. A marker within `inline code` is text.
int UnitScanner::closeMarkerIn(const SourceLine& line) const {
    if (m_state.reasoning < 0)
        return -1;
    const QStringView close = reasoningMarkers()[size_t(m_state.reasoning)].close;
    const QStringView text = m_source.mid(line.start, line.end - line.start);
    for (qsizetype i = text.indexOf(close); i >= 0; i = text.indexOf(close, i + 1))
        if (text.left(i).count(u'`') % 2 == 0)
            return line.start + int(i);
    return -1;
}

/// Ends the unit before the close of the reasoning, if that is in this line.
bool UnitScanner::cutAtMarker(Unit* unit, const SourceLine& line) {
    const int close = closeMarkerIn(line);
    if (close < 0)
        return false;
    finish(unit, close, close);
    return true;
}

void UnitScanner::openFence(const SourceLine& first, const Fence& fence) {
    m_state.mode = ScanState::Mode::Fence;
    m_state.fence = fence;
    m_state.fenceIndent = first.indent;
    m_state.group = first.start;
    m_state.line = 0;
    m_state.lexState = 0;
    m_state.continued = false;
    m_pos = first.next;
}

void UnitScanner::scanCode(Unit* unit) {
    unit->kind = UnitKind::Code;
    unit->closed = false;
    unit->inside = m_state;
    const int limit = m_state.line == 0 ? kFirstCodeLines : kCodeLines;
    const int contentStart = m_pos;
    unit->contentStart = contentStart;
    int count = 0;
    int position = m_pos;
    while (position < m_source.size()) {
        const SourceLine current = line(position);
        if (closesFence(m_source, current, m_state.fence.mark, m_state.fence.length)) {
            m_state.mode = ScanState::Mode::Top;
            unit->closed = true;
            finish(unit, position, current.next);
            return;
        }
        const int length = current.end - contentStart;
        if (count == 0 && length > kLongLine)
            return cutCode(unit, contentStart + kLongLine, 0);
        if (count >= limit || (count > 0 && length > kTextLimit))
            return cutCode(unit, position, count);
        ++count;
        position = current.next;
    }
    unit->contentEnd = unit->end = m_pos = position;
}

/// Ends a piece of code at `position`; more of it follows.
void UnitScanner::cutCode(Unit* unit, int position, int lines) {
    if (m_source[position].isLowSurrogate())
        --position;
    const QStringView info =
        m_source.mid(m_state.fence.infoStart, m_state.fence.infoEnd - m_state.fence.infoStart);
    const CodeLanguage* language = codeLanguage(fenceLanguage(info));
    const QStringView code = m_source.mid(unit->contentStart, position - unit->contentStart);
    m_state.lexState = lexCodeState(language, code, m_state.lexState);
    m_state.line += lines;
    m_state.continued = true;
    m_state.blankBefore = false;
    unit->closed = true; // its end is not open: the next piece's is
    unit->contentEnd = unit->end = m_pos = position;
}

QStringView fenceLanguage(QStringView info) {
    qsizetype end = 0;
    while (end < info.size() && !info[end].isSpace() && info[end] != u'{' && info[end] != u',')
        ++end;
    return info.left(end);
}

bool UnitScanner::startsTable(const SourceLine& first) const {
    if (first.indent > 3 || !first.complete ||
        !m_source.mid(first.first, first.end - first.first).contains(u'|'))
        return false;
    const SourceLine second = line(first.next);
    return (second.complete || m_final) && isTableDelimiterLine(m_source, second);
}

void UnitScanner::scanTable(Unit* unit) {
    unit->kind = UnitKind::Table;
    unit->inside = m_state;
    int position = m_pos;
    if (m_state.line == 0 && position <= m_state.headerStart)
        position = m_state.headerEnd;
    unit->contentStart = position;
    int count = 0;
    int end = position;
    while (position < m_source.size()) {
        const SourceLine current = line(position);
        if (current.blank() || interruptsBlock(current) || closeMarkerIn(current) >= 0)
            break;
        if (count == kTableRows) {
            m_state.line += count;
            m_state.continued = true;
            m_state.blankBefore = false;
            unit->contentEnd = unit->end = m_pos = position;
            return;
        }
        ++count;
        end = current.end;
        position = current.next;
    }
    m_state.mode = ScanState::Mode::Top;
    finish(unit, end, position);
}

bool UnitScanner::startsFormula(const SourceLine& next) const {
    return next.indent <= 3 &&
           (at(next.first).startsWith(u"$$") || at(next.first).startsWith(u"\\["));
}

/// What ends a paragraph without an empty line.
bool UnitScanner::interruptsText(const SourceLine& next) const {
    return interruptsBlock(next) || startsTable(next);
}

bool UnitScanner::interruptsBlock(const SourceLine& next) const {
    if (openingFence(m_source, next) || isHeadingLine(m_source, next) ||
        isQuoteLine(m_source, next))
        return true;
    // A line of dashes under a paragraph makes it a heading.
    if (isRuleLine(m_source, next))
        return m_source[next.first] != u'-';
    const ListMarker marker = listMarker(m_source, next);
    if (marker.valid && next.indent <= 3 && !marker.empty && marker.number <= 1)
        return true;
    return startsFormula(next) || (m_state.reasoning < 0 && openMarkerAt(next.first) >= 0);
}

/// Where the line after a formula's last line starts; 0: there is no formula. `unresolved`: its end
/// may still come.
int UnitScanner::formulaEnd(const SourceLine& first, bool* unresolved) const {
    const QStringView close = at(first.first).startsWith(u"$$") ? QStringView(u"$$") : u"\\]";
    int position = first.first + 2;
    SourceLine current = first;
    while (true) {
        const qsizetype found = m_source.mid(0, current.end).indexOf(close, position);
        if (found >= 0)
            return m_source.mid(found + 2, current.end - found - 2).trimmed().isEmpty()
                       ? current.next
                       : 0;
        if (current.next >= m_source.size()) {
            *unresolved = true;
            return 0;
        }
        current = line(current.next);
        position = current.start;
        if (current.blank() || closeMarkerIn(current) >= 0 ||
            current.end - first.start > kTextLimit)
            return 0;
    }
}

/// Where to cut a line that is too long for a row; 0: not needed. At a space before a letter, so
/// that the rest does not look like the start of a list or a heading.
int UnitScanner::cutInLine(int unitStart, const SourceLine& line) const {
    if (line.end - unitStart <= kTextLimit * 3 / 2)
        return 0;
    const int hard = unitStart + kTextLimit * 3 / 2;
    for (int i = std::max(line.start, unitStart + kTextLimit); i < hard; ++i)
        if (i > line.start && m_source[i - 1].isSpace() && m_source[i].isLetter())
            return i;
    if (hard <= line.start)
        return 0;
    return m_source[hard].isLowSurrogate() ? hard - 1 : hard;
}

void UnitScanner::scanText(Unit* unit) {
    SourceLine current = line(m_pos);
    unit->contentStart = m_pos;
    const bool asTyped = m_flavor == Flavor::AsTyped;
    const bool indentedCode = !asTyped && current.indent >= 4 && !m_state.continued;
    if (!asTyped && startsFormula(current) && closeMarkerIn(current) < 0) {
        bool unresolved = false;
        const int end = formulaEnd(current, &unresolved);
        if (unresolved)
            return finish(unit, int(m_source.size()), int(m_source.size()));
        if (end > 0)
            return finish(unit, m_source[end - 1] == u'\n' ? end - 1 : end, end);
    }
    while (true) {
        const int cut = cutInLine(unit->contentStart, current);
        const int marker = closeMarkerIn(current);
        if (marker >= 0 && (cut == 0 || marker <= cut))
            return finish(unit, marker, marker);
        if (cut > 0) {
            unit->contentEnd = unit->end = m_pos = cut;
            m_state.continued = true;
            m_state.blankBefore = false;
            return;
        }
        const int contentEnd = current.end;
        SourceLine next = current;
        bool blank = false;
        do {
            if (next.next >= m_source.size())
                return finish(unit, contentEnd, current.next);
            next = line(next.next);
            blank |= next.blank();
        } while (next.blank());
        const bool long_ = next.end - unit->contentStart > kTextLimit;
        bool ends = false;
        if (asTyped)
            ends = bool(openingFence(m_source, next));
        else if (indentedCode)
            ends = next.indent < 4;
        else
            ends = blank || interruptsText(next);
        if (ends || long_) {
            finish(unit, contentEnd, current.next);
            return;
        }
        current = next;
    }
}

void UnitScanner::scanList(Unit* unit) {
    unit->kind = UnitKind::List;
    unit->contentStart = m_pos;
    SourceLine current = line(m_pos);
    Fence fence; // an open fence within the item
    while (true) {
        if (!fence && cutAtMarker(unit, current))
            return;
        const int contentEnd = current.end;
        SourceLine next = current;
        bool blank = false;
        do {
            if (next.next >= m_source.size())
                return finish(unit, contentEnd, current.next);
            next = line(next.next);
            blank |= next.blank();
        } while (next.blank());
        if (next.end - unit->contentStart > kNestedLimit)
            return finish(unit, contentEnd, current.next);
        if (fence) {
            SourceLine inner = next; // its indent within the item is unknown: any is allowed
            inner.indent = 0;
            const bool left = next.indent < 2;
            if (left || closesFence(m_source, inner, fence.mark, fence.length))
                fence = {};
            if (!left) {
                current = next;
                continue;
            }
        }
        bool ends = false;
        if (next.indent < 2)
            ends = blank || listMarker(m_source, next).valid || interruptsText(next) ||
                   isRuleLine(m_source, next);
        if (ends)
            return finish(unit, contentEnd, current.next);
        SourceLine inner = next;
        inner.indent = 0;
        fence = openingFence(m_source, inner);
        current = next;
    }
}

void UnitScanner::scanQuote(Unit* unit) {
    unit->kind = UnitKind::Quote;
    unit->contentStart = m_pos;
    SourceLine current = line(m_pos);
    while (true) {
        if (cutAtMarker(unit, current))
            return;
        const SourceLine next = line(current.next);
        const bool quoted = isQuoteLine(m_source, next);
        const bool tooLong = next.end - unit->contentStart > kNestedLimit;
        if (current.next >= m_source.size() || next.blank() || tooLong ||
            (!quoted && (interruptsText(next) || isRuleLine(m_source, next))))
            return finish(unit, current.end, current.next);
        current = next;
    }
}

} // namespace alcove::ui
