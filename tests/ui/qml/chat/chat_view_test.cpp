// The chat view in a window without a display: scrolling, selection, scroll bar, network.
#include "tests/ui/qml/chat/demo_conversation.h"
#include "ui/models/blocks/block_list_model.h"
#include "ui/models/blocks/chat_selection.h"

#include <QNetworkAccessManager>
#include <QQmlApplicationEngine>
#include <QQmlNetworkAccessManagerFactory>
#include <QQuickItem>
#include <QQuickStyle>
#include <QQuickWindow>
#include <QTest>
#include <QtQml/qqmlextensionplugin.h>

Q_IMPORT_QML_PLUGIN(Alcove_ModelsPlugin)
Q_IMPORT_QML_PLUGIN(Alcove_UiPlugin)

using namespace alcove;
using namespace alcove::ui;

namespace {

constexpr char kScene[] = R"(
import QtQuick
import Alcove.Models
import Alcove.Ui
Window {
    id: root
    property BlockListModel rows: BlockListModel {}
    property alias view: chat
    width: 760
    height: 700
    visible: true
    ChatView { id: chat; anchors.fill: parent; messages: root.rows; focus: true }
}
)";

int g_requests = 0;

class CountingNetwork : public QNetworkAccessManager {
    using QNetworkAccessManager::QNetworkAccessManager;
    QNetworkReply* createRequest(Operation operation, const QNetworkRequest& request,
                                 QIODevice* data) override {
        ++g_requests;
        return QNetworkAccessManager::createRequest(operation, request, data);
    }
};

class CountingFactory : public QQmlNetworkAccessManagerFactory {
    QNetworkAccessManager* create(QObject* parent) override { return new CountingNetwork(parent); }
};

} // namespace

class ChatViewTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QQuickStyle::setStyle(QStringLiteral("Basic")); }

    void init() {
        m_engine = std::make_unique<QQmlApplicationEngine>();
        m_engine->setNetworkAccessManagerFactory(&m_factory);
        m_engine->addImportPath(QStringLiteral("qrc:/qt/qml"));
        m_engine->loadData(kScene);
        QVERIFY(!m_engine->rootObjects().isEmpty());
        m_window = qobject_cast<QQuickWindow*>(m_engine->rootObjects().first());
        m_rows = m_window->property("rows").value<BlockListModel*>();
        m_view = m_window->property("view").value<QQuickItem*>();
        m_list = m_view->property("view").value<QQuickItem*>();
        QVERIFY(QTest::qWaitForWindowExposed(m_window));
    }

    void cleanup() { m_engine.reset(); }

    void opensAtItsEndAndFollowsIt() {
        load(300);
        QVERIFY(m_view->property("following").toBool());
        QCOMPARE(bottomGap(), 0.0);
        startAnswer();
        for (int i = 0; i < 50; ++i) {
            grow(QStringLiteral("More words for the answer that is written. \n\n"));
            QVERIFY(bottomGap() <= 1);
        }
    }

    // U14
    void nothingMovesWhatIsReadInFree() {
        load(300);
        startAnswer();
        move(-3000);
        QVERIFY(!m_view->property("following").toBool());
        const auto [row, y] = firstRow();
        const QVariant id = row->property("messageId");
        for (int i = 0; i < 250; ++i)
            grow(QStringLiteral("Paragraph one.\n\nParagraph two.\n\n- item\n- item\n\n"));
        settle();
        const auto [rowAfter, yAfter] = firstRow();
        QCOMPARE(rowAfter->property("messageId"), id);
        QCOMPARE(yAfter, y);
        QVERIFY(scrollState()->property("newRows").toInt() >= 900);
        // The end of the answer, a branch below.
        app::Message done;
        done.id = m_answer;
        done.role = app::Role::Assistant;
        done.text = m_rows->messageText(m_answer);
        m_rows->finishMessage(done);
        settle();
        QCOMPARE(firstRow().second, y);
    }

    void foldingAboveMovesNothing() {
        QVector<app::Message> messages = test::longConversation(60);
        messages[3].text =
            QStringLiteral("<think>\nthought\n\nmore\n\nmore\n</think>\n\n") + messages[3].text;
        m_rows->setMessages(messages);
        settle();
        move(-100000);
        int head = 0;
        while (m_rows->rowTypeAt(head) != BlockListModel::ReasoningRow)
            ++head;
        m_rows->toggleFold(head);
        settle();
        while (m_rows->messageAt(firstRow().first->property("index").toInt()) < 5)
            move(200);
        const double y = firstRow().second;
        const QVariant id = firstRow().first->property("messageId");
        m_rows->toggleFold(head);
        settle();
        QCOMPARE(firstRow().first->property("messageId"), id);
        QCOMPARE(firstRow().second, y);
    }

    // U15
    void aSelectionSurvivesTwoHundredUpdates() {
        load(10);
        startAnswer();
        grow(QStringLiteral("These words are selected."));
        const int row = m_rows->rowCount() - 2;
        auto* selection = m_view->property("selection").value<ChatSelection*>();
        selection->begin(row, 6);
        selection->extend(row, 11);
        QQuickItem* edit = editOf(row);
        QVERIFY(edit);
        QCOMPARE(edit->property("selectedText").toString(), QStringLiteral("words"));
        for (int i = 0; i < 200; ++i)
            grow(QStringLiteral(" more **words**"));
        QCOMPARE(editOf(row)->property("selectedText").toString(), QStringLiteral("words"));
        QCOMPARE(selection->text(), QStringLiteral("words"));
    }

    // U8
    void theThumbNeverMovesBackwardsWhilePaging() {
        load(2000);
        QMetaObject::invokeMethod(m_view, "goToStart");
        settle();
        double last = scrollState()->property("thumbPosition").toDouble();
        QVERIFY(last < 0.01);
        for (int page = 0; page < 150; ++page) {
            move(640);
            const double thumb = scrollState()->property("thumbPosition").toDouble();
            QVERIFY2(thumb >= last, qPrintable(QString::number(page)));
            last = thumb;
        }
        QVERIFY(last > 0.02);
    }

    void theThumbLeadsToItsPlace() {
        load(2000);
        for (const double place : {0.5, 0.1, 0.9, 0.0}) {
            QMetaObject::invokeMethod(m_view, "goToThumb", Q_ARG(double, place));
            settle();
            const int row = firstRow().first->property("index").toInt();
            QVERIFY(m_rows->rowTypeAt(row) != BlockListModel::PlaceholderRow);
            const double share = double(m_rows->messageAt(row)) / m_rows->messageCount();
            QVERIFY2(std::abs(share - place) < 0.1, qPrintable(QString::number(share)));
        }
    }

    void dataOfRowsReachesTheirText() {
        m_rows->setMessages(test::demoConversation());
        settle();
        for (int row = 0; row < m_rows->rowCount(); ++row) {
            if (m_rows->rowTypeAt(row) != BlockListModel::TextRow)
                continue;
            QMetaObject::invokeMethod(m_view, "goToRow", Q_ARG(int, row), Q_ARG(double, 0));
            settle();
            QQuickItem* edit = editOf(row);
            QVERIFY(edit);
            QCOMPARE(edit->property("text").toString(), m_rows->blockAt(row)->text);
        }
    }

    // U22
    void noMessageCausesANetworkRequest() {
        QVector<app::Message> messages = test::demoConversation();
        const QString bait = QStringLiteral(
            "![x](http://127.0.0.1:9/a.png) <img src=\"http://127.0.0.1:9/b.png\"> "
            "<style>@import url(http://127.0.0.1:9/c.css)</style>\n\n"
            "| <img src=http://127.0.0.1:9/d.png> |\n|---|\n| ![](http://127.0.0.1:9/e.png) |\n");
        for (app::Message& message : messages) {
            message.text += QStringLiteral("\n\n") + bait;
            if (message.facts)
                message.facts->modelName = QStringLiteral("<img src='http://127.0.0.1:9/f.png'>");
        }
        m_rows->setMessages(messages);
        settle();
        move(-100000);
        for (int i = 0; i < 12; ++i)
            move(400);
        QTest::qWait(100);
        QCOMPARE(g_requests, 0);
    }

private:
    void settle() {
        for (int i = 0; i < 4; ++i)
            QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
        m_window->grabWindow(); // a frame, also where the window is not shown
        QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
    }

    void load(int messages) {
        m_rows->setMessages(test::longConversation(messages));
        settle();
    }

    void startAnswer() {
        app::Message answer;
        answer.id = m_answer;
        answer.role = app::Role::Assistant;
        answer.state = app::MessageState::Writing;
        m_rows->addMessage(answer);
        settle();
    }

    void grow(const QString& text) {
        m_rows->appendText(m_answer, text);
        m_rows->flush();
        QCoreApplication::processEvents();
        QCoreApplication::processEvents();
    }

    void move(double pixels) {
        QMetaObject::invokeMethod(m_view, "moveBy", Q_ARG(double, pixels));
        settle();
    }

    QObject* scrollState() const { return m_view->property("scroll").value<QObject*>(); }

    QQuickItem* itemAtIndex(int row) const {
        QQuickItem* item = nullptr;
        QMetaObject::invokeMethod(m_list, "itemAtIndex", Q_RETURN_ARG(QQuickItem*, item),
                                  Q_ARG(int, row));
        return item;
    }

    QQuickItem* editOf(int row) const {
        QQuickItem* item = itemAtIndex(row);
        if (!item)
            return nullptr;
        for (QQuickItem* child : item->childItems())
            if (child->inherits("QQuickTextEdit"))
                return child;
        return nullptr;
    }

    /// The first row in view, and where in the view it is.
    std::pair<QQuickItem*, double> firstRow() const {
        const double y = m_list->property("contentY").toDouble();
        int row = -1;
        QMetaObject::invokeMethod(m_list, "indexAt", Q_RETURN_ARG(int, row), Q_ARG(double, 300),
                                  Q_ARG(double, y + 1));
        QQuickItem* item = itemAtIndex(row);
        if (!item)
            qFatal("no row at the top of the view: row %d of %d, place %g, origin %g, height %g",
                   row, m_rows->rowCount(), y, m_list->property("originY").toDouble(),
                   m_list->property("contentHeight").toDouble());
        return {item, item->y() - y};
    }

    double bottomGap() const {
        const double bottom =
            m_list->property("originY").toDouble() + m_list->property("contentHeight").toDouble();
        return bottom - m_list->property("contentY").toDouble() - m_list->height();
    }

    CountingFactory m_factory;
    std::unique_ptr<QQmlApplicationEngine> m_engine;
    QQuickWindow* m_window = nullptr;
    BlockListModel* m_rows = nullptr;
    QQuickItem* m_view = nullptr;
    QQuickItem* m_list = nullptr;
    qint64 m_answer = 1'000'000;
};

QTEST_MAIN(ChatViewTest)
#include "chat_view_test.moc"
