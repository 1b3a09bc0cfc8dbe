import QtQuick
import QtQuick.Templates as T
import Alcove.Ui

T.ScrollBar {
    id: root

    visible: root.policy !== T.ScrollBar.AlwaysOff && root.size < 1
    minimumSize: 0.08
    padding: 2
    implicitWidth: 12
    implicitHeight: 12
    Accessible.role: Accessible.ScrollBar
    Accessible.name: qsTr("Scroll")

    contentItem: Rectangle {
        implicitWidth: 6
        implicitHeight: 6
        radius: 3
        color: Theme.controlLine
        opacity: root.pressed || root.hovered ? 1 : 0.55
    }
}
