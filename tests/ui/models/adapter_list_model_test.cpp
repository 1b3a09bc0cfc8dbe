#include "ui/models/adapters/adapter_list_model.h"

#include "app/store/adapter_store.h"
#include "app/store/message_store.h"
#include "app/store/settings.h"
#include "app_fixture.h"

#include <QFile>
#include <QSignalSpy>

using namespace alcove;
using ui::AdapterListModel;

namespace {

const QString kModels = QStringLiteral(ALCOVE_TEST_DATA "/models/");

/// Adapters beside a tiny model that answers.
struct Adapters : AppFixture {
    Adapters() {
        now([](app::Database& db) -> Status {
            app::SettingsStore stored(db);
            ALCOVE_RETURN_IF_ERROR(stored.set(app::settings::kMaxTokens, 6));
            ALCOVE_ASSIGN_OR_RETURN(
                const app::ModelRecord tiny,
                app::addModel(db, kModels + QStringLiteral("llama/model.gguf")));
            return stored.set(app::settings::kLastModel, static_cast<double>(tiny.id));
        });
        controller.begin();
        controller.openNew();
    }
    bool ready() const { return controller.model().id != 0; }
    void add(const QString& path) {
        const int before = model.count();
        QSignalSpy added(&model, &AdapterListModel::added);
        model.add(QUrl::fromLocalFile(kModels + path));
        QTRY_COMPARE(added.size(), 1);
        QTRY_COMPARE(model.count(), before + 1); // the list is read after it was added,
        QTRY_VERIFY(!model.looking());           // then the file is checked
    }
    QVariant at(int row, int role) const { return model.data(model.index(row), role); }
    app::Message ask(const QString& text) {
        QSignalSpy finished(&controller, &app::ConversationController::answerFinished);
        controller.send(text);
        if (!finished.wait(20'000))
            return {};
        return finished.constLast().at(0).value<app::Message>();
    }

    AdapterListModel model{store, controller};
};

} // namespace

class AdapterListModelTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void onlyWhatFitsCanBeChosenAndTheRestSaysWhy() {
        Adapters a;
        QTRY_VERIFY(a.ready());
        a.add(QStringLiteral("lora_llama/adapter_a.gguf"));
        a.add(QStringLiteral("lora_bad/gguf_wrong_shape.gguf"));
        QTRY_COMPARE(a.model.count(), 2);
        QTRY_VERIFY(!a.model.looking());
        for (int row = 0; row < 2; ++row) {
            const bool usable = a.at(row, AdapterListModel::UsableRole).toBool();
            QCOMPARE(a.at(row, AdapterListModel::ReasonRole).toString().isEmpty(), usable);
            a.model.setChosen(row, true);
            QCOMPARE(a.at(row, AdapterListModel::ChosenRole).toBool(), usable);
        }
        QVERIFY(a.model.changed());
    }
    void aFileThatIsNoAdapterIsRefusedWithAReason() {
        Adapters a;
        QTRY_VERIFY(a.ready());
        a.model.add(QUrl::fromLocalFile(kModels + QStringLiteral("lora_bad/peft_dora")));
        QTRY_VERIFY(a.model.failure().contains(QStringLiteral("DoRA")));
        a.model.dropFailure();
        QVERIFY(a.model.failure().isEmpty());
        QCOMPARE(a.model.count(), 0);
    }
    void nothingChangesBeforeUseAndTheStrengthIsKeptInItsRange() {
        Adapters a;
        QTRY_VERIFY(a.ready());
        a.add(QStringLiteral("lora_llama/adapter_a.gguf"));
        a.model.setChosen(0, true);
        a.model.setScale(0, 0.333);
        QCOMPARE(a.at(0, AdapterListModel::ScaleRole).toDouble(), 0.33);
        QVERIFY(!a.model.typeScale(0, QStringLiteral("strong")));
        QVERIFY(!a.model.typeScale(0, QStringLiteral("4.5")));
        QVERIFY(!a.model.typeScale(0, QStringLiteral("nan")));
        QVERIFY(a.model.typeScale(0, QStringLiteral("-0.5")));
        QVERIFY(!a.model.active());
        a.model.reset();
        QVERIFY(!a.at(0, AdapterListModel::ChosenRole).toBool());
        a.model.setChosen(0, true);
        a.model.apply();
        QVERIFY(a.model.active());
        QVERIFY(!a.model.changed());
    }
    void filesAddedTogetherAreAllTaken() {
        Adapters a;
        QTRY_VERIFY(a.ready());
        QSignalSpy added(&a.model, &AdapterListModel::added);
        for (const char* path : {"lora_llama/adapter_a.gguf", "lora_llama/adapter_b",
                                 "lora_bad/gguf_wrong_shape.gguf"})
            a.model.add(QUrl::fromLocalFile(kModels + QLatin1String(path)));
        QTRY_COMPARE(added.size(), 3);
        QTRY_COMPARE(a.model.count(), 3);
    }
    void whatIsTickedStaysWhenTheListIsReadAgain() {
        Adapters a;
        QTRY_VERIFY(a.ready());
        a.add(QStringLiteral("lora_llama/adapter_a.gguf"));
        a.model.setChosen(0, true);
        a.model.setScale(0, 0.5);
        a.model.refresh();
        a.add(QStringLiteral("lora_llama/adapter_b"));
        QTRY_COMPARE(a.model.count(), 2);
        QVERIFY(a.at(0, AdapterListModel::ChosenRole).toBool());
        QCOMPARE(a.at(0, AdapterListModel::ScaleRole).toDouble(), 0.5);
        // A draft that was left is gone, with its strength.
        a.model.reset();
        QVERIFY(!a.at(0, AdapterListModel::ChosenRole).toBool());
        QCOMPARE(a.at(0, AdapterListModel::ScaleRole).toDouble(), 1.0);
    }
    void theAnswerRecordsWhatWroteItAndTheConversationKeepsIt() {
        Adapters a;
        QTRY_VERIFY(a.ready());
        a.add(QStringLiteral("lora_llama/adapter_b"));
        a.model.setChosen(0, true);
        a.model.setScale(0, 1.5);
        a.model.apply();
        const app::Message answer = a.ask(QStringLiteral("Hello"));
        QVERIFY(answer.facts.has_value());
        QCOMPARE(answer.facts->adapters.size(), 1);
        QCOMPARE(answer.facts->adapters[0].scale, 1.5);
        const auto kept = a.now([id = answer.conversationId](app::Database& db) {
            return app::AdapterStore(db).chosen(id);
        });
        QCOMPARE(kept.size(), 1);
        QCOMPARE(kept[0].scale, 1.5);
        // Another conversation has its own; coming back, this one's are there again.
        a.controller.openNew();
        QVERIFY(!a.model.active());
        a.controller.open(answer.conversationId);
        QTRY_VERIFY(a.model.active());
        QCOMPARE(a.at(0, AdapterListModel::ScaleRole).toDouble(), 1.5);
    }
    void comparingWritesSiblingsOfOneSeed() {
        Adapters a;
        QTRY_VERIFY(a.ready());
        a.add(QStringLiteral("lora_llama/adapter_a.gguf"));
        const app::Message plain = a.ask(QStringLiteral("Hello"));
        QVERIFY(plain.facts.has_value());
        QVERIFY(plain.facts->adapters.isEmpty());
        QVERIFY(!a.model.canCompare());
        a.model.setChosen(0, true);
        a.model.apply();
        QTRY_VERIFY(a.model.canCompare());
        QSignalSpy compared(&a.controller, &app::ConversationController::compared);
        a.model.compare();
        QTRY_COMPARE_WITH_TIMEOUT(compared.size(), 1, 20'000);
        const auto with = compared[0].at(0).value<app::Message>();
        const auto without = compared[0].at(1).value<app::Message>();
        QCOMPARE(with.parentId, plain.parentId);
        QCOMPARE(without.parentId, plain.parentId);
        QCOMPARE(with.facts->seed, without.facts->seed);
        QCOMPARE(with.facts->adapters.size(), 1);
        QVERIFY(without.facts->adapters.isEmpty());
        QVERIFY(with.text != without.text);
        QCOMPARE(a.model.textWith(), with.text);
    }
    void aComparisonThatWasLeftWritesNothingLater() {
        Adapters a;
        QTRY_VERIFY(a.ready());
        a.add(QStringLiteral("lora_llama/adapter_a.gguf"));
        a.model.setChosen(0, true);
        a.model.apply();
        const app::Message first = a.ask(QStringLiteral("Hello"));
        QTRY_VERIFY(a.model.canCompare());
        QSignalSpy compared(&a.controller, &app::ConversationController::compared);
        a.model.compare();
        a.controller.openNew();
        const auto answers = [&] {
            return a.now([id = first.conversationId](app::Database& db) {
                return app::MessageStore(db).all(id);
            });
        };
        // Its first answer may have been begun before; it ends, and nothing follows it.
        a.now([](app::Database&) { return ok(); });
        QCoreApplication::processEvents();
        QTRY_VERIFY(!a.controller.isAnswering(first.conversationId));
        a.controller.open(first.conversationId);
        QTRY_COMPARE(a.controller.conversationId(), first.conversationId);
        QVERIFY(!a.controller.isAnswering());
        const auto before = answers().size();
        a.ask(QStringLiteral("And now?"));
        QTRY_VERIFY(!a.controller.isAnswering());
        QTest::qWait(300);
        QCOMPARE(answers().size(), before + 2);
        QCOMPARE(compared.size(), 0);
    }
};

QTEST_MAIN(AdapterListModelTest)
#include "adapter_list_model_test.moc"
