#pragma once

#include <QString>

/// Formulas in the middle of a message.
namespace alcove::ui {

struct FormulaRange {
    qsizetype length = 0;                    ///< with its delimiters; 0: no formula here
    qsizetype bodyStart = 0, bodyLength = 0; ///< without
    bool display = false;                    ///< $$…$$ or \[…\]
};

/// The formula that begins at `at`: $$…$$, \[…\], \(…\), or $…$ where the inside neither starts nor
/// ends with a space, the closing sign is not followed by a digit, and the inside holds a letter
/// with an operator, backslash, ^ or _ (so that prices stay prices). An empty line ends the search.
FormulaRange formulaAt(QStringView text, qsizetype at);

/// A formula of LaTeX as one line of plain text: Greek letters, operators, super- and subscripts,
/// fractions, roots. The source unchanged where it uses anything else, so that nothing is lost.
QString formulaText(QStringView latex);

} // namespace alcove::ui
