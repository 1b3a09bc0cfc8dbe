import QtQuick
import Alcove.Ui

// A line between two parts.
ChatRow {
    id: root

    contentHeight: Theme.space16

    Rectangle {
        x: root.bodyX
        y: root.bodyY + Theme.space8
        width: root.bodyWidth
        height: Theme.line
        color: Theme.hairline
        Accessible.ignored: true
    }
}
