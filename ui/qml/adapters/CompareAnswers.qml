pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Alcove.Models
import Alcove.Ui

// The two answers of a comparison side by side. Both stay in the conversation, as siblings.
T.Popup {
    id: root

    required property AdapterListModel adapters

    parent: T.Overlay.overlay
    modal: true
    dim: true
    focus: true
    padding: Theme.space16
    anchors.centerIn: T.Overlay.overlay
    width: parent ? Math.min(980 * Theme.textScale, parent.width - 2 * Theme.space16) : 0
    height: parent ? Math.min(640 * Theme.textScale, parent.height - 2 * Theme.space16) : 0
    closePolicy: T.Popup.CloseOnEscape | T.Popup.CloseOnPressOutside
    onOpened: closing.forceActiveFocus(Qt.PopupFocusReason)

    background: PopupPanel {}
    T.Overlay.modal: Rectangle {
        color: Theme.shade
    }

    component Answer: ColumnLayout {
        id: answer

        required property string heading
        required property string text

        spacing: Theme.space8

        Text {
            text: answer.heading
            textFormat: Text.PlainText
            font: Theme.labelStrong
            color: Theme.text
            elide: Text.ElideMiddle
            Layout.fillWidth: true
            Accessible.role: Accessible.Heading
            Accessible.name: text
        }
        Flickable {
            id: scroll

            clip: true
            contentHeight: body.implicitHeight
            boundsBehavior: Flickable.StopAtBounds
            Layout.fillWidth: true
            Layout.fillHeight: true
            T.ScrollBar.vertical: AppScrollBar {}

            TextEdit {
                id: body

                width: scroll.width - Theme.space12
                text: answer.text
                textFormat: TextEdit.PlainText
                font: Theme.body
                color: Theme.text
                selectionColor: Theme.selection
                selectedTextColor: Theme.text
                selectByMouse: true
                readOnly: true
                wrapMode: TextEdit.Wrap
                Accessible.role: Accessible.StaticText
                Accessible.name: answer.text
            }
        }
    }

    contentItem: ColumnLayout {
        spacing: Theme.space12

        RowLayout {
            Layout.fillWidth: true

            Text {
                text: qsTr("The same question and seed")
                textFormat: Text.PlainText
                font: Theme.title
                color: Theme.text
                elide: Text.ElideRight
                Layout.fillWidth: true
                Accessible.role: Accessible.Heading
                Accessible.name: text
            }
            IconButton {
                id: closing

                symbol: "close"
                text: qsTr("Close the comparison")
                onClicked: root.close()
            }
        }
        RowLayout {
            spacing: Theme.space16
            Layout.fillWidth: true
            Layout.fillHeight: true

            Answer {
                heading: root.adapters.titleWith
                text: root.adapters.textWith
                Layout.fillWidth: true
                Layout.fillHeight: true
                Layout.preferredWidth: 1
            }
            Rectangle {
                Layout.preferredWidth: Theme.line
                Layout.fillHeight: true
                color: Theme.hairline
                Accessible.ignored: true
            }
            Answer {
                heading: qsTr("Without adapters")
                text: root.adapters.textWithout
                Layout.fillWidth: true
                Layout.fillHeight: true
                Layout.preferredWidth: 1
            }
        }
    }
}
