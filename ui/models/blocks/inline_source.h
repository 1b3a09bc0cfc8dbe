#pragma once

#include "ui/models/blocks/formula_text.h"

#include <QByteArray>
#include <QString>
#include <QStringView>

#include <map>
#include <vector>

namespace alcove::ui {

/// A unit of a message made ready for md4c: UTF-8, with the way back to the source for every byte.
/// Formulas are taken out before the parser sees their backslashes, and what looks like a link
/// reference definition, which a parser would drop from the text, is escaped.
class InlineSource {
public:
    struct Formula {
        QString source; ///< with delimiters
        QString body;
        bool display = false;
    };

    /// `source` from `start` to `end`; `plainStart`: the text goes on from an earlier piece, so its
    /// first character begins no list, quote or heading.
    void append(QStringView source, int start, int end, bool plainStart = false);

    const QByteArray& utf8() const { return m_utf8; }
    /// Position in the source of a byte, or of the end.
    int sourceAt(qsizetype byte) const { return m_map[size_t(byte)]; }
    /// The formula whose place holder starts at this byte; null: ordinary text.
    const Formula* formulaAt(qsizetype byte) const;
    bool hasFormulas() const { return !m_formulas.empty(); }

    static constexpr qsizetype kPlaceholderBytes = 3; ///< U+E000

private:
    void put(QChar high, QChar low, int position);
    void putByte(char byte, int position);
    qsizetype copyCodeSpan(QStringView text, qsizetype i, int offset);

    QByteArray m_utf8;
    std::vector<int> m_map{0}; ///< [bytes + 1]
    std::map<qsizetype, Formula> m_formulas;
};

} // namespace alcove::ui
