pragma ComponentBehavior: Bound
import QtQuick
import Alcove.Ui

// Says what was done and offers to undo it.
PopupPanel {
    id: root

    required property string text

    signal undone
    signal closed

    around: Theme.radiusPanel
    implicitWidth: Math.min(row.implicitWidth + Theme.space12 + Theme.space8, parent ? parent.width - 2 * Theme.space16 : 400)
    implicitHeight: row.implicitHeight + 2 * Theme.space8
    Accessible.role: Accessible.AlertMessage
    Accessible.name: root.text

    Row {
        id: row

        x: Theme.space12
        y: Theme.space8
        spacing: Theme.space8

        Text {
            text: root.text
            textFormat: Text.PlainText
            font: Theme.label
            color: Theme.text
            elide: Text.ElideMiddle
            width: Math.min(implicitWidth, 320 * Theme.textScale)
            anchors.verticalCenter: parent.verticalCenter
        }
        AppButton {
            text: qsTr("Undo")
            symbol: "undo"
            kind: AppButton.Quiet
            onClicked: root.undone()
        }
        IconButton {
            symbol: "close"
            text: qsTr("Close this message")
            onClicked: root.closed()
        }
    }
}
