#include "tests/ui/models/blocks/generated_messages.h"
#include "ui/models/blocks/block_list_model.h"
#include "ui/models/blocks/chat_selection.h"
#include "ui/models/blocks/conversation_feed.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QGuiApplication>
#include <QMimeData>
#include <QSignalSpy>
#include <QTest>

using namespace alcove;
using namespace alcove::ui;

namespace {

app::Message message(qint64 id, app::Role role, const QString& text,
                     app::MessageState state = app::MessageState::Complete) {
    app::Message result;
    result.id = id;
    result.role = role;
    result.text = text;
    result.state = state;
    result.created = QDateTime(QDate(2025, 11, 29), QTime(14, 2));
    return result;
}

QVector<app::Message> pairOf(const QString& question, const QString& answer) {
    return {message(1, app::Role::User, question), message(2, app::Role::Assistant, answer)};
}

QVector<RowType> types(const BlockListModel& model) {
    QVector<RowType> result;
    for (int row = 0; row < model.rowCount(); ++row)
        result << model.rowAt(row).type;
    return result;
}

QString codeOf(int lines) {
    QString text = "```\n";
    for (int i = 0; i < lines; ++i)
        text += QString::number(i) + '\n';
    return text + "```";
}

} // namespace

class BlockListModelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aConversationIsFlatRows() {
        BlockListModel model;
        QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setMessages(pairOf("Hi", "# A\n\nText\n\n- one\n- two\n\n```\nx\n```\n\n---"));
        QCOMPARE(types(model), (QVector{RowType::Text, RowType::Footer, RowType::Header,
                                        RowType::Text, RowType::Text, RowType::Text, RowType::Text,
                                        RowType::Code, RowType::Rule, RowType::Footer}));
        QCOMPARE(model.messageAt(1), 0);
        QCOMPARE(model.messageAt(2), 1);
        QCOMPARE(model.firstRowOf(1), 2);
    }

    void streamingTouchesOnlyTheLastRow() {
        BlockListModel model;
        QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setMessages(pairOf("Hi", ""));
        model.updateMessage(message(2, app::Role::Assistant, "", app::MessageState::Writing));
        model.appendText(2, "One paragraph.\n\nAnother");
        model.flush();
        QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
        QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
        model.appendText(2, " one");
        model.flush();
        QCOMPARE(inserted.count(), 0);
        QCOMPARE(changed.count(), 1);
        QCOMPARE(changed[0][0].toModelIndex().row(), 4);
        model.appendText(2, "\n\nThird");
        model.flush();
        QCOMPARE(inserted.count(), 1);
    }

    // U21 for rows: what the view was told is what the model has.
    void streamedRowsAreThoseOfALoadedMessage() {
        for (quint32 seed = 0; seed < 200; ++seed) {
            const QString text = test::generatedMessage(seed);
            if (text.trimmed().isEmpty())
                continue;
            BlockListModel streamed;
            QVector<RowType> told;
            const auto follow = [&] {
                connect(&streamed, &QAbstractItemModel::rowsInserted, this,
                        [&](const QModelIndex&, int first, int last) {
                            for (int i = first; i <= last; ++i)
                                told.insert(i, streamed.rowAt(i).type);
                        });
                connect(&streamed, &QAbstractItemModel::rowsRemoved, this,
                        [&](const QModelIndex&, int first, int last) {
                            told.remove(first, last - first + 1);
                        });
            };
            streamed.setMessages(pairOf("Hi", ""));
            told = types(streamed);
            follow();
            streamed.updateMessage(
                message(2, app::Role::Assistant, "", app::MessageState::Writing));
            QRandomGenerator random(seed);
            for (qsizetype i = 0; i < text.size();) {
                const qsizetype length = 1 + random.bounded(200);
                streamed.appendText(2, text.mid(i, length));
                streamed.flush();
                i += length;
            }
            streamed.finishMessage(message(2, app::Role::Assistant, text));
            QCOMPARE(told, types(streamed));
            QCOMPARE(streamed.messageText(2), text);
            streamed.disconnect(this);
        }
    }

    // U20: copying a whole message gives its source.
    void copyOfAWholeMessageIsItsSource() {
        for (quint32 seed = 0; seed < 500; ++seed) {
            const QString text = test::generatedMessage(seed);
            if (text.trimmed().isEmpty() || text.contains("<think>"))
                continue;
            BlockListModel model;
            model.setMessages({message(1, app::Role::Assistant, text)});
            model.copyMessage(1);
            QCOMPARE(QGuiApplication::clipboard()->text(), text);
            ChatSelection selection;
            selection.setRows(&model);
            selection.selectMessage(0);
            QCOMPARE(selection.text(), text);
        }
    }

    void copyOffersTextAndHtml() {
        BlockListModel model;
        model.setMessages(
            {message(1, app::Role::Assistant, "**Bold** <b>\n\n- [x](https://a.example)")});
        model.copyMessage(1);
        const QMimeData* data = QGuiApplication::clipboard()->mimeData();
        QVERIFY(data->text().startsWith("**Bold**"));
        QCOMPARE(data->html(),
                 QString("<p><strong>Bold</strong> &lt;b&gt;</p><ul><li><a href=\"https://"
                         "a.example\">x</a></li></ul>"));
        model.copyMessageAsText(1);
        QCOMPARE(QGuiApplication::clipboard()->text(), QString("Bold <b>\n\n• x"));
    }

    void farMessagesAreOneRowUntilTheViewComesNear() {
        QVector<app::Message> messages;
        for (int i = 1; i <= 1000; ++i)
            messages << message(i, i % 2 ? app::Role::User : app::Role::Assistant, "a\n\nb");
        BlockListModel model;
        QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setMessages(messages);
        QCOMPARE(model.rowAt(0).type, RowType::Placeholder);
        QVERIFY(model.rowAt(model.rowCount() - 1).type == RowType::Footer);
        const int row = model.ensureParsed(500);
        QCOMPARE(model.messageAt(row), 500);
        QVERIFY(model.rowAt(row).type != RowType::Placeholder);
        QCOMPARE(model.rowAt(0).type, RowType::Placeholder);
    }

    void longCodeIsFoldedUntilAskedFor() {
        BlockListModel model;
        model.setMessages(pairOf("Hi", codeOf(852)));
        QCOMPARE(types(model).count(RowType::Code), 1);
        const int more = int(types(model).indexOf(RowType::More));
        QVERIFY(more > 0);
        QVERIFY(
            model.data(model.index(more), BlockListModel::TitleRole).toString().contains("812"));
        model.showMore(more);
        QCOMPARE(types(model).count(RowType::Code), 15);
        model.copyCode(model.firstRowOf(1) + 3);
        QCOMPARE(QGuiApplication::clipboard()->text() + '\n', codeOf(852).mid(4).chopped(3));
    }

    void reasoningFoldsWithoutRows() {
        BlockListModel model;
        model.setMessages(pairOf("Hi", "<think>\na\n\nb\n</think>\nanswer"));
        QCOMPARE(types(model).count(RowType::Text), 2); // question and answer
        const int head = int(types(model).indexOf(RowType::Reasoning));
        model.toggleFold(head);
        QCOMPARE(types(model).count(RowType::Text), 4);
        model.toggleFold(head);
        QCOMPARE(types(model).count(RowType::Text), 2);
        model.copyMessage(2);
        QCOMPARE(QGuiApplication::clipboard()->text(), QString("answer"));
    }

    void reasoningIsOpenWhileItGrowsAndFoldsAtItsEnd() {
        BlockListModel model;
        model.setMessages(pairOf("Hi", ""));
        model.updateMessage(message(2, app::Role::Assistant, "", app::MessageState::Writing));
        model.appendText(2, "<think>\nthinking");
        model.flush();
        QCOMPARE(types(model).count(RowType::Text), 2);
        model.appendText(2, "\n</think>\n\nDone");
        model.flush();
        QCOMPARE(types(model).count(RowType::Text), 2);
        QCOMPARE(model.blockAt(4)->text, QString("Done"));
    }

    void aStoppedAnswerSaysSoAndCanContinue() {
        BlockListModel model;
        auto messages = pairOf("Hi", "half");
        messages[1].state = app::MessageState::Stopped;
        model.setMessages(messages);
        QVERIFY(types(model).contains(RowType::Status));
        const int footer = model.rowCount() - 1;
        QVERIFY(model.data(model.index(footer), BlockListModel::CanContinueRole).toBool());
    }

    void theReadingRowIsThereUntilTheFirstWord() {
        BlockListModel model;
        model.setMessages(pairOf("Hi", ""));
        model.updateMessage(message(2, app::Role::Assistant, "", app::MessageState::Writing));
        model.setReading(2, "Reading", 0.5);
        QVERIFY(types(model).contains(RowType::Reading));
        model.appendText(2, "word");
        model.flush();
        QVERIFY(!types(model).contains(RowType::Reading));
        app::ReadingProgress progress;
        progress.done = 947;
        progress.total = 2310;
        progress.cached = 8120;
        progress.secondsLeft = 8.2;
        QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
        QCOMPARE(
            readingSentence(progress),
            QString("Reading 2,310 new tokens … 40 % … about 8 s · 8,120 tokens are already read"));
    }

    void aSelectionCoversRowsAndSurvivesGrowth() {
        BlockListModel model;
        model.setMessages(pairOf("Hi", "one **two**\n\nthree"));
        model.updateMessage(
            message(2, app::Role::Assistant, "one **two**\n\nthree", app::MessageState::Writing));
        ChatSelection selection;
        selection.setRows(&model);
        selection.begin(3, 4);
        selection.extend(4, 2);
        QCOMPARE(selection.startIn(3), 4);
        QCOMPARE(selection.endIn(3), 7);
        QCOMPARE(selection.endIn(4), 2);
        QCOMPARE(selection.startIn(0), -1);
        QCOMPARE(selection.text(), QString("two\nth"));
        for (int i = 0; i < 200; ++i) {
            model.appendText(2, " more\n\n");
            model.flush();
        }
        QCOMPARE(selection.text(), QString("two\nth"));
        selection.selectWord(3, 5);
        QCOMPARE(selection.text(), QString("two"));
        model.setMessages({});
        QVERIFY(selection.empty());
    }

    void aBranchReplacesTheEnd() {
        BlockListModel model;
        QAbstractItemModelTester tester(&model,
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setMessages(pairOf("Hi", "first"));
        model.replaceFrom(2, {message(3, app::Role::Assistant, "second")});
        QCOMPARE(model.messageCount(), 2);
        QCOMPARE(model.messageText(3), QString("second"));
        QCOMPARE(model.messageText(2), QString());
    }
};

QTEST_MAIN(BlockListModelTest)
#include "block_list_model_test.moc"
