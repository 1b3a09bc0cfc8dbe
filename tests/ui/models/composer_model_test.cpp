#include "app_fixture.h"
#include "ui/models/composer_model.h"

#include <QSignalSpy>

using namespace alcove;
using ui::ComposerModel;

class ComposerModelTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theDraftIsStoredSoonAfterTheLastKey() {
        AppFixture app;
        const auto row = app.addConversation(QStringLiteral("Soup"));
        ComposerModel composer(app.controller, app.engine);
        app.controller.open(row.id);
        QTRY_COMPARE(app.controller.conversationId(), row.id);
        composer.setText(QStringLiteral("half a thou"));
        composer.setCaret(4);
        QSignalSpy saved(&app.controller, &app::ConversationController::draftSaved);
        QTRY_COMPARE(saved.count(), 1);
        QCOMPARE(app.stored(row.id).draft, QStringLiteral("half a thou"));
        QCOMPARE(app.stored(row.id).draftCaret, 4);
    }
    void eachConversationKeepsItsDraft() {
        AppFixture app;
        const auto a = app.addConversation(QStringLiteral("A"));
        const auto b = app.addConversation(QStringLiteral("B"));
        ComposerModel composer(app.controller, app.engine);
        app.controller.open(a.id);
        QTRY_COMPARE(app.controller.conversationId(), a.id);
        composer.setText(QStringLiteral("for a"));
        composer.flush();
        app.controller.open(b.id);
        QTRY_COMPARE(app.controller.conversationId(), b.id);
        QCOMPARE(composer.text(), QString());
        composer.setText(QStringLiteral("for b"));
        composer.flush();
        app.controller.open(a.id);
        QTRY_COMPARE(composer.text(), QStringLiteral("for a"));
    }
    void withoutAModelSendKeepsTheText() {
        AppFixture app;
        ComposerModel composer(app.controller, app.engine);
        app.controller.openNew();
        composer.setText(QStringLiteral("Hello"));
        QVERIFY(composer.canSend());
        QSignalSpy needed(&app.controller, &app::ConversationController::modelNeeded);
        composer.send();
        QTRY_COMPARE(needed.count(), 1);
        QCOMPARE(composer.text(), QStringLiteral("Hello"));
        QVERIFY(composer.noteIsWarning());
        QVERIFY(composer.canSend());
    }
    void blankTextIsNotSent() {
        AppFixture app;
        ComposerModel composer(app.controller, app.engine);
        composer.setText(QStringLiteral(" \n "));
        QVERIFY(!composer.canSend());
    }
    void theFieldEmptiesOnlyWhenTheQuestionIsStored() {
        AppFixture app;
        ComposerModel composer(app.controller, app.engine);
        composer.setText(QStringLiteral("Hello"));
        QSignalSpy replaced(&composer, &ComposerModel::textReplaced);
        Q_EMIT app.controller.sendRefused(QStringLiteral("The disk is full"));
        QCOMPARE(composer.text(), QStringLiteral("Hello"));
        QCOMPARE(composer.sendReason(), QStringLiteral("The disk is full"));
        Q_EMIT app.controller.sendAccepted();
        QCOMPARE(composer.text(), QString());
        QCOMPARE(replaced.count(), 1);
    }
    void editingPutsTheDraftAsideAndCancelBringsItBack() {
        AppFixture app;
        const auto row = app.addConversation(QStringLiteral("What is soup?"));
        ComposerModel composer(app.controller, app.engine);
        app.controller.open(row.id);
        QTRY_COMPARE(app.controller.conversationId(), row.id);
        composer.editLast();
        QVERIFY(composer.editing());
        QCOMPARE(composer.text(), QStringLiteral("What is soup?"));
        composer.cancelEdit();
        QVERIFY(!composer.editing());
        QCOMPARE(composer.text(), QString());

        composer.setText(QStringLiteral("next"));
        composer.editMessage(1, QStringLiteral("What is soup?"));
        composer.setText(QStringLiteral("What is broth?"));
        Q_EMIT app.controller.sendAccepted();
        QVERIFY(!composer.editing());
        QCOMPARE(composer.text(), QStringLiteral("next"));
    }
    void upDoesNothingWhileTextIsInTheField() {
        AppFixture app;
        const auto row = app.addConversation(QStringLiteral("What is soup?"));
        ComposerModel composer(app.controller, app.engine);
        app.controller.open(row.id);
        QTRY_COMPARE(app.controller.conversationId(), row.id);
        composer.setText(QStringLiteral("x"));
        composer.editLast();
        QVERIFY(!composer.editing());
    }
};

QTEST_MAIN(ComposerModelTest)
#include "composer_model_test.moc"
