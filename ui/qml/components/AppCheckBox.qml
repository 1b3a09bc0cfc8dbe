pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Templates as T
import Alcove.Ui

T.CheckBox {
    id: root

    Accessible.role: Accessible.CheckBox
    Accessible.name: root.text
    font: Theme.label
    hoverEnabled: true
    focusPolicy: Qt.StrongFocus
    spacing: Theme.space8
    implicitWidth: implicitContentWidth
    implicitHeight: Math.max(Theme.target, implicitContentHeight)

    indicator: Rectangle {
        width: 18 * Theme.textScale
        height: width
        y: (root.height - height) / 2
        radius: Theme.radiusControl
        color: root.checked ? Theme.accent : Theme.surface
        border.width: root.checked ? 0 : Theme.line
        border.color: Theme.controlLine

        Icon {
            anchors.centerIn: parent
            icon: "check"
            side: Theme.iconSmall
            color: Theme.onAccent
            visible: root.checked
        }
    }
    contentItem: Text {
        leftPadding: root.indicator.width + root.spacing
        text: root.text
        textFormat: Text.PlainText
        font: root.font
        color: Theme.text
        wrapMode: Text.Wrap
        verticalAlignment: Text.AlignVCenter
    }

    FocusRing {
        shown: root.visualFocus
    }
}
