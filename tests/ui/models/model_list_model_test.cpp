#include "app_fixture.h"
#include "ui/models/model_bar_model.h"
#include "ui/models/model_list_model.h"

#include <QDir>
#include <QFile>
#include <QSignalSpy>

using namespace alcove;
using ui::ModelBarModel;
using ui::ModelListModel;

class ModelListModelTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aFileThatIsNoModelIsRefusedWithAReason() {
        AppFixture app;
        ModelListModel models(app.library, app.controller);
        QFile file(app.dir.filePath(QStringLiteral("notes.gguf")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("PK\3\4 this is an archive");
        file.close();
        models.add(QUrl::fromLocalFile(file.fileName()));
        QTRY_VERIFY(models.failure().present());
        QVERIFY(models.failure().text.contains(QStringLiteral("notes.gguf")));
        QVERIFY(!models.failure().details.isEmpty());
        QCOMPARE(models.count(), 0);
        models.dropFailure();
        QVERIFY(!models.failure().present());
    }
    void aMissingFileIsRefusedWithAReason() {
        AppFixture app;
        ModelListModel models(app.library, app.controller);
        models.add(QUrl::fromLocalFile(app.dir.filePath(QStringLiteral("gone.gguf"))));
        QTRY_VERIFY(models.failure().present());
    }
    void anEmptyLibraryOffersNothingToPick() {
        AppFixture app;
        ModelListModel models(app.library, app.controller);
        models.rescan();
        QTRY_VERIFY(!models.scanning());
        QCOMPARE(models.count(), 0);
        QVERIFY(!models.pick(0));
        QVERIFY(!models.pick(-1));
        QVERIFY(!models.pickAnyway());
    }
    void withoutAModelTheButtonAsksForOne() {
        AppFixture app;
        const ModelBarModel bar(app.controller, app.engine);
        QCOMPARE(bar.state(), ModelBarModel::State::None);
        QCOMPARE(bar.text(), QStringLiteral("Choose a model"));
        QVERIFY(bar.actionText().isEmpty());
        QVERIFY(!bar.failure().present());
    }
};

QTEST_MAIN(ModelListModelTest)
#include "model_list_model_test.moc"
