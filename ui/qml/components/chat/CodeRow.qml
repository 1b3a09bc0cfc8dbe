pragma ComponentBehavior: Bound
import QtQuick
import Alcove.Models
import Alcove.Ui

// A code block, or a piece of a long one: the panel goes on from piece to piece.
ChatRow {
    id: root

    required property var content
    required property string title
    required property bool flag
    readonly property bool wrapped: root.flag
    required property int piece
    readonly property bool head: (root.piece & BlockListModel.First) !== 0
    readonly property bool tail: (root.piece & BlockListModel.Last) !== 0

    readonly property real indent: root.content.listDepth * Theme.space24
    readonly property real overflow: root.wrapped ? 0 : Math.max(0, edit.implicitWidth - frame.width)
    readonly property real sideways: Math.min(root.overflow, root.chat.sidewaysOf(root.messageId, root.content.group))
    readonly property real headHeight: root.head ? Theme.control + Theme.space4 : 0

    function offsetAt(x: real, y: real): int {
        return edit.offsetAt(x - frame.x - edit.x, y - frame.y);
    }

    function showCursor(overLink: bool) {
        edit.showCursor(overLink);
    }

    function scrollBy(pixels: real): bool {
        if (root.overflow === 0)
            return false;
        root.chat.scrollSideways(root.messageId, root.content.group, Math.max(0, Math.min(root.overflow, root.sideways + pixels)));
        return true;
    }

    function refreshSelection() {
        edit.refreshSelection();
    }

    contentHeight: root.headHeight + edit.height + (root.tail ? Theme.space12 : 0)

    PanelPiece {
        first: root.head
        last: root.tail
        x: root.bodyX + root.indent
        y: root.bodyY
        width: root.bodyWidth - root.indent
        height: root.contentHeight
        color: Theme.codePanel
        Accessible.ignored: false
        Accessible.role: Accessible.Grouping
        Accessible.name: root.accessibleName
    }
    Text {
        visible: root.head
        x: root.bodyX + root.indent + Theme.space12
        y: root.bodyY
        height: root.headHeight
        text: root.title === "" ? qsTr("Text") : root.title
        textFormat: Text.PlainText
        verticalAlignment: Text.AlignVCenter
        font: Theme.small
        color: Theme.text2
        Accessible.ignored: true
    }
    Row {
        visible: root.head
        x: root.bodyX + root.bodyWidth - width - Theme.space4
        y: root.bodyY + Math.round((root.headHeight - height) / 2)

        IconButton {
            symbol: "wrap"
            text: root.wrapped ? qsTr("Do not wrap lines") : qsTr("Wrap lines")
            checked: root.wrapped
            Accessible.name: text
            onClicked: root.chat.messages.toggleWrap(root.index)
        }
        IconButton {
            id: copyButton

            property bool done: false

            symbol: copyButton.done ? "check" : "copy"
            text: copyButton.done ? qsTr("Copied") : qsTr("Copy code")
            Accessible.name: text
            onClicked: {
                root.chat.messages.copyCode(root.index);
                copyButton.done = true;
                settle.restart();
            }

            Timer {
                id: settle

                interval: 1500
                onTriggered: copyButton.done = false
            }
        }
    }
    Item {
        id: frame

        x: root.bodyX + root.indent + Theme.space12
        y: root.bodyY + root.headHeight
        width: root.bodyWidth - root.indent - 2 * Theme.space12
        height: edit.height
        // Only what is wider than its panel is cut off.
        clip: root.overflow > 0

        RowEdit {
            id: edit

            x: -root.sideways
            width: root.wrapped ? frame.width : Math.max(frame.width, implicitWidth)
            chat: root.chat
            row: root.index
            content: root.content
            font: Theme.code
            lineHeight: Theme.codeLine
            tabStopDistance: root.chat.codeTab
            wrapMode: root.wrapped ? TextEdit.WrapAnywhere : TextEdit.NoWrap
            LayoutMirroring.enabled: false
            Accessible.name: root.accessibleName
        }
    }
    Rectangle {
        visible: root.overflow > 0
        x: frame.x + (frame.width - width) * (root.overflow > 0 ? root.sideways / root.overflow : 0)
        y: frame.y + frame.height + Theme.space4
        width: Math.max(Theme.space24, frame.width * frame.width / Math.max(1, edit.implicitWidth))
        height: 3
        radius: 1.5
        color: Theme.controlLine
        opacity: 0.6
        Accessible.ignored: true
    }
}
