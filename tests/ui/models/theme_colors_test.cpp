#include "ui/models/theme_colors.h"

#include <QTest>

using alcove::ui::ThemeColors;

class ThemeColorsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyPairInUseHasItsContrast_data() {
        QTest::addColumn<int>("scheme");
        QTest::newRow("light") << int(ThemeColors::Light);
        QTest::newRow("dark") << int(ThemeColors::Dark);
        QTest::newRow("high contrast light") << int(ThemeColors::HighContrastLight);
        QTest::newRow("high contrast dark") << int(ThemeColors::HighContrastDark);
    }
    void everyPairInUseHasItsContrast() {
        QFETCH(const int, scheme);
        ThemeColors colors;
        colors.setScheme(ThemeColors::Scheme(scheme));
        for (const ThemeColors::Pair& pair : ThemeColors::pairsInUse()) {
            const QColor front = colors.color(pair.foreground);
            const QColor back = colors.color(pair.background);
            const double contrast = ThemeColors::contrast(front, back);
            QVERIFY2(contrast >= pair.contrast,
                     qPrintable(QStringLiteral("token %1 %2 on %3 %4: %5, needed %6")
                                    .arg(pair.foreground)
                                    .arg(front.name())
                                    .arg(pair.background)
                                    .arg(back.name())
                                    .arg(contrast)
                                    .arg(pair.contrast)));
        }
    }
    void contrastIsThatOfTheStandard() {
        QCOMPARE(ThemeColors::contrast(Qt::black, Qt::white), 21.0);
        QCOMPARE(ThemeColors::contrast(Qt::white, Qt::white), 1.0);
        // Published example: #777777 on white is 4.48:1, just not enough for text.
        const double grey = ThemeColors::contrast(QColor(0x77, 0x77, 0x77), Qt::white);
        QVERIFY(grey > 4.47 && grey < 4.49);
    }
    void aSchemeSetsEveryToken() {
        for (int scheme = 0; scheme <= ThemeColors::HighContrastDark; ++scheme) {
            ThemeColors colors;
            colors.setScheme(ThemeColors::Scheme(scheme));
            for (int token = 0; token < ThemeColors::TokenCount; ++token)
                QVERIFY(colors.color(ThemeColors::Token(token)).isValid());
        }
    }
};

QTEST_MAIN(ThemeColorsTest)
#include "theme_colors_test.moc"
