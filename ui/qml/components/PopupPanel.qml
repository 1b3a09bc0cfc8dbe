pragma ComponentBehavior: Bound
import QtQuick
import Alcove.Ui

// What popups, menus and toasts stand on. The shadow is a few faint outlines: no effects, so that it costs nothing in
// software rendering.
Rectangle {
    id: root

    property real around: Theme.radiusPopup

    color: Theme.surface
    radius: root.around
    border.width: Theme.line
    border.color: Theme.hairline

    Repeater {
        model: 5

        Rectangle {
            id: outline

            required property int index

            z: -1
            anchors.fill: parent
            anchors.margins: -(outline.index + 1) * 3
            anchors.topMargin: -outline.index
            anchors.bottomMargin: -(outline.index + 1) * 4
            radius: root.around + (outline.index + 1) * 3
            color: Theme.shadow
            Accessible.ignored: true
        }
    }
}
