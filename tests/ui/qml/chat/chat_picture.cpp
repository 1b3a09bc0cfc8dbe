// Draws the chat view with a conversation that has everything to PNG files: light, dark, 200 %,
// narrow.
//   chat_picture FOLDER
#include "tests/ui/qml/chat/demo_conversation.h"
#include "ui/models/blocks/block_list_model.h"

#include <QGuiApplication>
#include <QQmlApplicationEngine>
#include <QQuickStyle>
#include <QQuickWindow>
#include <QTimer>
#include <QtQml/qqmlextensionplugin.h>

#include <cstdio>

Q_IMPORT_QML_PLUGIN(Alcove_ModelsPlugin)
Q_IMPORT_QML_PLUGIN(Alcove_UiPlugin)

namespace {

struct Picture {
    const char* name;
    int scheme;
    double scale;
    int width;
    int height;
    bool atEnd;
};

constexpr Picture kPictures[] = {
    {"light-top", 0, 1, 760, 900, false},    {"light-end", 0, 1, 760, 900, true},
    {"light-middle", 0, 1, 760, 900, false}, {"dark-top", 1, 1, 760, 900, false},
    {"dark-end", 1, 1, 760, 900, true},      {"big-top", 0, 2, 1366, 768, false},
    {"narrow-end", 0, 1, 480, 700, true},
};

void settle() {
    for (int i = 0; i < 15; ++i) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }
}

constexpr char kScene[] = R"(
import QtQuick
import Alcove.Models
import Alcove.Ui
Window {
    id: root
    property BlockListModel rows: BlockListModel { assistantName: "SmolLM2" }
    property int scheme: 0
    property real textScale: 1
    visible: true
    color: Theme.surface
    onSchemeChanged: Theme.scheme = scheme
    onTextScaleChanged: Theme.textScale = textScale
    Component.onCompleted: { Theme.bodyFamily = "Inter"; Theme.codeFamily = "JetBrains Mono" }
    ChatView { id: view; objectName: "view"; anchors.fill: parent; messages: root.rows }
    function show(place) {
        if (place === 1) view.follow();
        else if (place === 0) view.goToStart();
        else view.moveBy(760);
    }
}
)";

} // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("QT_QUICK_BACKEND", "software");
    QGuiApplication application(argc, argv);
    QQuickStyle::setStyle(QStringLiteral("Basic"));
    QQmlApplicationEngine engine;
    engine.addImportPath(QStringLiteral("qrc:/qt/qml"));
    engine.loadData(kScene);
    if (argc != 2 || engine.rootObjects().isEmpty()) {
        std::fputs("chat_picture: usage: chat_picture FOLDER\n", stderr);
        return 2;
    }
    auto* window = qobject_cast<QQuickWindow*>(engine.rootObjects().first());
    auto* rows = window->property("rows").value<alcove::ui::BlockListModel*>();
    window->resize(760, 900);
    rows->setMessages(alcove::ui::test::demoConversation());
    settle();
    for (const Picture& picture : kPictures) {
        window->resize(picture.width, picture.height);
        window->setProperty("scheme", picture.scheme);
        window->setProperty("textScale", picture.scale);
        settle();
        const QByteArray name(picture.name);
        const int place = name.endsWith("middle") ? 2 : picture.atEnd ? 1 : 0;
        if (place == 2)
            QMetaObject::invokeMethod(window, "show", Q_ARG(QVariant, 0));
        settle();
        QMetaObject::invokeMethod(window, "show", Q_ARG(QVariant, place));
        settle();
        const QString file = QString::fromLocal8Bit(argv[1]) + u'/' + QString::fromLatin1(name) +
                             QStringLiteral(".png");
        if (!window->grabWindow().save(file)) {
            std::fprintf(stderr, "chat_picture: cannot write %s\n", qPrintable(file));
            return 1;
        }
    }
    return 0;
}
