pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Alcove.Ui

// Asks once per host before a link of a message is opened.
T.Popup {
    id: root

    required property LinkGuard guard
    property string target: ""

    function ask(address: string) {
        if (root.guard.hostOf(address) === "")
            return;
        if (root.guard.agreed(address)) {
            root.guard.open(address);
            return;
        }
        root.target = address;
        root.open();
    }

    modal: true
    dim: true
    focus: true
    padding: Theme.space16
    anchors.centerIn: T.Overlay.overlay
    width: parent ? Math.min(440 * Theme.textScale, parent.width - 2 * Theme.space16) : 0
    height: implicitContentHeight + 2 * padding
    closePolicy: T.Popup.CloseOnEscape | T.Popup.CloseOnPressOutside
    onOpened: accept.forceActiveFocus(Qt.PopupFocusReason)

    background: PopupPanel {}
    T.Overlay.modal: Rectangle {
        color: Theme.shade
    }

    contentItem: ColumnLayout {
        spacing: Theme.space12

        Text {
            text: qsTr("Open this address in your browser?")
            textFormat: Text.PlainText
            font: Theme.title
            color: Theme.text
            wrapMode: Text.Wrap
            Layout.fillWidth: true
            Accessible.role: Accessible.Heading
            Accessible.name: text
        }
        Text {
            text: root.target
            textFormat: Text.PlainText
            font: Theme.code
            color: Theme.text2
            wrapMode: Text.WrapAnywhere
            maximumLineCount: 6
            elide: Text.ElideRight
            Layout.fillWidth: true
            Accessible.role: Accessible.StaticText
            Accessible.name: text
        }
        Text {
            text: qsTr("Alcove will not ask again for %1 until it is closed.").arg(root.guard.hostOf(root.target))
            textFormat: Text.PlainText
            font: Theme.label
            color: Theme.text2
            wrapMode: Text.Wrap
            Layout.fillWidth: true
            Accessible.role: Accessible.StaticText
            Accessible.name: text
        }
        RowLayout {
            spacing: Theme.space8
            Layout.alignment: Qt.AlignRight

            AppButton {
                kind: AppButton.Quiet
                text: qsTr("Cancel")
                onClicked: root.close()
            }
            AppButton {
                id: accept

                kind: AppButton.Primary
                text: qsTr("Open")
                onClicked: {
                    root.guard.agree(root.target);
                    root.guard.open(root.target);
                    root.close();
                }
            }
        }
    }
}
