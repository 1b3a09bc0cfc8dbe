#pragma once

#include <QRandomGenerator>
#include <QString>
#include <QStringList>

/// Messages for property tests: pieces of every kind of Markdown, good and broken, put together at
/// random from a seed.
namespace alcove::ui::test {

inline QString generatedWords(QRandomGenerator& random, int most) {
    static const QStringList kWords = {"tree",
                                       "the",
                                       "**bold**",
                                       "*soft",
                                       "`code`",
                                       "a_b_c",
                                       "x < y",
                                       "&amp;",
                                       "<b>",
                                       "café",
                                       "日本語",
                                       "👩‍👩‍👧",
                                       "\\(x^2\\)",
                                       "$a_1 + b$",
                                       "costs $5",
                                       "and $6",
                                       "https://example.org/a_b?c=d",
                                       "[link](https://example.org)",
                                       "[bad](javascript:alert(1))",
                                       "![pic](http://x.org/y.png)",
                                       "~~gone~~",
                                       "\\*no\\*",
                                       "std::vector<int>",
                                       "``a`b``",
                                       "**",
                                       "`",
                                       "$$",
                                       "1.",
                                       "- ",
                                       "|",
                                       "www.example.org",
                                       "someone@example.org",
                                       "\u00a0",
                                       "\t",
                                       "e\u0301",
                                       "\\[",
                                       "\\]",
                                       "[ref]"};
    QString text;
    const int count = 1 + int(random.bounded(most));
    for (int i = 0; i < count; ++i) {
        if (i > 0)
            text += random.bounded(12) == 0 ? QStringLiteral("\n") : QStringLiteral(" ");
        text += kWords[random.bounded(kWords.size())];
    }
    return text;
}

inline QString generatedPiece(QRandomGenerator& random) {
    const auto words = [&](int most) { return generatedWords(random, most); };
    switch (random.bounded(20)) {
    case 0:
        return QString(1 + int(random.bounded(7)), u'#') + u' ' + words(5);
    case 1:
        return "- " + words(6) + "\n- " + words(6) + "\n  - " + words(4);
    case 2:
        return "1. " + words(6) + "\n2. " + words(6) + "\n\n   " + words(5);
    case 3: {
        QString code = QStringLiteral("```") +
                       QStringList{"python", "cpp", "", "js extra", "rust"}[random.bounded(5)] +
                       u'\n';
        const int lines = int(random.bounded(random.bounded(6) == 0 ? 150 : 8));
        for (int i = 0; i < lines; ++i)
            code += QString(int(random.bounded(9)), u' ') + words(6).replace(u'\n', u' ') + u'\n';
        return random.bounded(8) == 0 ? code : code + "```";
    }
    case 4: {
        QString table = QStringLiteral("| a | b |\n|---|:-:|\n");
        const int rows = int(random.bounded(random.bounded(6) == 0 ? 120 : 5));
        for (int i = 0; i < rows; ++i)
            table += "| " + words(3).replace(u'\n', u' ') + " | " + words(2).replace(u'\n', u' ') +
                     " |\n";
        return table;
    }
    case 5:
        return "> " + words(8) + "\n> " + words(5) + "\n" + words(3);
    case 6:
        return QStringLiteral("---");
    case 7:
        return "$$\n\\frac{a}{b} = " + words(2) + "\n$$";
    case 8:
        return "\\[ x^2 + y_1 \\]\n" + words(5);
    case 9:
        return "- [ ] " + words(3) + "\n- [x] " + words(3);
    case 10:
        return "    " + words(5) + "\n\n    " + words(5);
    case 11:
        return "[ref]: https://example.org " + words(2);
    case 12:
        return words(4) + "\n===";
    case 13:
        return "* " + words(3) + "\n\n  ```sh\n  " + words(3) + "\n  ```\n* " + words(2);
    case 14:
        return words(1500);
    case 15:
        return QString(int(random.bounded(9000)), u'a') + u' ' + words(4);
    default:
        return words(40);
    }
}

inline QString generatedMessage(quint32 seed) {
    QRandomGenerator random(seed);
    static const QStringList kBetween = {"\n\n", "\n", "\n\n\n", "\n \n", " ", ""};
    QString text;
    if (random.bounded(6) == 0)
        text += random.bounded(2) ? QStringLiteral("\n\n") : QStringLiteral("  ");
    if (random.bounded(5) == 0) {
        text +=
            QStringLiteral("<think>\n") + generatedPiece(random) + "\n\n" + generatedPiece(random);
        if (random.bounded(4) != 0)
            text += QStringLiteral("\n</think>\n\n");
    }
    const int pieces = 1 + int(random.bounded(6));
    for (int i = 0; i < pieces; ++i)
        text += generatedPiece(random) + kBetween[random.bounded(kBetween.size())];
    return text;
}

} // namespace alcove::ui::test
