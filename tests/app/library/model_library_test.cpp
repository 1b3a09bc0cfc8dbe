#include "app/library/model_library.h"

#include "app/library/file_hash.h"
#include "app/library/model_scan.h"
#include "app/store/model_store.h"

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace alcove;
using namespace alcove::app;

namespace {

const QString kTiny = QStringLiteral(ALCOVE_TEST_DATA "/models/llama/model.gguf");

void write(const QString& path, const QByteArray& content) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(content);
}

} // namespace

class ModelLibraryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(QDir(m_folder->path()).mkpath(QStringLiteral("models/deeper")));
    }

    void filesAreRecognisedByContentAtAnyDepthAndLoopsAreCut() {
        QVERIFY(QFile::copy(
            kTiny, models(QStringLiteral("sha256-0123456789")))); // as other stores name them
        QVERIFY(QFile::copy(kTiny, models(QStringLiteral("deeper/b.gguf"))));
        QVERIFY(QFile::copy(kTiny, models(QStringLiteral("c.gguf.part"))));
        QVERIFY(QFile::copy(kTiny, models(QStringLiteral("d-00002-of-00003.gguf"))));
        write(models(QStringLiteral("e.gguf")), "PK\3\4 a ZIP archive");
        QVERIFY(QFile::link(models(), models(QStringLiteral("deeper/loop"))));
        const auto found = findModelFiles(models());
        QCOMPARE(*found, (QStringList{models(QStringLiteral("deeper/b.gguf")),
                                      models(QStringLiteral("sha256-0123456789"))}));
        QVERIFY(findModelFiles(m_folder->filePath(QStringLiteral("absent")))->isEmpty());
        QVERIFY(!findModelFiles(kTiny));
    }

    void addingSaysWhyAFileIsNoModel() {
        auto database = Database::open(m_folder->filePath(QStringLiteral("alcove.db"))).value();
        write(models(QStringLiteral("zip.gguf")),
              "PK\3\4 a ZIP archive, and a long one so that it is no header");
        const auto zip = addModel(*database, models(QStringLiteral("zip.gguf")));
        QVERIFY(!zip);
        QVERIFY2(QByteArray::fromStdString(zip.error().message).contains("zip.gguf"),
                 zip.error().message.c_str());
        QCOMPARE(addModel(*database, models(QStringLiteral("absent.gguf"))).error().code,
                 Errc::NotFound);
        QVERIFY(ModelStore(*database).list()->isEmpty());
        const auto tiny = addModel(*database, kTiny);
        QVERIFY(tiny);
        QVERIFY(tiny->runnable);
        QVERIFY(tiny->addedByHand);
        QCOMPARE(tiny->architecture, QStringLiteral("llama"));
        QCOMPARE(tiny->fileBytes, QFileInfo(kTiny).size());
    }

    void syncKeepsWhatIsAwayAndTellsWhatFits() {
        auto database = Database::open(m_folder->filePath(QStringLiteral("alcove.db"))).value();
        QVERIFY(QFile::copy(kTiny, models(QStringLiteral("a.gguf"))));
        QFile whole(kTiny);
        QVERIFY(whole.open(QIODevice::ReadOnly));
        write(models(QStringLiteral("cut.gguf")), whole.read(whole.size() / 2));
        auto list = syncLibrary(*database, models());
        QVERIFY(list);
        QCOMPARE(list->size(), 2);
        const LibraryModel& good = list->at(0).record.runnable ? list->at(0) : list->at(1);
        const LibraryModel& cut = list->at(0).record.runnable ? list->at(1) : list->at(0);
        QVERIFY(good.memoryNeeded > good.record.fileBytes);
        QCOMPARE(good.fit, Fit::Fits);
        QVERIFY(!cut.record.reason.isEmpty());
        QCOMPARE(cut.fit, Fit::Unknown);
        // The copy is complete now; the other one is on a drive that is not connected.
        QVERIFY(QFile::remove(models(QStringLiteral("cut.gguf"))));
        QVERIFY(QFile::copy(kTiny, models(QStringLiteral("cut.gguf"))));
        QVERIFY(QFile::rename(models(QStringLiteral("a.gguf")),
                              m_folder->filePath(QStringLiteral("a.gguf"))));
        list = syncLibrary(*database, models());
        QCOMPARE(list->size(), 2);
        for (const LibraryModel& model : *list) {
            QVERIFY(model.record.runnable);
            QCOMPARE(model.away, model.record.path.endsWith(QLatin1String("a.gguf")));
        }
    }

    void namesAreResolved() {
        auto database = Database::open(m_folder->filePath(QStringLiteral("alcove.db"))).value();
        QVERIFY(QFile::copy(kTiny, models(QStringLiteral("My-Model.Q4.gguf"))));
        QVERIFY(syncLibrary(*database, models()));
        const QString path = models(QStringLiteral("My-Model.Q4.gguf"));
        QCOMPARE(*resolveModel(*database, path), path);
        QCOMPARE(*resolveModel(*database, QStringLiteral("my-model.q4.gguf")), path);
        QCOMPARE(*resolveModel(*database, QStringLiteral("My-Model.Q4")), path);
        QCOMPARE(*resolveModel(*database, ModelStore(*database).list()->at(0).name), path);
        const auto unknown = resolveModel(*database, QStringLiteral("nothing"));
        QCOMPARE(unknown.error().code, Errc::NotFound);
        QVERIFY(QByteArray::fromStdString(unknown.error().message).contains("nothing"));
    }

    void fitComparesWithWhatIsFree() {
        QCOMPARE(fitOf(0, 100), Fit::Unknown);
        QCOMPARE(fitOf(80, 100), Fit::Fits);
        QCOMPARE(fitOf(81, 100), Fit::Tight);
        QCOMPARE(fitOf(100, 100), Fit::Tight);
        QCOMPARE(fitOf(101, 100), Fit::TooBig);
    }

    void aFileThatArrivesIsFoundByItself() {
        StoreThread store(m_folder->filePath(QStringLiteral("alcove.db")));
        ModelLibrary library(store, models());
        QSignalSpy changed(&library, &ModelLibrary::changed);
        library.rescan();
        library.rescan(); // while the first runs: once more after it
        QTRY_COMPARE(changed.size(), 2);
        QVERIFY(library.models().isEmpty());
        QVERIFY(QFile::copy(kTiny, models(QStringLiteral("new.gguf"))));
        QTRY_COMPARE_WITH_TIMEOUT(library.models().size(), 1, 20'000);
        QVERIFY(!library.models().at(0).record.addedByHand);
        const RowId id = library.models().at(0).record.id;
        library.forget(id);
        QTRY_VERIFY(library.models().isEmpty());
        QSignalSpy scanning(&library, &ModelLibrary::scanningChanged);
        library.rescan();
        QTRY_COMPARE(scanning.size(), 2);
        QVERIFY(library.models().isEmpty()); // forgotten stays forgotten
        QVERIFY(QFile::exists(models(QStringLiteral("new.gguf"))));
        QSignalSpy added(&library, &ModelLibrary::added);
        QSignalSpy failed(&library, &ModelLibrary::addFailed);
        library.add(models(QStringLiteral("new.gguf")));
        library.add(models(QStringLiteral("absent.gguf")));
        QTRY_COMPARE(added.size(), 1);
        QTRY_COMPARE(failed.size(), 1);
        QTRY_COMPARE(library.models().size(), 1);
    }

    void fileHashIsSha256() {
        const std::atomic<bool> go{false};
        write(models(QStringLiteral("abc")), "abc");
        QCOMPARE(
            *fileSha256(models(QStringLiteral("abc")), go),
            QStringLiteral("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
        QCOMPARE(fileSha256(models(QStringLiteral("absent")), go).error().code, Errc::Io);
        const std::atomic<bool> stop{true};
        QCOMPARE(fileSha256(models(QStringLiteral("abc")), stop).error().code, Errc::Cancelled);
    }

private:
    QString models(const QString& name = {}) const {
        return m_folder->filePath(QStringLiteral("models")) +
               (name.isEmpty() ? QString() : QLatin1Char('/') + name);
    }
    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(ModelLibraryTest)
#include "model_library_test.moc"
