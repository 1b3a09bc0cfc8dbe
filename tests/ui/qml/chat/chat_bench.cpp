// Prints what the chat view costs on this machine: opening and jumping in a conversation of 10,000
// messages, and the work of the window's thread per update while an answer is written in it.
// Numbers to look at, nothing fails.
#include "tests/ui/qml/chat/demo_conversation.h"
#include "ui/models/blocks/block_list_model.h"

#include <QElapsedTimer>
#include <QGuiApplication>
#include <QQmlApplicationEngine>
#include <QQuickItem>
#include <QQuickStyle>
#include <QQuickWindow>
#include <QtQml/qqmlextensionplugin.h>

#include <algorithm>
#include <cstdio>
#include <functional>

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
    ChatView { id: chat; anchors.fill: parent; messages: root.rows }
}
)";

double quantile(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[size_t(share * double(values.size() - 1))];
}

struct Bench {
    QQuickWindow* window = nullptr;
    BlockListModel* rows = nullptr;
    QObject* view = nullptr;

    double timed(const std::function<void()>& work) const {
        QElapsedTimer timer;
        timer.start();
        work();
        for (int i = 0; i < 3; ++i)
            QCoreApplication::processEvents();
        window->grabWindow();
        return double(timer.nsecsElapsed()) / 1e6;
    }

    void stream(const char* name, int updates, const std::function<QString(int)>& piece) const {
        rows->setMessages(test::longConversation(10'000));
        app::Message answer;
        answer.id = 1'000'000;
        answer.role = app::Role::Assistant;
        answer.state = app::MessageState::Writing;
        rows->addMessage(answer);
        timed([] {});
        std::vector<double> work;
        std::vector<double> frame;
        for (int i = 0; i < updates; ++i) {
            QElapsedTimer timer;
            timer.start();
            rows->appendText(answer.id, piece(i));
            rows->flush();
            QCoreApplication::processEvents();
            work.push_back(double(timer.nsecsElapsed()) / 1e6);
            window->grabWindow();
            frame.push_back(double(timer.nsecsElapsed()) / 1e6);
        }
        const auto tenth = std::ptrdiff_t(work.size() / 10);
        const double first = quantile({work.begin(), work.begin() + tenth}, 0.5);
        const double last = quantile({work.end() - tenth, work.end()}, 0.5);
        std::printf("%-22s work p50 %.1f p95 %.1f ms, with frame p95 %.1f longest %.1f ms, "
                    "last/first tenth %.2f\n",
                    name, quantile(work, 0.5), quantile(work, 0.95), quantile(frame, 0.95),
                    quantile(frame, 1), last / std::max(first, 1e-3));
    }
};

} // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("QT_QUICK_BACKEND", "software");
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    QGuiApplication application(argc, argv);
    QQuickStyle::setStyle(QStringLiteral("Basic"));
    QQmlApplicationEngine engine;
    engine.addImportPath(QStringLiteral("qrc:/qt/qml"));
    engine.loadData(kScene);
    if (engine.rootObjects().isEmpty())
        return 1;
    Bench bench;
    bench.window = qobject_cast<QQuickWindow*>(engine.rootObjects().first());
    bench.rows = bench.window->property("rows").value<BlockListModel*>();
    bench.view = bench.window->property("view").value<QObject*>();
    const QVector<app::Message> messages = test::longConversation(10'000);
    std::printf("U7 open at the end     %.0f ms\n",
                bench.timed([&] { bench.rows->setMessages(messages); }));
    std::printf("U7 jump to the start   %.0f ms\n",
                bench.timed([&] { QMetaObject::invokeMethod(bench.view, "goToStart"); }));
    std::vector<double> pages;
    for (int i = 0; i < 200; ++i)
        pages.push_back(bench.timed(
            [&] { QMetaObject::invokeMethod(bench.view, "moveBy", Q_ARG(double, 640.0)); }));
    std::printf("U8 page                p50 %.1f p95 %.1f ms\n", quantile(pages, 0.5),
                quantile(pages, 0.95));
    // 60 tokens a second at 30 updates a second: two words each.
    bench.stream("U3 U4 words", 600, [](int i) {
        return i % 40 == 39 ? QStringLiteral(" end.\n\n") : QStringLiteral(" two **words**");
    });
    bench.stream("U5 code, 3,000 lines", 3000, [](int i) {
        return i == 0 ? QStringLiteral("```cpp\n")
                      : QStringLiteral("int value_%1 = compute(%1); // line\n").arg(i);
    });
    bench.stream("U5 table, 500 rows", 500, [](int i) {
        return i == 0 ? QStringLiteral("| a | b | c |\n|---|---|---|\n")
                      : QStringLiteral("| row %1 | **x** | some text |\n").arg(i);
    });
    bench.stream("U5 long reasoning", 2000, [](int i) {
        return i == 0 ? QStringLiteral("<think>\n")
               : i % 30 == 29
                   ? QStringLiteral(" end.\n\n")
                   : QStringLiteral(" ten words of thought come with each of the updates");
    });
    return 0;
}
