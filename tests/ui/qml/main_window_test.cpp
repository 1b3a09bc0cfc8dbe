// The real window over a real store, without a display and without a model.
#include "tests/ui/models/app_fixture.h"
#include "ui/models/app_model.h"
#include "ui/qml/items/list_accessible.h"
#include "ui/qml/items/no_network.h"
#include "ui/qml/items/screen_check.h"

#include <QAccessible>
#include <QGuiApplication>
#include <QQmlApplicationEngine>
#include <QQuickItem>
#include <QQuickStyle>
#include <QQuickWindow>
#include <QSignalSpy>
#include <QTest>
#include <QtQml/qqmlextensionplugin.h>

Q_IMPORT_QML_PLUGIN(Alcove_ModelsPlugin)
Q_IMPORT_QML_PLUGIN(Alcove_UiPlugin)

using namespace alcove;

namespace {

QStringList& warnings() {
    static QStringList all;
    return all;
}

void collect(QtMsgType type, const QMessageLogContext&, const QString& message) {
    if (type == QtWarningMsg || type == QtCriticalMsg)
        warnings() << message;
}

/// The window with everything below it.
struct MainWindow {
    AppFixture app;
    ui::AppModel model{{app.store,
                        app.engine,
                        app.controller,
                        app.library,
                        app.settings,
                        {QRect(0, 0, 1920, 1080)}}};
    ui::NoNetworkFactory noNetwork;
    QQmlApplicationEngine qml;
    QQuickWindow* window = nullptr;

    MainWindow() {
        qml.setNetworkAccessManagerFactory(&noNetwork);
        qml.addImportPath(QStringLiteral("qrc:/qt/qml"));
        qml.setInitialProperties({{QStringLiteral("app"), QVariant::fromValue(&model)}});
    }
    bool show(int width, int height) {
        QSignalSpy started(&model, &ui::AppModel::started);
        qml.load(QUrl(QStringLiteral("qrc:/qt/qml/Alcove/Ui/Main.qml")));
        if (qml.rootObjects().isEmpty())
            return false;
        window = qobject_cast<QQuickWindow*>(qml.rootObjects().first());
        window->resize(width, height);
        window->setVisible(true);
        return QTest::qWaitForWindowExposed(window) && (started.count() > 0 || started.wait());
    }
    QQuickItem* named(const char* accessibleName) const {
        return namedBelow(window->contentItem(), QLatin1String(accessibleName));
    }
    static QQuickItem* namedBelow(QQuickItem* item, const QString& name) {
        if (!item->isVisible())
            return nullptr;
        QAccessibleInterface* face = QAccessible::queryAccessibleInterface(item);
        if (face != nullptr && face->text(QAccessible::Name) == name)
            return item;
        for (QQuickItem* child : item->childItems()) {
            if (QQuickItem* found = namedBelow(child, name))
                return found;
        }
        return nullptr;
    }
};

} // namespace

class MainWindowTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        QQuickStyle::setStyle(QStringLiteral("Basic"));
        qInstallMessageHandler(collect);
        QAccessible::setActive(true);
        ui::ListAccessible::install();
    }
    void init() { warnings().clear(); }

    void comesUpWithoutAWarning() {
        MainWindow main;
        QVERIFY(main.show(1280, 820));
        QTest::qWait(200);
        QVERIFY2(warnings().isEmpty(), qPrintable(warnings().join(u'\n')));
    }
    void noTwoActionsShareAKey() {
        MainWindow main;
        QVERIFY(main.show(1280, 820));
        QHash<QString, QString> owners;
        for (int n = 1; n <= 9; ++n)
            owners.insert(QStringLiteral("Ctrl+%1").arg(n), QStringLiteral("conversation"));
        int actions = 0;
        for (const QObject* object : main.window->findChildren<QObject*>()) {
            if (!QString::fromLatin1(object->metaObject()->className())
                     .startsWith(QLatin1String("AppAction_")))
                continue;
            ++actions;
            const QString text = object->property("text").toString();
            QVERIFY(!text.isEmpty());
            const QStringList keys = object->property("keys").value<QStringList>();
            QVERIFY2(!keys.isEmpty(), qPrintable(text));
            for (const QString& key : keys) {
                const QString portable = QKeySequence(key).toString(QKeySequence::PortableText);
                QVERIFY2(!portable.isEmpty(), qPrintable(key));
                QVERIFY2(!owners.contains(portable),
                         qPrintable(portable + u' ' + text + u' ' + owners.value(portable)));
                owners.insert(portable, text);
            }
        }
        QVERIFY(actions > 20);
    }
    void everythingThatActsHasAName_data() {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<int>("percent");
        QTest::newRow("wide") << QSize(1280, 820) << 100;
        QTest::newRow("medium") << QSize(960, 700) << 100;
        QTest::newRow("smallest") << QSize(480, 400) << 100;
        QTest::newRow("200 %") << QSize(1366, 768) << 200;
    }
    void everythingThatActsHasAName() {
        QFETCH(const QSize, size);
        QFETCH(const int, percent);
        MainWindow main;
        main.app.addConversation(QStringLiteral("What is soup?"));
        QVERIFY(main.show(size.width(), size.height()));
        main.model.appearance()->setTextPercent(percent);
        QTest::qWait(100);
        const QString tree = ui::ScreenCheck::accessibleTree(main.window);
        QVERIFY(tree.contains(QStringLiteral("Button")));
        for (const QString& line : tree.split(u'\n'))
            QVERIFY2(!line.contains(QLatin1String("NO NAME")), qPrintable(line + u'\n' + tree));
    }
    void nothingThatActsLiesOutsideTheWindow_data() { everythingThatActsHasAName_data(); }
    void nothingThatActsLiesOutsideTheWindow() {
        QFETCH(const QSize, size);
        QFETCH(const int, percent);
        MainWindow main;
        QVERIFY(main.show(size.width(), size.height()));
        main.model.appearance()->setTextPercent(percent);
        QTest::qWait(100);
        for (const char* name :
             {"Message", "Send", "Show or hide the inspector", "Show or hide the list"}) {
            QQuickItem* item = main.named(name);
            QVERIFY2(item != nullptr, name);
            const QRectF rect = item->mapRectToScene(QRectF(0, 0, item->width(), item->height()));
            QVERIFY2(
                QRectF(0, 0, size.width(), size.height()).adjusted(-1, -1, 1, 1).contains(rect),
                name);
        }
    }
    void theMessageFieldHasTheKeyboardAtOnce() {
        MainWindow main;
        QVERIFY(main.show(1280, 820));
        QTest::keyClick(main.window, Qt::Key_H);
        QTest::keyClick(main.window, Qt::Key_I);
        QTRY_COMPARE(main.model.composer()->text(), QStringLiteral("hi"));
    }
    void enterSendsAndShiftEnterBreaksTheLine() {
        MainWindow main;
        QVERIFY(main.show(1280, 820));
        QTest::keyClick(main.window, Qt::Key_A);
        QTest::keyClick(main.window, Qt::Key_Return, Qt::ShiftModifier);
        QTest::keyClick(main.window, Qt::Key_B);
        QTRY_COMPARE(main.model.composer()->text(), QStringLiteral("a\nb"));
        QSignalSpy needed(&main.app.controller, &app::ConversationController::modelNeeded);
        QTest::keyClick(main.window, Qt::Key_Return);
        QTRY_COMPARE(needed.count(), 1);
        QCOMPARE(main.model.composer()->text(), QStringLiteral("a\nb"));
    }
    void theSendingKeyCanBeSwapped() {
        MainWindow main;
        QVERIFY(main.show(1280, 820));
        main.model.appearance()->setEnterSends(false);
        QSignalSpy needed(&main.app.controller, &app::ConversationController::modelNeeded);
        QTest::keyClick(main.window, Qt::Key_A);
        QTest::keyClick(main.window, Qt::Key_Return);
        QTest::qWait(50);
        QCOMPARE(needed.count(), 0);
        QTest::keyClick(main.window, Qt::Key_Return, Qt::ControlModifier);
        QTRY_COMPARE(needed.count(), 1);
    }
    void theDraftOfEachConversationComesBack() {
        MainWindow main;
        const auto first = main.app.addConversation(QStringLiteral("First"));
        QVERIFY(main.show(1280, 820));
        QTRY_COMPARE(main.model.conversations()->currentId(), first.id);
        QTest::keyClick(main.window, Qt::Key_X);
        QTest::keyClick(main.window, Qt::Key_N, Qt::ControlModifier);
        QTRY_COMPARE(main.model.composer()->text(), QString());
        main.model.open(first.id);
        QTRY_COMPARE(main.model.composer()->text(), QStringLiteral("x"));
    }
    void textSizeFollowsTheKeys() {
        MainWindow main;
        QVERIFY(main.show(1280, 820));
        QTest::keyClick(main.window, Qt::Key_Plus, Qt::ControlModifier);
        QCOMPARE(main.model.appearance()->textPercent(), 110);
        QTest::keyClick(main.window, Qt::Key_0, Qt::ControlModifier);
        QCOMPARE(main.model.appearance()->textPercent(), 100);
    }
    void rowsAreToldInTheOrderOfTheListWithoutStaleOnes() {
        MainWindow main;
        for (int i = 0; i < 40; ++i)
            main.app.addConversation(QStringLiteral("Talk %1").arg(i));
        QVERIFY(main.show(1280, 500));
        QQuickItem* list = main.named("Conversations, most recent first");
        QVERIFY(list != nullptr);
        const auto check = [list] {
            QAccessibleInterface* face = QAccessible::queryAccessibleInterface(list);
            QCOMPARE(face->role(), QAccessible::List);
            QVERIFY(face->childCount() > 3 && face->childCount() < 40);
            int before = -1;
            for (int i = 0; i < face->childCount(); ++i) {
                const int row = face->child(i)->object()->property("index").toInt();
                if (before >= 0)
                    QCOMPARE(row, before + 1);
                before = row;
                QCOMPARE(face->indexOfChild(face->child(i)), i);
            }
        };
        check();
        // Back and forth, so that rows are taken again.
        for (const int row : {39, 5, 30, 0, 20}) {
            main.qml.collectGarbage();
            QMetaObject::invokeMethod(list, "positionViewAtIndex", Q_ARG(int, row), Q_ARG(int, 0));
            QTest::qWait(30);
            check();
        }
    }
    void headingsOutliveTheGarbageCollector() {
        MainWindow main;
        QVERIFY(main.show(1280, 820));
        for (int i = 0; i < 3; ++i) {
            main.qml.collectGarbage();
            QTest::qWait(50);
        }
        const auto row = main.app.addConversation(QStringLiteral("Soup"));
        Q_EMIT main.app.controller.conversationUpdated(row);
        QTRY_VERIFY(main.named("Today") != nullptr);
        main.model.open(row.id);
        QTRY_VERIFY(!main.model.isEmpty());
        QTest::qWait(50);
        QVERIFY2(warnings().isEmpty(), qPrintable(warnings().join(u'\n')));
    }
    void tabReachesEveryPaneAndComesBack() {
        MainWindow main;
        main.app.addConversation(QStringLiteral("Soup"));
        QVERIFY(main.show(1280, 820));
        QStringList order;
        for (int i = 0; i < 60; ++i) {
            QTest::keyClick(main.window, Qt::Key_Tab);
            QQuickItem* item = main.window->activeFocusItem();
            QVERIFY(item != nullptr && item->isVisible());
            QAccessibleInterface* face = QAccessible::queryAccessibleInterface(item);
            const QString name = face != nullptr ? face->text(QAccessible::Name) : QString();
            if (order.contains(name))
                break;
            order << name;
        }
        for (const char* name : {"New conversation", "Soup, today", "Show or hide the inspector",
                                 "Messages", "Message", "Copy these values"})
            QVERIFY2(order.contains(QLatin1String(name)),
                     qPrintable(order.join(QStringLiteral(" > "))));
    }
};

QTEST_MAIN(MainWindowTest)
#include "main_window_test.moc"
