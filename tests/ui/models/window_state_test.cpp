#include "ui/models/appearance_model.h"
#include "ui/models/drop_model.h"
#include "ui/models/failure_text.h"
#include "ui/models/format.h"
#include "ui/models/window_placement.h"

#include <QFile>
#include <QLocale>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace alcove;
using ui::AppearanceModel;
using ui::DropModel;
using ui::WindowPlacement;

class WindowStateTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QLocale::setDefault(QLocale::c()); }

    // --- Placement
    void aSavedRectangleOnAScreenIsKept() {
        const QList<QRect> screens{{0, 0, 1920, 1080}};
        QCOMPARE(WindowPlacement::fitted({100, 50, 1000, 700}, screens), QRect(100, 50, 1000, 700));
    }
    void aRectangleThatHangsOverIsMovedIn() {
        const QList<QRect> screens{{0, 0, 1366, 768}};
        QCOMPARE(WindowPlacement::fitted({1000, 500, 800, 600}, screens),
                 QRect(566, 168, 800, 600));
    }
    void aLargerRectangleIsShrunk() {
        const QList<QRect> screens{{0, 0, 1366, 768}};
        QCOMPARE(WindowPlacement::fitted({0, 0, 2500, 1400}, screens), QRect(0, 0, 1366, 768));
    }
    void aRectangleOfAScreenThatIsGoneGivesTheDefault() {
        const QList<QRect> screens{{0, 0, 1000, 1000}};
        const QRect fitted = WindowPlacement::fitted({5000, 100, 1000, 700}, screens);
        QCOMPARE(fitted, QRect(100, 100, 800, 800));
    }
    void theDefaultIsEightyPercentAndBounded() {
        const QList<QRect> large{{0, 0, 3840, 2160}};
        QCOMPARE(WindowPlacement::fitted({}, large).size(), QSize(1280, 820));
        QCOMPARE(WindowPlacement::fitted({}, large).center(), QRect(0, 0, 3840, 2160).center());
    }
    void geometryAndPanesAreKept() {
        const QTemporaryDir dir;
        const QList<QRect> screens{{0, 0, 1920, 1080}};
        {
            ui::UiSettings settings(dir.filePath(QStringLiteral("window.ini")));
            WindowPlacement placement(settings, screens);
            placement.setListWidth(310);
            placement.setInspectorOpen(false);
            placement.keep(QRectF(10, 20, 900, 600), false);
        }
        ui::UiSettings settings(dir.filePath(QStringLiteral("window.ini")));
        const WindowPlacement again(settings, screens);
        QCOMPARE(again.geometry(), QRect(10, 20, 900, 600));
        QCOMPARE(again.listWidth(), 310);
        QVERIFY(!again.inspectorOpen());
    }

    // --- Appearance
    void textSizeStaysWithinItsBoundsAndIsKept() {
        const QTemporaryDir dir;
        const QString file = dir.filePath(QStringLiteral("window.ini"));
        {
            ui::UiSettings settings(file);
            AppearanceModel appearance(settings);
            QCOMPARE(appearance.textPercent(), 100);
            for (int i = 0; i < 30; ++i)
                appearance.growText();
            QCOMPARE(appearance.textPercent(), 200);
            QVERIFY(!appearance.canGrow());
            for (int i = 0; i < 30; ++i)
                appearance.shrinkText();
            QCOMPARE(appearance.textPercent(), 80);
            appearance.setTextPercent(150);
        }
        ui::UiSettings settings(file);
        QCOMPARE(AppearanceModel(settings).textPercent(), 150);
    }
    void anUnknownSettingFallsBack() {
        const QTemporaryDir dir;
        ui::UiSettings settings(dir.filePath(QStringLiteral("window.ini")));
        settings.setValue(QStringLiteral("appearance/theme"), QStringLiteral("Purple"));
        settings.setValue(QStringLiteral("appearance/textPercent"), QStringLiteral("large"));
        const AppearanceModel appearance(settings);
        QCOMPARE(appearance.theme(), AppearanceModel::Theme::System);
        QCOMPARE(appearance.textPercent(), 100);
    }
    void theSystemThemeFollowsTheDesktop() {
        const QTemporaryDir dir;
        ui::UiSettings settings(dir.filePath(QStringLiteral("window.ini")));
        AppearanceModel appearance(settings);
        appearance.setSystemDark(true);
        QCOMPARE(appearance.scheme(), ui::ThemeColors::Dark);
        appearance.setTheme(AppearanceModel::Theme::Light);
        QCOMPARE(appearance.scheme(), ui::ThemeColors::Light);
        appearance.setTheme(AppearanceModel::Theme::HighContrast);
        QCOMPARE(appearance.scheme(), ui::ThemeColors::HighContrastDark);
        appearance.setTheme(AppearanceModel::Theme::System);
        appearance.setSystemDark(false);
        QCOMPARE(appearance.scheme(), ui::ThemeColors::Light);
    }

    // --- Numbers as people read them
    void formats_data() {
        QTest::addColumn<QString>("shown");
        QTest::addColumn<QString>("expected");
        QTest::newRow("MB") << ui::formatBytes(98'362'432) << QStringLiteral("98 MB");
        QTest::newRow("small MB") << ui::formatBytes(1'500'000) << QStringLiteral("1.5 MB");
        QTest::newRow("GB") << ui::formatBytes(5'100'000'000) << QStringLiteral("5.1 GB");
        QTest::newRow("not known") << ui::formatBytes(-1) << QStringLiteral("\u2013");
        QTest::newRow("speed") << ui::formatSpeed(28.4) << QStringLiteral("28 tok/s");
        QTest::newRow("slow") << ui::formatSpeed(4.23) << QStringLiteral("4.2 tok/s");
        QTest::newRow("no speed") << ui::formatSpeed(0) << QStringLiteral("\u2013");
        QTest::newRow("seconds") << ui::formatDuration(0.94) << QStringLiteral("0.9 s");
        QTest::newRow("minutes") << ui::formatDuration(150) << QStringLiteral("3 min");
        QTest::newRow("percent") << ui::formatPercent(0.579) << QStringLiteral("58 %");
        const QDate today(2026, 11, 30);
        QTest::newRow("today") << ui::formatSection(today, today) << QStringLiteral("Today");
        QTest::newRow("yesterday")
            << ui::formatSection(today.addDays(-1), today) << QStringLiteral("Yesterday");
        QTest::newRow("week") << ui::formatSection(today.addDays(-7), today)
                              << QStringLiteral("Last 7 days");
        QTest::newRow("month") << ui::formatSection(QDate(2026, 3, 3), today)
                               << QStringLiteral("March");
        QTest::newRow("other year")
            << ui::formatSection(QDate(2025, 3, 3), today) << QStringLiteral("March 2025");
    }
    void formats() {
        QFETCH(const QString, shown);
        QFETCH(const QString, expected);
        QCOMPARE(shown, expected);
    }

    // --- Failures
    void everyFailureSaysWhatInCalmWords() {
        for (int code = 0; code <= int(Errc::Internal); ++code) {
            for (const ui::Attempt attempt : {ui::Attempt::LoadModel, ui::Attempt::AddModel,
                                              ui::Attempt::Answer, ui::Attempt::Save}) {
                const Error error{Errc(code),
                                  "model.gguf: tensor 3 ends at byte 12, the file at 10"};
                const ui::Failure failure =
                    ui::failureFor(attempt, error, QStringLiteral("SmolLM2"));
                if (error.code == Errc::Cancelled) {
                    QVERIFY(!failure.present());
                    continue;
                }
                QVERIFY(failure.present());
                for (const char* word : {"Error", "Oops", "invalid", "fatal", "!"})
                    QVERIFY2(!failure.text.contains(QLatin1String(word)), qPrintable(failure.text));
                QVERIFY(failure.details.contains(QStringLiteral("tensor 3")));
            }
        }
    }

    // --- Files held over the window
    void aModelIsToldByItsContent() {
        const QTemporaryDir dir;
        const auto write = [&](const char* name, const QByteArray& content) {
            QFile file(dir.filePath(QLatin1String(name)));
            return file.open(QIODevice::WriteOnly) && file.write(content) == content.size();
        };
        QVERIFY(write("sha256-1234", "GGUF\3\0\0\0"));
        QVERIFY(write("notes.pptx", "PK\3\4"));
        DropModel drop;
        drop.hold({QUrl::fromLocalFile(dir.filePath(QStringLiteral("notes.pptx"))),
                   QUrl::fromLocalFile(dir.filePath(QStringLiteral("sha256-1234")))});
        QCOMPARE(drop.rowCountNow(), 2);
        QTRY_VERIFY(drop.usable());
        QCOMPARE(drop.usableFile().fileName(), QStringLiteral("sha256-1234"));
        QVERIFY(
            drop.index(0).data(DropModel::DetailRole).toString().contains(QStringLiteral(".pptx")));
        const QString adapters = QStringLiteral(ALCOVE_TEST_DATA "/models/lora_llama/");
        for (const QString& name :
             {QStringLiteral("adapter_a.gguf"), QStringLiteral("adapter_b")}) {
            drop.hold({QUrl::fromLocalFile(adapters + name)});
            QTRY_VERIFY(drop.index(0)
                            .data(DropModel::DetailRole)
                            .toString()
                            .contains(QStringLiteral("adapter")));
            QVERIFY(drop.usable());
        }
        drop.leave();
        QCOMPARE(drop.rowCountNow(), 0);
        QVERIFY(drop.usableFile().isEmpty());
    }
};

QTEST_MAIN(WindowStateTest)
#include "window_state_test.moc"
