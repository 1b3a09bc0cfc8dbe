pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import Alcove.Ui

// A failure, next to the thing that failed: what happened and why in words, what can be done as buttons, and the technical
// text behind "Details". The same failure again only changes the text.
Rectangle {
    id: root

    required property string what
    property string details: ""
    property bool serious: true
    property bool detailsOpen: false
    property bool closable: true
    default property alias buttons: actions.data

    signal dismissed
    signal copyDetails(string text)

    implicitWidth: 400
    implicitHeight: column.implicitHeight + 2 * Theme.space12
    radius: Theme.radiusPanel
    color: Theme.surface
    border.width: Theme.line
    border.color: root.serious ? Theme.danger : Theme.warning
    Accessible.role: Accessible.AlertMessage
    Accessible.name: root.what

    ColumnLayout {
        id: column

        x: Theme.space12
        y: Theme.space12
        width: parent.width - 2 * Theme.space12
        spacing: Theme.space8

        RowLayout {
            spacing: Theme.space8
            Layout.fillWidth: true

            Icon {
                icon: root.serious ? "warning" : "info"
                color: root.serious ? Theme.danger : Theme.warning
                Layout.alignment: Qt.AlignTop
            }
            Text {
                text: root.what
                textFormat: Text.PlainText
                font: Theme.label
                color: Theme.text
                wrapMode: Text.Wrap
                lineHeight: Theme.labelLine
                lineHeightMode: Text.FixedHeight
                Layout.fillWidth: true
                Layout.alignment: Qt.AlignVCenter
            }
            IconButton {
                symbol: "close"
                text: qsTr("Close this message")
                visible: root.closable
                Layout.alignment: Qt.AlignTop
                onClicked: root.dismissed()
            }
        }
        Flow {
            spacing: Theme.space8
            Layout.fillWidth: true
            Layout.leftMargin: Theme.icon + Theme.space8
            visible: actions.visibleChildren.length > 0 || root.details !== ""

            Row {
                id: actions

                spacing: Theme.space8
            }
            AppButton {
                kind: AppButton.Quiet
                text: root.detailsOpen ? qsTr("Hide details") : qsTr("Details")
                visible: root.details !== ""
                onClicked: root.detailsOpen = !root.detailsOpen
            }
        }
        Rectangle {
            visible: root.detailsOpen && root.details !== ""
            color: Theme.codePanel
            radius: Theme.radiusControl
            implicitHeight: detailText.implicitHeight + 2 * Theme.space8
            Layout.fillWidth: true
            Layout.leftMargin: Theme.icon + Theme.space8

            TextEdit {
                id: detailText

                x: Theme.space8
                y: Theme.space8
                width: parent.width - Theme.control - 2 * Theme.space8
                text: root.details
                textFormat: TextEdit.PlainText
                readOnly: true
                selectByMouse: true
                wrapMode: TextEdit.Wrap
                font: Theme.code
                color: Theme.text
                selectionColor: Theme.selection
                selectedTextColor: Theme.text
                Accessible.role: Accessible.EditableText
                Accessible.name: qsTr("Details")
            }
            IconButton {
                anchors.right: parent.right
                anchors.top: parent.top
                symbol: "copy"
                text: qsTr("Copy details")
                onClicked: root.copyDetails(root.details)
            }
        }
    }
}
