import QtQuick
import Alcove.Ui

// The ring around whatever has the keyboard. Stands outside its control by the gap, or inside where there is no room.
Rectangle {
    id: root

    required property bool shown
    property bool inside: false
    property real around: Theme.radiusControl

    anchors.fill: parent
    anchors.margins: root.inside ? 0 : -(Theme.focusGap + Theme.focusLine)
    radius: root.inside ? root.around : root.around + Theme.focusGap + Theme.focusLine
    color: "transparent"
    border.color: Theme.focus
    border.width: Theme.focusLine
    visible: root.shown
    Accessible.ignored: true
}
