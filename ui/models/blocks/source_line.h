#pragma once

#include <QStringView>

/// Lines of a message's source and what they begin, by the rules of CommonMark 0.30 as far as a
/// line alone decides.
namespace alcove::ui {

struct SourceLine {
    int start = 0;
    int first = 0;         ///< its first character that is neither space nor tab, or end
    int end = 0;           ///< without the line end
    int next = 0;          ///< where the next line starts
    int indent = 0;        ///< columns before `first`, tabs to multiples of 4
    bool complete = false; ///< its line end is there

    bool blank() const { return first == end; }
};

SourceLine sourceLineAt(QStringView source, int start);

struct Fence {
    QChar mark; ///< ` or ~; null: no fence
    int length = 0;
    int infoStart = 0, infoEnd = 0; ///< the label and what follows it, without spaces around
    explicit operator bool() const { return mark != QChar(); }
};

Fence openingFence(QStringView source, const SourceLine& line);
bool closesFence(QStringView source, const SourceLine& line, QChar mark, int length);
bool isHeadingLine(QStringView source, const SourceLine& line);
bool isRuleLine(QStringView source, const SourceLine& line);
bool isQuoteLine(QStringView source, const SourceLine& line);
bool isTableDelimiterLine(QStringView source, const SourceLine& line);

struct ListMarker {
    bool valid = false;
    bool empty = false; ///< nothing follows the marker on its line
    int number = -1;    ///< -1: a bullet
};
ListMarker listMarker(QStringView source, const SourceLine& line);

} // namespace alcove::ui
