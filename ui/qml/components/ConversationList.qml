pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Alcove.Models
import Alcove.Ui

// The list of conversations with its head and foot. One Tab stop: arrows move, Enter opens, F2 renames, Delete deletes.
Rectangle {
    id: root

    required property AppModel app
    required property Actions actions
    property bool drawer: false

    signal opened

    color: Theme.window
    Accessible.role: Accessible.Pane
    Accessible.name: qsTr("Conversations")

    function focusList() {
        list.forceActiveFocus(Qt.TabFocusReason);
        list.byKeyboard = true;
    }

    function renameCurrent() {
        if (list.activeFocus && list.currentIndex >= 0)
            root.rename(root.app.conversations.idAt(list.currentIndex));
        else
            root.rename(root.app.conversations.currentId);
    }

    ColumnLayout {
        anchors.fill: parent
        spacing: 0

        RowLayout {
            Layout.fillWidth: true
            Layout.preferredHeight: Theme.bar
            Layout.leftMargin: Theme.space12
            Layout.rightMargin: Theme.space8
            spacing: Theme.space8

            Image {
                source: Theme.iconSource("io.github.alcove.Alcove")
                sourceSize.width: width
                sourceSize.height: height
                Layout.preferredWidth: Theme.space24
                Layout.preferredHeight: Theme.space24
                Accessible.ignored: true
            }
            Text {
                text: qsTr("Alcove")
                textFormat: Text.PlainText
                font: Theme.title
                color: Theme.text
                elide: Text.ElideRight
                Layout.fillWidth: true
            }
            IconButton {
                symbol: "new-chat"
                strong: true
                text: root.actions.newConversation.text
                hint: qsTr("%1 (%2)", "action, key").arg(root.actions.newConversation.text).arg("Ctrl+N")
                onClicked: {
                    root.actions.newConversation.trigger();
                    root.opened();
                }
            }
        }

        ListView {
            id: list

            property bool byKeyboard: false
            property var renamingId: 0

            Layout.fillWidth: true
            Layout.fillHeight: true
            clip: true
            model: root.app.conversations
            reuseItems: true
            cacheBuffer: height
            boundsBehavior: Flickable.StopAtBounds
            activeFocusOnTab: true
            keyNavigationEnabled: true
            highlightMoveDuration: 0
            currentIndex: root.app.conversations.currentRow
            bottomMargin: Theme.space8
            Accessible.role: Accessible.List
            Accessible.name: qsTr("Conversations, most recent first")
            Keys.onReturnPressed: root.openRow(list.currentIndex)
            Keys.onEnterPressed: root.openRow(list.currentIndex)
            Keys.onDeletePressed: root.app.conversations.remove(root.app.conversations.idAt(list.currentIndex))
            Keys.onMenuPressed: root.showMenu(list.currentIndex, list, Theme.space24, list.currentItem ? list.currentItem.y - list.contentY + list.currentItem.height : 0)
            Keys.onPressed: event => {
                list.byKeyboard = true;
                if (event.key === Qt.Key_F10 && event.modifiers & Qt.ShiftModifier) {
                    event.accepted = true;
                    root.showMenu(list.currentIndex, list, Theme.space24, list.currentItem ? list.currentItem.y - list.contentY + list.currentItem.height : 0);
                }
            }
            onActiveFocusChanged: {
                if (list.activeFocus && list.currentIndex < 0 && list.count > 0)
                    list.currentIndex = 0;
            }

            section.property: "section"
            // From a file: Qt 6.4 cannot make a section from a component that is bound to this one. The parent keeps it
            // alive: the list holds no reference that the garbage collector sees.
            section.delegate: Qt.createComponent("SectionHeading.qml", Component.PreferSynchronous, list)

            delegate: ConversationRow {
                id: row

                width: ListView.view.width
                keyboardHere: list.activeFocus && list.byKeyboard && ListView.isCurrentItem && list.renamingId === 0
                renaming: list.renamingId !== 0 && list.renamingId === row.conversationId
                onClicked: {
                    list.byKeyboard = false;
                    root.openRow(row.index);
                }
                onMenuRequested: (x, y) => root.showMenu(row.index, row, x, y)
            }

            T.ScrollBar.vertical: AppScrollBar {}
            onContentYChanged: root.endRename()

            // One field for all rows, laid over the row that is renamed.
            AppTextField {
                id: renameField

                name: qsTr("New title of the conversation")
                maximumLength: 200
                x: Theme.space8
                width: list.width - 2 * Theme.space8
                visible: list.renamingId !== 0
                z: 2
                Keys.onEscapePressed: root.endRename()
                onAccepted: {
                    const id = list.renamingId;
                    root.endRename();
                    root.app.conversations.rename(id, renameField.text);
                }
                onActiveFocusChanged: {
                    if (!renameField.activeFocus)
                        list.renamingId = 0;
                }
            }

            // Where the rows would be: nothing for the first moments, then their outline.
            Column {
                anchors.fill: parent
                anchors.topMargin: Theme.space24
                visible: placeholderTimer.late && root.app.conversations.state === ConversationListModel.Loading
                         && list.count === 0

                Repeater {
                    model: 8

                    Item {
                        required property int index

                        width: parent.width
                        height: 44 * Theme.textScale

                        Rectangle {
                            x: Theme.space16
                            anchors.verticalCenter: parent.verticalCenter
                            width: parent.width * (0.7 - 0.08 * (parent.index % 4))
                            height: Theme.space12
                            radius: Theme.radiusControl
                            color: Theme.pressed
                        }
                    }
                }
            }
            Timer {
                id: placeholderTimer

                property bool late: false

                interval: 300
                running: root.app.conversations.state === ConversationListModel.Loading
                onTriggered: late = true
            }

            ColumnLayout {
                x: Theme.space16
                y: Theme.space24
                width: parent.width - 2 * Theme.space16
                spacing: Theme.space8
                visible: list.count === 0 && root.app.conversations.state !== ConversationListModel.Loading

                Text {
                    text: root.app.conversations.state === ConversationListModel.Failed
                          ? qsTr("Could not read the list. %1").arg(root.app.conversations.failure)
                          : qsTr("No conversations yet. Ctrl+N starts one.")
                    textFormat: Text.PlainText
                    font: Theme.label
                    color: Theme.text2
                    wrapMode: Text.Wrap
                    Layout.fillWidth: true
                    Accessible.role: Accessible.StaticText
                    Accessible.name: text
                }
                AppButton {
                    text: qsTr("Try again")
                    symbol: "again"
                    visible: root.app.conversations.state === ConversationListModel.Failed
                    onClicked: root.app.conversations.load()
                }
            }
        }

        Rectangle {
            Layout.fillWidth: true
            Layout.preferredHeight: Theme.line
            color: Theme.hairline
            Accessible.ignored: true
        }
        RowLayout {
            Layout.fillWidth: true
            Layout.margins: Theme.space8
            spacing: Theme.space4

            AppButton {
                id: appearanceButton

                kind: AppButton.Quiet
                symbol: "appearance"
                text: root.actions.appearance.text
                onClicked: root.actions.appearance.trigger()
            }
            Item {
                Layout.fillWidth: true
            }
            IconButton {
                symbol: "keyboard"
                text: root.actions.showKeys.text
                onClicked: root.actions.showKeys.trigger()
            }
        }
    }

    AppMenu {
        id: menu

        property var conversationId: 0

        title: qsTr("Conversation")

        AppMenuItem {
            text: qsTr("Open")
            symbol: "chevron-right"
            keys: qsTr("Enter")
            onTriggered: {
                root.app.open(menu.conversationId);
                root.opened();
            }
        }
        AppMenuItem {
            text: qsTr("Rename")
            symbol: "edit"
            keys: "F2"
            onTriggered: root.rename(menu.conversationId)
        }
        AppMenuItem {
            text: qsTr("Delete")
            symbol: "trash"
            keys: qsTr("Del")
            danger: true
            onTriggered: root.app.conversations.remove(menu.conversationId)
        }
    }

    function rename(id: var) {
        const row = root.app.conversations.rowOf(id);
        if (row < 0)
            return;
        list.positionViewAtIndex(row, ListView.Contain);
        const item = list.itemAtIndex(row);
        renameField.y = item.mapToItem(list, 0, (item.height - renameField.height) / 2).y;
        renameField.text = root.app.conversations.titleOf(id);
        list.renamingId = id;
        renameField.forceActiveFocus(Qt.OtherFocusReason);
        renameField.selectAll();
    }

    function endRename() {
        if (list.renamingId === 0)
            return;
        list.renamingId = 0;
        root.app.focusComposer();
    }

    function openRow(row: int) {
        const id = root.app.conversations.idAt(row);
        if (id === 0)
            return;
        root.app.open(id);
        root.opened();
    }

    function showMenu(row: int, item: Item, x: real, y: real) {
        if (row < 0)
            return;
        menu.conversationId = root.app.conversations.idAt(row);
        const at = item.mapToItem(root, x, y);
        menu.popup(root, at.x, at.y);
    }
}
