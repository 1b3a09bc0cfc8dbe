import QtQuick
import Alcove.Ui

// A piece of a panel that goes over several rows: only its first and its last piece have round corners.
Rectangle {
    id: root

    property bool first: true
    property bool last: true
    property real around: Theme.radiusPanel

    radius: root.first || root.last ? root.around : 0
    Accessible.ignored: true

    Rectangle {
        visible: root.first !== root.last
        y: root.first ? root.height - height : 0
        width: root.width
        height: Math.min(root.height, root.around)
        color: root.color
        Accessible.ignored: true
    }
}
