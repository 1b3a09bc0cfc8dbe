#include "app_fixture.h"
#include "ui/models/conversation_list_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>

using namespace alcove;
using ui::ConversationListModel;

namespace {

QStringList titles(const ConversationListModel& list) {
    QStringList all;
    for (int row = 0; row < list.rowCount(); ++row)
        all << list.index(row).data(ConversationListModel::TitleRole).toString();
    return all;
}

} // namespace

class ConversationListModelTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void listsMostRecentlyUsedFirst() {
        AppFixture app;
        app.addConversation(QStringLiteral("Older"));
        QTest::qSleep(2);
        app.addConversation(QStringLiteral("Newer"));
        ConversationListModel list(app.store, app.controller);
        const QAbstractItemModelTester tester(&list);
        list.load();
        QTRY_COMPARE(list.state(), ConversationListModel::State::Ready);
        QCOMPARE(titles(list), QStringList({QStringLiteral("Newer"), QStringLiteral("Older")}));
        QCOMPARE(list.index(0).data(ConversationListModel::SectionRole).toString(),
                 QStringLiteral("Today"));
    }
    void readsALongListByPages() {
        AppFixture app;
        for (int i = 0; i < ConversationListModel::kPage + 5; ++i)
            app.addConversation(QStringLiteral("Talk %1").arg(i));
        ConversationListModel list(app.store, app.controller);
        list.load();
        QTRY_COMPARE(list.count(), ConversationListModel::kPage);
        QVERIFY(list.canFetchMore({}));
        list.fetchMore({});
        QTRY_COMPARE(list.count(), ConversationListModel::kPage + 5);
        QVERIFY(!list.canFetchMore({}));
    }
    void aUsedConversationMovesToTheTop() {
        AppFixture app;
        const auto first = app.addConversation(QStringLiteral("First"));
        QTest::qSleep(2);
        app.addConversation(QStringLiteral("Second"));
        ConversationListModel list(app.store, app.controller);
        const QAbstractItemModelTester tester(&list);
        list.load();
        QTRY_COMPARE(list.count(), 2);
        app::Conversation used = first;
        used.used = QDateTime::currentDateTimeUtc().addSecs(10);
        Q_EMIT app.controller.conversationUpdated(used);
        QCOMPARE(titles(list), QStringList({QStringLiteral("First"), QStringLiteral("Second")}));
    }
    void renamingChangesTheRowAndTheDatabase() {
        AppFixture app;
        const auto row = app.addConversation(QStringLiteral("What is soup?"));
        ConversationListModel list(app.store, app.controller);
        list.load();
        QTRY_COMPARE(list.count(), 1);
        list.rename(row.id, QStringLiteral("Soup"));
        QTRY_COMPARE(titles(list), QStringList{QStringLiteral("Soup")});
        QCOMPARE(app.stored(row.id).title, QStringLiteral("Soup"));
    }
    void deletingCanBeUndone() {
        AppFixture app;
        const auto row = app.addConversation(QStringLiteral("Soup recipes"));
        ConversationListModel list(app.store, app.controller);
        const QAbstractItemModelTester tester(&list);
        list.load();
        QTRY_COMPARE(list.count(), 1);
        list.remove(row.id);
        QTRY_COMPARE(list.count(), 0);
        QVERIFY(list.undoText().contains(QStringLiteral("Soup recipes")));
        QVERIFY(app.stored(row.id).deletedAt.isValid());
        list.undoRemove();
        QTRY_COMPARE(list.count(), 1);
        QVERIFY(list.undoText().isEmpty());
        QVERIFY(!app.stored(row.id).deletedAt.isValid());
    }
    void marksRowsThatAnswerAndTheOpenOne() {
        AppFixture app;
        const auto row = app.addConversation(QStringLiteral("Soup"));
        ConversationListModel list(app.store, app.controller);
        list.load();
        QTRY_COMPARE(list.count(), 1);
        const QModelIndex index = list.index(0);
        QVERIFY(!index.data(ConversationListModel::AnsweringRole).toBool());
        Q_EMIT app.controller.answeringChanged(row.id, true);
        QVERIFY(index.data(ConversationListModel::AnsweringRole).toBool());
        QVERIFY(index.data(ConversationListModel::SpokenRole)
                    .toString()
                    .contains(QStringLiteral("answering")));
        app.controller.open(row.id);
        QTRY_VERIFY(index.data(ConversationListModel::CurrentRole).toBool());
        QCOMPARE(list.currentRow(), 0);
    }
    void neighboursStayWithinTheList() {
        AppFixture app;
        ConversationListModel empty(app.store, app.controller);
        QCOMPARE(empty.neighbour(1), 0);
        app.addConversation(QStringLiteral("A"));
        QTest::qSleep(2);
        app.addConversation(QStringLiteral("B"));
        ConversationListModel list(app.store, app.controller);
        list.load();
        QTRY_COMPARE(list.count(), 2);
        app.controller.open(list.idAt(0));
        QTRY_COMPARE(list.currentRow(), 0);
        QCOMPARE(list.neighbour(-1), list.idAt(0));
        QCOMPARE(list.neighbour(1), list.idAt(1));
        QCOMPARE(list.neighbour(5), list.idAt(1));
    }
};

QTEST_MAIN(ConversationListModelTest)
#include "conversation_list_model_test.moc"
