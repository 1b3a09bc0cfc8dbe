pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Alcove.Ui

// A whole message in one read-only text area.
T.Popup {
    id: root

    function show(text: string) {
        area.text = text;
        root.open();
    }

    modal: true
    dim: true
    focus: true
    padding: Theme.space16
    anchors.centerIn: T.Overlay.overlay
    width: parent ? Math.min(Theme.measure + 2 * Theme.space24, parent.width - 2 * Theme.space16) : 0
    height: parent ? parent.height - 2 * Theme.space32 : 0
    closePolicy: T.Popup.CloseOnEscape | T.Popup.CloseOnPressOutside
    onOpened: area.forceActiveFocus(Qt.PopupFocusReason)
    onClosed: area.text = ""

    background: PopupPanel {}
    T.Overlay.modal: Rectangle {
        color: Theme.shade
    }

    contentItem: ColumnLayout {
        spacing: Theme.space8

        RowLayout {
            Layout.fillWidth: true

            Text {
                text: qsTr("Select text")
                textFormat: Text.PlainText
                font: Theme.title
                color: Theme.text
                Layout.fillWidth: true
                Accessible.role: Accessible.Heading
                Accessible.name: text
            }
            IconButton {
                symbol: "close"
                text: qsTr("Close")
                Accessible.name: text
                onClicked: root.close()
            }
        }
        Flickable {
            id: view

            clip: true
            contentWidth: width
            contentHeight: area.height
            boundsBehavior: Flickable.StopAtBounds
            T.ScrollBar.vertical: AppScrollBar {}
            Layout.fillWidth: true
            Layout.fillHeight: true

            TextEdit {
                id: area

                width: view.width - Theme.space16
                readOnly: true
                selectByMouse: true
                textFormat: TextEdit.PlainText
                wrapMode: TextEdit.Wrap
                font: Theme.body
                color: Theme.text
                selectionColor: Theme.selection
                selectedTextColor: Theme.text
                Accessible.role: Accessible.EditableText
                Accessible.readOnly: true
                Accessible.name: qsTr("Text of the message")
                onCursorRectangleChanged: {
                    if (cursorRectangle.y < view.contentY)
                        view.contentY = cursorRectangle.y;
                    else if (cursorRectangle.y + cursorRectangle.height > view.contentY + view.height)
                        view.contentY = cursorRectangle.y + cursorRectangle.height - view.height;
                }
            }
        }
    }
}
