// The window program: builds the store, the engine, the view models and the window, connects them,
// and nothing else.
#include "app/engine/conversation_controller.h"
#include "app/instance.h"
#include "app/library/model_library.h"
#include "app/logging.h"
#include "app/paths.h"
#include "engine/format/mapping_guard.h"
#include "ui/models/app_model.h"
#include "ui/models/window_application.h"
#include "ui/qml/items/list_accessible.h"
#include "ui/qml/items/no_network.h"
#include "ui/qml/items/screen_check.h"

#include <QCommandLineParser>
#include <QDeadlineTimer>
#include <QFileInfo>
#include <QIcon>
#include <QJsonDocument>
#include <QQmlApplicationEngine>
#include <QQuickStyle>
#include <QQuickWindow>
#include <QScreen>
#include <QTranslator>
#include <QtQml/qqmlextensionplugin.h>

#include <cstdio>

Q_IMPORT_QML_PLUGIN(Alcove_ModelsPlugin)
Q_IMPORT_QML_PLUGIN(Alcove_UiPlugin)

using namespace alcove;

namespace {

constexpr int kBadInput = 1;
constexpr int kBadUsage = 2;
constexpr int kPatienceMs = 1000;
constexpr int kPatienceStepMs = 20;

struct Options {
    QString data;
    QStringList files; ///< absolute paths
    QString checkScreens, checkFolder, reportFile;
};

int fail(const QString& sentence, int status) {
    std::fprintf(stderr, "alcove: %s\n", qPrintable(sentence));
    return status;
}

QList<QRect> screenAreas() {
    QList<QRect> areas;
    for (const QScreen* screen : QGuiApplication::screens())
        areas << screen->availableGeometry();
    return areas;
}

// Prints help or version itself and then gives the status to leave with; negative: go on.
int readOptions(const QStringList& arguments, Options& options) {
    QCommandLineParser parser;
    parser.setApplicationDescription(
        QStringLiteral("Private chat with open language models, computed on your own processor."));
    const QCommandLineOption help = parser.addHelpOption();
    const QCommandLineOption version = parser.addVersionOption();
    const QCommandLineOption data(QStringLiteral("data"),
                                  QStringLiteral("Keep everything in this folder."),
                                  QStringLiteral("DIR"));
    const QCommandLineOption check(
        QStringLiteral("offscreen-check"),
        QStringLiteral(
            "Render screens to pictures and leave: a name, several with commas, or all."),
        QStringLiteral("SCREENS"));
    const QCommandLineOption checkOut(QStringLiteral("check-out"),
                                      QStringLiteral("Folder for --offscreen-check."),
                                      QStringLiteral("DIR"), QStringLiteral("."));
    const QCommandLineOption report(
        QStringLiteral("test-report"),
        QStringLiteral("Write how long the window's thread was held to this file at the end."),
        QStringLiteral("FILE"));
    parser.addOptions({data, check, checkOut, report});
    parser.addPositionalArgument(QStringLiteral("files"), QStringLiteral("Model files to add."),
                                 QStringLiteral("[files...]"));
    if (!parser.parse(arguments))
        return fail(parser.errorText(), kBadUsage);
    if (parser.isSet(help)) {
        std::fputs(qPrintable(parser.helpText()), stdout);
        return 0;
    }
    if (parser.isSet(version)) {
        std::printf("alcove %s\n", ALCOVE_VERSION);
        return 0;
    }
    options.data = parser.value(data);
    options.checkScreens = parser.value(check);
    options.checkFolder = parser.value(checkOut);
    options.reportFile = parser.value(report);
    for (const QString& file : parser.positionalArguments())
        options.files << QFileInfo(file).absoluteFilePath();
    return -1;
}

// Before an application object exists, because these answer without opening a display.
bool answersWithoutWindow(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        const QByteArray argument(argv[i]);
        if (argument == "--help" || argument == "-h" || argument == "--version" ||
            argument == "-v" || argument == "--help-all")
            return true;
    }
    return false;
}

bool hasDisplay() {
#ifdef Q_OS_LINUX
    return !qEnvironmentVariableIsEmpty("DISPLAY") ||
           !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") ||
           !qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM");
#else
    return true;
#endif
}

void addFiles(ui::AppModel& app, const QStringList& files) {
    for (const QString& file : files)
        app.addFile(QUrl::fromLocalFile(file));
}

void bringForward(QQuickWindow& window) {
    window.show();
    window.raise();
    window.requestActivate();
}

bool writeReport(const ui::WindowApplication& application, const QString& file) {
    QFile out(file);
    return out.open(QIODevice::WriteOnly) &&
           out.write(QJsonDocument(application.report()).toJson()) > 0;
}

// The window from its first to its last moment; gives the exit status.
int runWindow(ui::WindowApplication& application, const app::AppPaths& paths,
              app::Instance& instance, const Options& options) {
    app::StoreThread store(paths.database);
    app::EngineService engine;
    app::ConversationController controller(store, engine);
    app::ModelLibrary library(store, paths.models);
    ui::UiSettings settings(paths.data + QStringLiteral("/window.ini"));
    ui::AppModel app({store, engine, controller, library, settings, screenAreas()});

    QQuickStyle::setStyle(QStringLiteral("Basic"));
    ui::ListAccessible::install();
    ui::NoNetworkFactory noNetwork;
    QQmlApplicationEngine qml;
    qml.setNetworkAccessManagerFactory(&noNetwork);
    qml.addImportPath(QStringLiteral("qrc:/qt/qml"));
    qml.setInitialProperties({{QStringLiteral("app"), QVariant::fromValue(&app)}});
    qml.load(QUrl(QStringLiteral("qrc:/qt/qml/Alcove/Ui/Main.qml")));
    auto* window = qml.rootObjects().isEmpty()
                       ? nullptr
                       : qobject_cast<QQuickWindow*>(qml.rootObjects().first());
    if (window == nullptr)
        return fail(QStringLiteral("the window could not be made; the installation is incomplete"),
                    kBadInput);

    QObject::connect(&instance, &app::Instance::activated, window, [&](const QStringList& files) {
        addFiles(app, files);
        bringForward(*window);
    });
    QObject::connect(&app, &ui::AppModel::started, window, [&] {
        application.startedUp();
        addFiles(app, options.files);
    });
    QObject::connect(app.status(), &ui::StatusModel::changed, window, [&] {
        application.setPhase(QVariant::fromValue(app.status()->phase()).toString());
    });
    if (!options.checkScreens.isEmpty()) {
        auto* check =
            new ui::ScreenCheck(app, *window, options.checkScreens, options.checkFolder, window);
        QObject::connect(&app, &ui::AppModel::started, check, &ui::ScreenCheck::run);
        QObject::connect(check, &ui::ScreenCheck::finished, window,
                         [](bool ok) { QCoreApplication::exit(ok ? 0 : kBadInput); });
    }
    window->setVisible(true);
    const int status = QCoreApplication::exec();
    app.finish();
    // Stopped answers are stored as such; what does not stop in time is found as interrupted the
    // next time.
    const QDeadlineTimer patience(kPatienceMs);
    while (app.isAnswering() && !patience.hasExpired())
        QCoreApplication::processEvents(QEventLoop::ExcludeUserInputEvents, kPatienceStepMs);
    if (!options.reportFile.isEmpty() && !writeReport(application, options.reportFile))
        return fail(QStringLiteral("%1: could not be written").arg(options.reportFile), kBadInput);
    return status;
}

} // namespace

int main(int argc, char** argv) {
    // A model file that another program cuts short must not take the window with it.
    install_mapping_guard();
    QCoreApplication::setApplicationName(QStringLiteral("Alcove"));
    QCoreApplication::setApplicationVersion(QStringLiteral(ALCOVE_VERSION));
    Options options;
    if (answersWithoutWindow(argc, argv)) {
        const QCoreApplication bare(argc, argv);
        return readOptions(QCoreApplication::arguments(), options);
    }
    if (!hasDisplay())
        return fail(
            QStringLiteral(
                "there is no display to open a window on; `alcove-cli chat` works without one"),
            kBadInput);

    QGuiApplication::setHighDpiScaleFactorRoundingPolicy(
        Qt::HighDpiScaleFactorRoundingPolicy::PassThrough);
    QGuiApplication::setDesktopFileName(QStringLiteral("io.github.alcove.Alcove"));
    ui::WindowApplication application(argc, argv);
    if (const int status = readOptions(QCoreApplication::arguments(), options); status >= 0)
        return status;
    QTranslator english;
    if (english.load(QStringLiteral(":/i18n/alcove_en.qm")))
        QCoreApplication::installTranslator(&english);
    QGuiApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/io.github.alcove.Alcove.svg")));

    const Result<app::AppPaths> paths = app::resolvePaths(options.data);
    if (!paths)
        return fail(QString::fromStdString(paths.error().message), kBadInput);
    auto instance = app::Instance::acquire(*paths, options.files);
    if (!instance)
        return fail(QString::fromStdString(instance.error().message), kBadInput);
    if ((*instance)->handedOver())
        return 0;
    app::startLogging(*paths, app::LogTarget::File, false);
    const int status = runWindow(application, *paths, **instance, options);
    app::stopLogging();
    return status;
}
