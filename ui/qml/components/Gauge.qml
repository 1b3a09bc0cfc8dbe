import QtQuick
import QtQuick.Templates as T
import Alcove.Ui

// How much of something is used, 0…1. `valueText` says it in words.
T.ProgressBar {
    id: root

    required property string name
    required property string valueText
    property color tint: Theme.accent
    property real thickness: 6

    Accessible.role: Accessible.ProgressBar
    Accessible.name: root.name
    Accessible.description: root.valueText
    implicitWidth: 100
    implicitHeight: root.thickness

    background: Rectangle {
        implicitHeight: root.thickness
        radius: root.thickness / 2
        color: Theme.pressed
    }
    contentItem: Item {
        Rectangle {
            width: root.position <= 0 ? 0 : Math.max(root.thickness, root.position * parent.width)
            height: parent.height
            radius: root.thickness / 2
            color: root.tint
        }
    }
}
