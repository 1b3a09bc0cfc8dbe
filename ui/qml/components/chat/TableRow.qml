pragma ComponentBehavior: Bound
import QtQuick
import Alcove.Models
import Alcove.Ui

// A table, or a piece of a long one.
ChatRow {
    id: root

    required property var content

    readonly property real indent: root.content.listDepth * Theme.space24
    readonly property real most: root.chat.wideWidth - root.indent
    readonly property real overflow: Math.max(0, table.implicitWidth - root.most)
    readonly property real sideways: Math.min(root.overflow, root.chat.sidewaysOf(root.messageId, root.content.group))

    function offsetAt(x: real, y: real): int {
        return table.offsetAt(x - frame.x + root.sideways, y - frame.y);
    }

    function linkAt(x: real, y: real): string {
        return table.linkAt(x - frame.x + root.sideways, y - frame.y);
    }

    function showCursor(overLink: bool) {
        table.setCursorShape(overLink);
    }

    function scrollBy(pixels: real): bool {
        if (root.overflow === 0)
            return false;
        root.chat.scrollSideways(root.messageId, root.content.group, Math.max(0, Math.min(root.overflow, root.sideways + pixels)));
        return true;
    }

    function refreshSelection() {
        table.select(root.chat.selection.startIn(root.index), root.chat.selection.endIn(root.index));
    }

    contentHeight: table.implicitHeight + (root.overflow > 0 ? Theme.space8 : 0)

    Item {
        id: frame

        x: root.bodyX + root.indent
        y: root.bodyY
        width: Math.min(root.most, table.implicitWidth)
        height: table.implicitHeight
        clip: root.overflow > 0

        TableItem {
            id: table

            x: -root.sideways
            width: implicitWidth
            height: implicitHeight
            style: root.chat.style
            available: root.bodyWidth - root.indent
            content: root.content
            Accessible.role: Accessible.Table
            Accessible.name: root.accessibleName
        }
    }
    Rectangle {
        visible: root.overflow > 0
        x: frame.x + (frame.width - width) * (root.overflow > 0 ? root.sideways / root.overflow : 0)
        y: frame.y + frame.height + Theme.space4
        width: Math.max(Theme.space24, frame.width * frame.width / Math.max(1, table.implicitWidth))
        height: 3
        radius: 1.5
        color: Theme.controlLine
        opacity: 0.6
        Accessible.ignored: true
    }
    Connections {
        target: root.chat.selection

        function onChanged() {
            root.refreshSelection();
        }
    }
}
