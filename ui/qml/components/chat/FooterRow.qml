pragma ComponentBehavior: Bound
import QtQuick
import Alcove.Models
import Alcove.Ui

// What can be done with a message. The buttons are always there, so that the order of Tab never changes; they are seen
// with the last answer, under the pointer and with the keyboard.
ChatRow {
    id: root

    required property string title
    required property string detail
    required property bool flag
    required property int sibling
    required property int siblings
    required property bool canContinue

    readonly property bool growing: root.flag
    readonly property bool lastAnswer: root.messageId === root.chat.messages.lastAnswerId
    readonly property bool marked: root.chat.keyboard && root.chat.currentMessage === root.messageId
    readonly property bool seen: !root.growing && (root.lastAnswer || root.marked || root.chat.hoveredMessage === root.messageId)
    readonly property int reach: root.marked ? Qt.StrongFocus : Qt.ClickFocus

    inPanel: false
    contentHeight: Theme.control

    Row {
        id: bar

        x: root.mine ? root.chat.columnX + root.chat.columnWidth - width : root.bodyX - Theme.space4
        y: root.bodyY
        layoutDirection: root.mine ? Qt.RightToLeft : Qt.LeftToRight

        Row {
            visible: root.siblings > 1
            opacity: root.growing ? 0 : 1

            IconButton {
                symbol: "chevron-left"
                text: qsTr("Earlier version")
                enabled: root.sibling > 1 && !root.growing
                focusPolicy: root.reach
                Accessible.name: text
                onClicked: root.chat.branchRequested(root.messageId, -1)
            }
            Text {
                text: qsTr("%1/%2").arg(root.sibling).arg(root.siblings)
                textFormat: Text.PlainText
                font: Theme.small
                color: Theme.text2
                height: Theme.control
                verticalAlignment: Text.AlignVCenter
                Accessible.role: Accessible.StaticText
                Accessible.name: qsTr("Version %1 of %2").arg(root.sibling).arg(root.siblings)
            }
            IconButton {
                symbol: "chevron-right"
                text: qsTr("Later version")
                enabled: root.sibling < root.siblings && !root.growing
                focusPolicy: root.reach
                Accessible.name: text
                onClicked: root.chat.branchRequested(root.messageId, 1)
            }
        }
        Text {
            visible: root.mine
            text: root.title
            textFormat: Text.PlainText
            font: Theme.small
            color: Theme.text2
            height: Theme.control
            leftPadding: Theme.space8
            verticalAlignment: Text.AlignVCenter
            Accessible.role: Accessible.StaticText
            Accessible.name: text
        }
        Row {
            opacity: root.seen ? 1 : 0

            IconButton {
                id: copyButton

                property bool done: false

                symbol: copyButton.done ? "check" : "copy"
                text: copyButton.done ? qsTr("Copied") : root.mine ? qsTr("Copy message") : qsTr("Copy answer")
                enabled: !root.growing
                focusPolicy: root.reach
                Accessible.name: text
                onClicked: {
                    root.chat.messages.copyMessage(root.messageId);
                    copyButton.done = true;
                    settle.restart();
                }

                Timer {
                    id: settle

                    interval: 1500
                    onTriggered: copyButton.done = false
                }
            }
            IconButton {
                symbol: "edit"
                text: root.mine ? qsTr("Edit message") : qsTr("Edit answer")
                enabled: !root.growing
                focusPolicy: root.reach
                Accessible.name: text
                onClicked: root.chat.editRequested(root.messageId)
            }
            IconButton {
                visible: !root.mine
                symbol: "again"
                text: qsTr("Write again")
                enabled: !root.growing
                focusPolicy: root.reach
                Accessible.name: text
                onClicked: root.chat.againRequested(root.messageId)
            }
            AppButton {
                visible: root.canContinue
                kind: AppButton.Quiet
                symbol: "continue"
                text: qsTr("Continue")
                Accessible.name: qsTr("Continue the answer")
                onClicked: root.chat.continueRequested(root.messageId)
            }
            IconButton {
                id: moreButton

                symbol: "more"
                text: qsTr("More for this message")
                enabled: !root.growing
                focusPolicy: root.reach
                Accessible.name: text
                onClicked: root.chat.menuRequested(root.messageId, moreButton)
            }
        }
    }
    Text {
        visible: !root.mine && !root.growing
        x: root.bodyX + root.bodyWidth - width
        y: root.bodyY
        width: Math.max(0, Math.min(implicitWidth, root.bodyWidth - bar.width - Theme.space8))
        height: Theme.control
        verticalAlignment: Text.AlignVCenter
        text: root.marked && root.title !== "" ? root.detail + " \u00b7 " + root.title : root.title
        textFormat: Text.PlainText
        font: Theme.small
        color: Theme.text2
        elide: Text.ElideLeft
        Accessible.role: Accessible.StaticText
        Accessible.name: root.title === "" ? root.detail : root.title + ", " + root.detail
    }
}
