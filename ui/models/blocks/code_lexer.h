#pragma once

#include <QString>

#include <vector>

/// Small lexers for colouring code. Each reads a line once from left to right (linear time, no
/// backtracking) and carries an integer from line to line for comments and strings that go on.
/// Wrong code is coloured somehow and never refused.
namespace alcove::ui {

enum class TokenStyle : quint8 { Keyword, String, Comment, Number, Function, Added, Removed };

struct CodeToken {
    int start = 0;
    int length = 0;
    TokenStyle style = TokenStyle::Keyword;
};

struct CodeLanguage;

/// The language of a fence's label ("c++", "py", "JSON"…), or null: plain. Upper and lower case are
/// the same.
const CodeLanguage* codeLanguage(QStringView label);
/// How the language is called in the head of a code block; the label itself when it is not known.
QString codeLanguageTitle(QStringView label);

/// Tokens of one line without its line end, appended to `tokens` in order. `state` is what the line
/// before left (0 at the start); returns the state after the line, >= 0. A null language has no
/// tokens.
int lexCodeLine(const CodeLanguage* language, QStringView line, int state,
                std::vector<CodeToken>* tokens);
/// The state after all lines of `code`.
int lexCodeState(const CodeLanguage* language, QStringView code, int state);

} // namespace alcove::ui
