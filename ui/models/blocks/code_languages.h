#pragma once

#include <QStringView>

#include <span>

/// The tables that drive code_lexer.cpp. A language is one row of kLanguages in code_languages.cpp.
namespace alcove::ui {

struct StringRule {
    QStringView open{};
    QStringView close{};
    QChar escape{};           ///< null: no escapes
    bool multiline = false;   ///< goes on after the line's end
    bool charLiteral = false; ///< counts only when it looks like one character in quotes
};

enum class LexKind : quint8 { Generic, Markup, Diff };

struct CodeLanguage {
    QStringView title{};                   ///< as shown in the head of a code block
    std::span<const QStringView> labels{}; ///< lower case
    LexKind kind = LexKind::Generic;
    std::span<const QStringView> keywords{}; ///< sorted; lower case where ignoreCase
    std::span<const QStringView> lineComments{};
    QStringView commentOpen{}, commentClose{};
    std::span<const StringRule> strings{}; ///< longer openings first
    QStringView wordExtra{}; ///< characters that belong to words besides letters, digits and _
    bool ignoreCase = false;
    bool commentNests = false;
    bool calls = true;            ///< a word before ( is a function
    bool keysBeforeColon = false; ///< a word or string before : is a name
    bool hashDirective = false;   ///< #include
    bool hashNeedsSpace = false;  ///< a # comment needs a space before it
    bool quoteInNumbers = false;  ///< 1'000

    bool isKeyword(QStringView word) const;
};

std::span<const CodeLanguage> codeLanguages();

} // namespace alcove::ui
