pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Alcove.Models
import Alcove.Ui

// The window. Three layouts by the width of its content in logical pixels divided by the text scale.
T.ApplicationWindow {
    id: root

    required property AppModel app

    readonly property real scaledWidth: root.width / Theme.textScale
    readonly property bool wide: root.scaledWidth >= 1160
    readonly property bool narrow: root.scaledWidth < 760
    readonly property WindowPlacement placement: root.app.placement
    readonly property bool listShown: root.narrow ? listDrawer.opened : root.placement.listOpen
    readonly property bool inspectorShown: root.wide ? root.placement.inspectorOpen : inspectorDrawer.opened

    // The drawers and popups that the checks open by name.
    property alias chat: page
    property alias appearancePopover: appearance
    property alias keysPopup: keys
    readonly property AdapterPicker adapterPicker: page.adapterPicker
    property alias listPane: listDrawer
    property alias inspectorPane: inspectorDrawer

    title: root.app.empty ? qsTr("Alcove") : qsTr("%1 \u2014 Alcove", "conversation").arg(root.app.title)
    x: root.placement.geometry.x
    y: root.placement.geometry.y
    width: root.placement.geometry.width
    height: root.placement.geometry.height
    minimumWidth: 480
    minimumHeight: 400
    color: Theme.window
    palette.window: Theme.window
    palette.windowText: Theme.text
    palette.base: Theme.surface
    palette.text: Theme.text
    palette.button: Theme.sunken
    palette.buttonText: Theme.text
    palette.highlight: Theme.accent
    palette.highlightedText: Theme.onAccent
    palette.mid: Theme.controlLine
    palette.dark: Theme.text2
    palette.light: Theme.surface
    font: Theme.body

    LayoutMirroring.enabled: Application.layoutDirection === Qt.RightToLeft
    LayoutMirroring.childrenInherit: true

    onClosing: {
        root.placement.keep(Qt.rect(root.x, root.y, root.width, root.height), root.visibility === Window.Maximized);
        root.app.finish();
    }
    onVisibilityChanged: root.app.setWindowShown(root.visibility !== Window.Hidden && root.visibility !== Window.Minimized)

    Binding {
        target: Theme
        property: "scheme"
        value: root.app.appearance.scheme
    }
    Binding {
        target: Theme
        property: "textScale"
        value: root.app.appearance.textPercent / 100
    }
    Binding {
        target: Theme
        property: "reducedMotion"
        value: root.app.appearance.reducedMotion
    }
    Binding {
        target: Theme
        property: "bodyFamily"
        value: root.app.appearance.bodyFamily
    }
    Binding {
        target: Theme
        property: "codeFamily"
        value: root.app.appearance.codeFamily
    }
    Connections {
        target: root.app

        function onModelNeeded() {
            page.openPicker();
        }

        function onFocusComposer() {
            page.focusComposer();
        }
    }
    // The rest of starting waits for the first frame.
    Connections {
        id: firstFrame

        property bool seen: false

        target: root
        enabled: !firstFrame.seen

        function onFrameSwapped() {
            firstFrame.seen = true;
            root.app.start();
            page.focusComposer();
        }
    }

    Actions {
        id: actions

        app: root.app
        popupOpen: T.Overlay.overlay !== null && T.Overlay.overlay.visibleChildren.length > (hint.visible ? 1 : 0)
        onPickModelRequested: page.openPicker()
        onPickAdaptersRequested: root.adapterPicker.open()
        onOpenFileRequested: fileDialog.active = true
        onInspectorRequested: {
            if (root.wide)
                root.placement.inspectorOpen = !root.placement.inspectorOpen;
            else
                inspectorDrawer.opened ? inspectorDrawer.close() : inspectorDrawer.open();
        }
        onListRequested: {
            if (root.narrow)
                listDrawer.opened ? listDrawer.close() : listDrawer.open();
            else
                root.placement.listOpen = !root.placement.listOpen;
        }
        onComposerRequested: page.focusComposer()
        onPaneRequested: step => root.stepPane(step)
        onRenameRequested: {
            if (root.narrow)
                listDrawer.open();
            else
                root.placement.listOpen = true;
            list.renameCurrent();
        }
        onAppearanceRequested: appearance.open()
        onCopyCodeRequested: root.app.messages.copyLastCode()
        onKeysRequested: keys.open()
        onQuitRequested: root.close()
    }

    ColumnLayout {
        anchors.fill: parent
        spacing: 0

        T.SplitView {
            id: split

            Layout.fillWidth: true
            Layout.fillHeight: true
            handle: PaneHandle {}

            Item {
                id: listPlace

                visible: !root.narrow && root.placement.listOpen
                T.SplitView.minimumWidth: 220 * Theme.textScale
                T.SplitView.maximumWidth: 400 * Theme.textScale
                T.SplitView.preferredWidth: root.placement.listWidth * Theme.textScale
                onWidthChanged: {
                    if (split.resizing)
                        root.placement.listWidth = width / Theme.textScale;
                }
            }
            ChatPage {
                id: page

                app: root.app
                actions: actions
                narrow: root.narrow
                listShown: root.listShown
                inspectorShown: root.inspectorShown
                T.SplitView.fillWidth: true
                T.SplitView.minimumWidth: Math.min(480 * Theme.textScale, root.width)
            }
            Item {
                id: inspectorPlace

                visible: root.wide && root.placement.inspectorOpen
                T.SplitView.minimumWidth: 260 * Theme.textScale
                T.SplitView.maximumWidth: 420 * Theme.textScale
                T.SplitView.preferredWidth: root.placement.inspectorWidth * Theme.textScale
                onWidthChanged: {
                    if (split.resizing)
                        root.placement.inspectorWidth = width / Theme.textScale;
                }
            }
        }
        StatusLine {
            app: root.app
            link: page.hoveredLink
            narrow: root.narrow
            Layout.fillWidth: true
        }
    }

    T.Drawer {
        id: listDrawer

        width: Math.min(300 * Theme.textScale, root.width - Theme.space48)
        height: root.height
        edge: Qt.LeftEdge
        interactive: root.narrow
        dim: true
        T.Overlay.modal: Rectangle {
            color: Theme.shade
        }
        enter: Transition {
            NumberAnimation {
                property: "position"
                to: 1
                duration: Theme.durationMove
                easing.type: Easing.OutCubic
            }
        }
        exit: Transition {
            NumberAnimation {
                property: "position"
                to: 0
                duration: Theme.durationMove
                easing.type: Easing.OutCubic
            }
        }
        contentItem: Item {
            id: listDrawerPlace
        }
    }
    T.Drawer {
        id: inspectorDrawer

        width: Math.min(320 * Theme.textScale, root.width - Theme.space48)
        height: root.height
        edge: Qt.RightEdge
        interactive: !root.wide
        dim: true
        T.Overlay.modal: Rectangle {
            color: Theme.shade
        }
        enter: Transition {
            NumberAnimation {
                property: "position"
                to: 1
                duration: Theme.durationMove
                easing.type: Easing.OutCubic
            }
        }
        exit: Transition {
            NumberAnimation {
                property: "position"
                to: 0
                duration: Theme.durationMove
                easing.type: Easing.OutCubic
            }
        }
        contentItem: Item {
            id: inspectorDrawerPlace
        }
    }
    // One of each, in the split view or in its drawer.
    ConversationList {
        id: list

        parent: root.narrow ? listDrawerPlace : listPlace
        anchors.fill: parent
        app: root.app
        actions: actions
        drawer: root.narrow
        onOpened: listDrawer.close()
    }
    Inspector {
        id: inspector

        parent: root.wide ? inspectorPlace : inspectorDrawerPlace
        anchors.fill: parent
        app: root.app
        drawer: !root.wide
    }
    onWideChanged: inspectorDrawer.close()
    onNarrowChanged: listDrawer.close()

    AppearancePopover {
        id: appearance

        app: root.app
        parent: T.Overlay.overlay
        x: Theme.space8
        y: parent ? parent.height - height - Theme.space48 - Theme.space32 : 0
    }
    KeysPopup {
        id: keys

        actions: actions
        parent: T.Overlay.overlay
    }

    Hint {
        id: hint

        parent: T.Overlay.overlay
    }
    DropArea {
        anchors.fill: parent
        keys: ["text/uri-list"]
        onEntered: drag => {
            root.app.drop.hold(drag.urls);
            drag.accept(Qt.LinkAction);
        }
        onExited: root.app.drop.leave()
        onDropped: drop => {
            const file = root.app.drop.usableFile();
            root.app.drop.leave();
            if (file.toString() !== "") {
                drop.accept(Qt.LinkAction);
                root.app.addFile(file);
            }
        }

        DropOverlay {
            anchors.fill: parent
            app: root.app
        }
    }

    Loader {
        id: fileDialog

        active: false
        asynchronous: false
        source: fileDialog.active ? "components/ModelFileDialog.qml" : ""
        onLoaded: (fileDialog.item as ModelFileDialog).open()

        Connections {
            target: fileDialog.item as ModelFileDialog

            function onAccepted() {
                root.app.addFile((fileDialog.item as ModelFileDialog).selectedFile);
                fileDialog.active = false;
            }

            function onRejected() {
                fileDialog.active = false;
            }
        }
    }

    function stepPane(step: int) {
        // List, chat, inspector in a ring, without those that are not shown.
        const shown = [!root.narrow && root.placement.listOpen, true, root.wide && root.placement.inspectorOpen];
        let at = root.holds(list, root.activeFocusItem) ? 0 : root.holds(inspector, root.activeFocusItem) ? 2 : 1;
        do
            at = (at + step + 3) % 3;
        while (!shown[at]);
        if (at === 0)
            list.focusList();
        else if (at === 1)
            page.focusComposer();
        else
            inspector.focusFirst();
    }

    function holds(pane: Item, item: Item): bool {
        for (let up = item; up !== null; up = up.parent) {
            if (up === pane)
                return true;
        }
        return false;
    }
}
