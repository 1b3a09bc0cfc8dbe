#include "tests/ui/models/blocks/generated_messages.h"
#include "ui/models/blocks/message_document.h"

#include <QTest>

using namespace alcove::ui;

namespace {

std::vector<Block> parse(const QString& text, Flavor flavor = Flavor::Markdown) {
    MessageDocument document(flavor);
    document.setSource(text, true);
    return document.blocks();
}

QString describe(const Block& block) {
    return QStringLiteral("kind %1 marker '%2' [%3,%4) open %5 cont %6 loose %7 line %8 '%9'")
        .arg(int(block.kind))
        .arg(block.marker)
        .arg(block.sourceStart)
        .arg(block.sourceEnd)
        .arg(block.open)
        .arg(block.continued)
        .arg(block.loose)
        .arg(block.firstLine)
        .arg(block.text.left(60));
}

quint8 styleAt(const Block& block, const QString& word) {
    const int at = int(block.text.indexOf(word));
    for (const Span& span : block.spans)
        if (at >= span.start && at < span.start + span.length)
            return span.style;
    return 0;
}

QString lines(int count) {
    QString text;
    for (int i = 0; i < count; ++i)
        text += QStringLiteral("line %1\n").arg(i);
    return text;
}

constexpr quint32 kMessages = 2000;

} // namespace

class MessageDocumentTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // U20: the ranges of the rows put together are the source.
    void sourceRangesOfAllRowsGiveTheSource() {
        for (quint32 seed = 0; seed < kMessages; ++seed) {
            const QString text = test::generatedMessage(seed);
            for (const Flavor flavor : {Flavor::Markdown, Flavor::AsTyped}) {
                QString together;
                for (const Block& block : parse(text, flavor))
                    together += text.mid(block.sourceStart, block.sourceEnd - block.sourceStart);
                QVERIFY2(together == text || text.trimmed().isEmpty(),
                         qPrintable(QStringLiteral("seed %1").arg(seed)));
            }
        }
    }

    // U21: rows after streaming in random chunks are those of parsing at once.
    void streamingGivesTheRowsOfParsingAtOnce() {
        for (quint32 seed = 0; seed < kMessages; ++seed) {
            const QString text = test::generatedMessage(seed);
            QRandomGenerator random(seed + 7);
            const Flavor flavor = seed % 5 == 0 ? Flavor::AsTyped : Flavor::Markdown;
            MessageDocument streamed(flavor);
            std::vector<Block> before;
            for (qsizetype i = 0; i < text.size();) {
                const qsizetype length = 1 + random.bounded(random.bounded(4) ? 12 : 300);
                const int changed = streamed.append(QStringView(text).mid(i, length));
                // What is said to be settled is.
                for (int k = 0; k < changed; ++k)
                    QVERIFY2(before[size_t(k)].kind == BlockKind::Reasoning ||
                                 before[size_t(k)] == streamed.blocks()[size_t(k)],
                             qPrintable(QStringLiteral("seed %1 row %2").arg(seed).arg(k)));
                before = streamed.blocks();
                i += length;
            }
            streamed.finish();
            compare(streamed.blocks(), parse(text, flavor), seed);
        }
    }

    void noRowIsWithoutBound() {
        for (quint32 seed = 0; seed < 300; ++seed)
            for (const Block& block : parse(test::generatedMessage(seed)))
                if (block.listDepth == 0 && block.quoteDepth == 0)
                    QVERIFY(block.text.size() <= 3 * kTextLimit);
        for (const Block& block : parse(QString(100000, u'x')))
            QVERIFY(block.text.size() <= kTextLimit * 3 / 2);
        for (const Block& block : parse("```\n" + QString(100000, u'x')))
            QVERIFY(block.text.size() <= kLongLine);
    }

    void inlineStylesAreRanges() {
        const std::vector<Block> blocks =
            parse("Some **bold**, *soft*, ~~gone~~, `code` and [a link](https://example.org/x).");
        QCOMPARE(blocks.size(), size_t(1));
        QCOMPARE(blocks[0].text, QString("Some bold, soft, gone, code and a link."));
        QCOMPARE(styleAt(blocks[0], "bold"), quint8(Span::Strong));
        QCOMPARE(styleAt(blocks[0], "soft"), quint8(Span::Emphasis));
        QCOMPARE(styleAt(blocks[0], "gone"), quint8(Span::Strike));
        QCOMPARE(styleAt(blocks[0], "code"), quint8(Span::Code));
        QCOMPARE(styleAt(blocks[0], "a link"), quint8(Span::Link));
        QCOMPARE(blocks[0].spans.last().target, QString("https://example.org/x"));
    }

    void nothingThatWasSaidIsLost_data() {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("text");
        QTest::newRow("html") << "std::vector<int> and <b>x</b>"
                              << "std::vector<int> and <b>x</b>";
        QTest::newRow("tag first") << "<div>\nhello"
                                   << "<div>\nhello";
        QTest::newRow("entity") << "a &amp; b"
                                << "a &amp; b";
        QTest::newRow("line breaks") << "one\ntwo  \nthree"
                                     << "one\ntwo\nthree";
        QTest::newRow("reference") << "[foo]: https://example.org"
                                   << "[foo]: https://example.org";
        QTest::newRow("picture") << "![p](http://x.org/a.png)"
                                 << "![p](http://x.org/a.png)";
        QTest::newRow("script link") << "[x](javascript:alert)"
                                     << "x (javascript:alert)";
        QTest::newRow("file link") << "[x](file:///etc/passwd)"
                                   << "x (file:///etc/passwd)";
        QTest::newRow("price") << "costs $5 or $6 now"
                               << "costs $5 or $6 now";
        QTest::newRow("masked link") << "[bank.example](https://evil.example)"
                                     << "bank.example (https://evil.example)";
    }
    void nothingThatWasSaidIsLost() {
        QFETCH(const QString, source);
        QFETCH(const QString, text);
        const std::vector<Block> blocks = parse(source);
        QCOMPARE(blocks.size(), size_t(1));
        QCOMPARE(blocks[0].text, text);
    }

    void ownMessagesAreShownAsTyped() {
        const QString text = "# no heading\n- **no** list\n\n\n1) `code` https://example.org/x.";
        const std::vector<Block> blocks = parse(text, Flavor::AsTyped);
        QCOMPARE(blocks.size(), size_t(1));
        QCOMPARE(blocks[0].text, text);
        QCOMPARE(blocks[0].spans.size(), 2);
        QCOMPARE(parse("hi\n```py\nx\n```\nbye", Flavor::AsTyped).size(), size_t(3));
    }

    void listsKeepMarkersAndDepth() {
        const std::vector<Block> blocks =
            parse("3. three\n4. four\n   - inner\n\n- [x] done\n- [ ] not");
        QCOMPARE(blocks.size(), size_t(5));
        QCOMPARE(blocks[0].marker, QString("3."));
        QCOMPARE(blocks[1].marker, QString("4."));
        QCOMPARE(blocks[2].listDepth, quint8(2));
        QCOMPARE(blocks[3].task, qint8(1));
        QVERIFY(blocks[3].loose);
        QCOMPARE(blocks[4].task, qint8(0));
        QVERIFY(!blocks[4].loose);
    }

    void codeIsByteForByteTheSource() {
        const std::vector<Block> blocks =
            parse("```c++\n\tif (a < b && \"x\")\n\n  \\(no\\) formula\n```\nafter");
        QCOMPARE(blocks.size(), size_t(2));
        QCOMPARE(blocks[0].kind, BlockKind::Code);
        QCOMPARE(blocks[0].language, QString("c++"));
        QCOMPARE(blocks[0].text, QString("\tif (a < b && \"x\")\n\n  \\(no\\) formula"));
    }

    void longCodeIsCutInRows() {
        const std::vector<Block> blocks = parse("```\n" + lines(1000) + "```");
        QCOMPARE(blocks.size(), size_t(1 + (1000 - kFirstCodeLines) / kCodeLines));
        QString together;
        for (const Block& block : blocks)
            together += block.text + u'\n';
        QCOMPARE(together, lines(1000));
        QCOMPARE(blocks[1].firstLine, kFirstCodeLines);
        QCOMPARE(blocks[1].group, blocks[0].group);
    }

    void tablesHaveCellsAndPieces() {
        QString text = "Intro:\n| a | **b** |\n|---|--:|\n";
        for (int i = 0; i < 120; ++i)
            text += QStringLiteral("| %1 | x |\n").arg(i);
        const std::vector<Block> blocks = parse(text);
        QCOMPARE(blocks.size(), size_t(4));
        QCOMPARE(blocks[0].text, QString("Intro:"));
        QCOMPARE(blocks[1].table->rows(), 51);
        QCOMPARE(blocks[1].table->align[1], TableData::Right);
        QVERIFY(!blocks[2].table->hasHeader);
        QCOMPARE(blocks[3].table->at(19, 0).text, QString("119"));
    }

    void aTableIsTextUntilItsSecondLineIsComplete() {
        MessageDocument document;
        document.append(u"| a | b |\n|---|--");
        QCOMPARE(document.blocks()[0].kind, BlockKind::Paragraph);
        document.append(u"-|\n");
        QCOMPARE(document.blocks()[0].kind, BlockKind::Table);
    }

    void formulasAreSeenBeforeTheirBackslashes() {
        const std::vector<Block> blocks =
            parse("So \\(x^2 + \\alpha\\) holds.\n\n$$\\frac{a+b}{2}$$");
        QCOMPARE(blocks.size(), size_t(2));
        QCOMPARE(blocks[0].text, QString("So x² + α holds."));
        QCOMPARE(styleAt(blocks[0], "x²"), quint8(Span::Formula));
        QCOMPARE(blocks[1].kind, BlockKind::Formula);
        QCOMPARE(blocks[1].text, QString("(a+b)/2"));
        QCOMPARE(parse("`\\(x\\)`")[0].text, QString("\\(x\\)"));
        QCOMPARE(parse("\\(\\unknown{x}\\)")[0].text, QString("\\unknown{x}"));
    }

    void reasoningIsAGroup() {
        const std::vector<Block> blocks = parse("<think>\nfirst\n\nsecond </think>\nAnswer");
        QCOMPARE(blocks.size(), size_t(4));
        QCOMPARE(blocks[0].kind, BlockKind::Reasoning);
        QVERIFY(!blocks[0].open);
        QVERIFY(blocks[1].inReasoning && blocks[2].inReasoning && !blocks[3].inReasoning);
        MessageDocument document;
        document.setSource("<think>\nfirst</think>\n\nAnswer", true);
        QCOMPARE(document.answerSource(), QString("Answer"));
    }

    void everyMarkOfTheEngineFolds() {
        for (const QByteArray pair : {"<seed:think> </seed:think>", "<|channel>thought <channel|>",
                                      "<|channel|>analysis<|message|> <|end|>"}) {
            const QList<QByteArray> marks = pair.split(' ');
            const std::vector<Block> folded = parse(marks[0] + "\nwhy\n" + marks[1] + "\nAnswer");
            QVERIFY(folded.front().kind == BlockKind::Reasoning);
            QVERIFY(folded.back().kind == BlockKind::Paragraph);
        }
    }

    void markersInCodeAreText() {
        QCOMPARE(parse("```\n<think>\n```")[0].kind, BlockKind::Code);
        QCOMPARE(parse("say `<think>`")[0].kind, BlockKind::Paragraph);
        const std::vector<Block> blocks = parse("<think>\n`</think>` stays\n</think>\nx");
        QCOMPARE(blocks.size(), size_t(3));
        QVERIFY(blocks[1].inReasoning);
    }

    void unclosedReasoningSwallowsNothing() {
        const std::vector<Block> blocks = parse("<think>\nno end\n\nmore");
        QCOMPARE(blocks.size(), size_t(3));
        QVERIFY(blocks[0].open);
        QCOMPARE(blocks[2].text, QString("more"));
    }

private:
    static void compare(const std::vector<Block>& got, const std::vector<Block>& wanted,
                        quint32 seed) {
        for (size_t i = 0; i < std::min(got.size(), wanted.size()); ++i)
            QVERIFY2(got[i] == wanted[i],
                     qPrintable(QStringLiteral("seed %1 row %2\n got %3\nwant %4")
                                    .arg(seed)
                                    .arg(i)
                                    .arg(describe(got[i]), describe(wanted[i]))));
        QCOMPARE(got.size(), wanted.size());
    }
};

QTEST_APPLESS_MAIN(MessageDocumentTest)
#include "message_document_test.moc"
