import QtQuick
import QtQuick.Templates as T
import Alcove.Ui

// Between two panes: thin to look at, wide enough to take hold of.
Rectangle {
    id: root

    implicitWidth: Theme.line
    color: T.SplitHandle.pressed || T.SplitHandle.hovered ? Theme.controlLine : Theme.hairline
    containmentMask: Item {
        x: -4
        width: root.width + 8
        height: root.height
    }
    Accessible.role: Accessible.Splitter
    Accessible.name: qsTr("Width of the pane")
}
