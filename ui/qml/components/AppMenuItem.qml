pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Templates as T
import Alcove.Ui

T.MenuItem {
    id: root

    property string symbol: ""
    property string keys: ""
    property bool danger: false
    readonly property color front: root.danger ? Theme.danger : Theme.text

    Accessible.role: Accessible.MenuItem
    Accessible.name: root.text
    font: Theme.label
    leftPadding: Theme.space8
    rightPadding: Theme.space12
    topPadding: Theme.space4
    bottomPadding: Theme.space4
    spacing: Theme.space8
    implicitWidth: implicitContentWidth + leftPadding + rightPadding
    implicitHeight: Math.max(Theme.control, implicitContentHeight + topPadding + bottomPadding)
    opacity: root.enabled ? 1 : 0.5

    contentItem: Item {
        implicitWidth: Theme.iconSmall + root.spacing + label.implicitWidth + Theme.space24 + keysLabel.implicitWidth
        implicitHeight: label.implicitHeight

        Icon {
            icon: root.checkable && root.checked ? "check" : root.symbol
            side: Theme.iconSmall
            color: root.front
            anchors.verticalCenter: parent.verticalCenter
        }
        Text {
            id: label

            x: Theme.iconSmall + root.spacing
            anchors.verticalCenter: parent.verticalCenter
            text: root.text
            textFormat: Text.PlainText
            font: root.font
            color: root.front
        }
        Text {
            id: keysLabel

            anchors.right: parent.right
            anchors.verticalCenter: parent.verticalCenter
            text: root.keys
            textFormat: Text.PlainText
            font: Theme.small
            color: Theme.text2
        }
    }
    background: Rectangle {
        radius: Theme.radiusControl
        color: root.down ? Theme.pressed : root.highlighted ? Theme.hover : "transparent"
    }

    FocusRing {
        shown: root.visualFocus
        inside: true
    }
}
