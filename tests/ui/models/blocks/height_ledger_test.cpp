#include "tests/ui/models/blocks/generated_messages.h"
#include "ui/models/blocks/code_languages.h"
#include "ui/models/blocks/code_lexer.h"
#include "ui/models/blocks/formula_text.h"
#include "ui/models/blocks/height_ledger.h"
#include "ui/models/blocks/scroll_state.h"

#include <QTest>

#include <numeric>

using namespace alcove;
using namespace alcove::ui;

class HeightLedgerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sumsAreThoseOfAPlainList() {
        HeightLedger ledger;
        std::vector<double> plain;
        QRandomGenerator random(1);
        for (int step = 0; step < 3000; ++step) {
            const int at = int(random.bounded(quint32(plain.size() + 1)));
            const int what = int(random.bounded(4));
            if (what == 0 || plain.empty()) {
                std::vector<double> more(1 + random.bounded(random.bounded(20) ? 5 : 900));
                for (double& height : more)
                    height = random.bounded(300);
                ledger.insert(at, more);
                plain.insert(plain.begin() + at, more.begin(), more.end());
            } else if (what == 1 && at < int(plain.size())) {
                const int count =
                    std::min<int>(1 + int(random.bounded(40)), int(plain.size()) - at);
                ledger.remove(at, count);
                plain.erase(plain.begin() + at, plain.begin() + at + count);
            } else if (at < int(plain.size())) {
                plain[size_t(at)] = random.bounded(300);
                ledger.set(at, plain[size_t(at)]);
            }
            QCOMPARE(ledger.count(), int(plain.size()));
            const int row = int(random.bounded(quint32(plain.size() + 1)));
            const double before = std::accumulate(plain.begin(), plain.begin() + row, 0.0);
            QVERIFY(std::abs(ledger.before(row) - before) < 1e-6);
            if (row < int(plain.size()) && plain[size_t(row)] > 0) {
                const auto found = ledger.find(before + plain[size_t(row)] / 2);
                QCOMPARE(found.row, row);
            }
        }
        QVERIFY(std::abs(ledger.total() - std::accumulate(plain.begin(), plain.end(), 0.0)) < 1e-3);
    }

    // U8: real heights that differ from the estimates never move the thumb against the person.
    void theThumbNeverMovesBackwards() {
        BlockListModel model;
        QVector<app::Message> messages;
        for (int i = 1; i <= 400; ++i) {
            app::Message next;
            next.id = i;
            next.role = i % 2 ? app::Role::User : app::Role::Assistant;
            next.text = test::generatedMessage(quint32(i));
            messages << next;
        }
        model.setMessages(messages);
        ScrollState scroll;
        scroll.setRows(&model);
        scroll.setViewHeight(800);
        QRandomGenerator random(3);
        double last = 0;
        scroll.place(0, 0, -1);
        for (int row = 0; row < model.rowCount(); ++row) {
            scroll.rowHeight(row, random.bounded(2000)); // estimates are far off
            scroll.place(row, 0, 1);
            QVERIFY(scroll.thumbPosition() >= last);
            last = scroll.thumbPosition();
        }
    }

    void lexersColourWhatTheyShould() {
        std::vector<CodeToken> tokens;
        const QString line = "const int x = 0x1F; // \"no\" string";
        lexCodeLine(codeLanguage(u"cpp"), line, 0, &tokens);
        QStringList found;
        for (const CodeToken& token : tokens)
            found << QString::number(int(token.style)) + line.mid(token.start, token.length);
        QCOMPARE(found, (QStringList{"0const", "0int", "30x1F", "2// \"no\" string"}));
    }

    void commentsAndStringsGoOnOverLines() {
        const CodeLanguage* cpp = codeLanguage(u"C++");
        const int open = lexCodeLine(cpp, u"a /* b", 0, nullptr);
        QVERIFY(open > 0);
        QCOMPARE(lexCodeLine(cpp, u"c */ d", open, nullptr), 0);
        const CodeLanguage* python = codeLanguage(u"python");
        QVERIFY(lexCodeState(python, u"x = \"\"\"one\ntwo", 0) > 0);
        QCOMPARE(lexCodeState(python, u"x = \"\"\"one\ntwo\"\"\"", 0), 0);
        QVERIFY(!codeLanguage(u"klingon"));
    }

    void everyLanguageTakesAnyText() {
        for (const CodeLanguage& language : codeLanguages()) {
            QVERIFY(std::is_sorted(language.keywords.begin(), language.keywords.end()));
            QVERIFY(std::is_sorted(language.labels.begin(), language.labels.end()));
            for (quint32 seed = 0; seed < 40; ++seed) {
                int state = 0;
                const QStringList lines = test::generatedMessage(seed).split('\n');
                for (const QString& line : lines) {
                    std::vector<CodeToken> tokens;
                    state = lexCodeLine(&language, line, state, &tokens);
                    int at = 0;
                    for (const CodeToken& token : tokens) {
                        QVERIFY(token.start >= at && token.length > 0);
                        at = token.start + token.length;
                    }
                    QVERIFY(at <= line.size() && state >= 0);
                }
            }
        }
    }

    void formulasBecomePlainText_data() {
        QTest::addColumn<QString>("latex");
        QTest::addColumn<QString>("text");
        QTest::newRow("power") << "x^2 + y^{10}"
                               << "x² + y¹⁰";
        QTest::newRow("index") << "a_{i+1}"
                               << "aᵢ₊₁";
        QTest::newRow("greek") << "\\alpha\\le\\Omega"
                               << "α≤Ω";
        QTest::newRow("fraction") << "\\frac{a+b}{2c}"
                                  << "(a+b)/2c";
        QTest::newRow("root") << "\\sqrt{x-1}"
                              << "√(x−1)";
        QTest::newRow("unknown") << "\\begin{matrix}1\\end{matrix}"
                                 << "\\begin{matrix}1\\end{matrix}";
        QTest::newRow("broken") << "\\frac{a"
                                << "\\frac{a";
        QTest::newRow("sum") << "\\sum_{k=0}^n k"
                             << "∑ₖ₌₀ⁿ k";
    }
    void formulasBecomePlainText() {
        QFETCH(const QString, latex);
        QTEST(formulaText(latex), "text");
    }
};

QTEST_MAIN(HeightLedgerTest)
#include "height_ledger_test.moc"
