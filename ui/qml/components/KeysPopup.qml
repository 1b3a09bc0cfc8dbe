pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Alcove.Ui

// The list of keys, made from the actions.
T.Popup {
    id: root

    required property Actions actions

    modal: true
    dim: true
    focus: true
    padding: Theme.space16
    anchors.centerIn: T.Overlay.overlay
    width: parent ? Math.min(520 * Theme.textScale, parent.width - 2 * Theme.space16) : 0
    height: parent ? Math.min(implicitContentHeight + 2 * padding, parent.height - 2 * Theme.space16) : 0
    closePolicy: T.Popup.CloseOnEscape | T.Popup.CloseOnPressOutside
    onOpened: list.forceActiveFocus(Qt.PopupFocusReason)

    background: PopupPanel {}
    T.Overlay.modal: Rectangle {
        color: Theme.shade
    }

    contentItem: ColumnLayout {
        spacing: Theme.space8

        RowLayout {
            Layout.fillWidth: true

            Text {
                text: qsTr("Keys")
                textFormat: Text.PlainText
                font: Theme.title
                color: Theme.text
                Layout.fillWidth: true
                Accessible.role: Accessible.Heading
                Accessible.name: text
            }
            IconButton {
                symbol: "close"
                text: qsTr("Close the list of keys")
                onClicked: root.close()
            }
        }
        ListView {
            id: list

            Layout.fillWidth: true
            Layout.fillHeight: true
            implicitHeight: contentHeight
            clip: true
            model: root.actions.all
            boundsBehavior: Flickable.StopAtBounds
            keyNavigationEnabled: true
            highlightMoveDuration: 0
            Accessible.role: Accessible.List
            Accessible.name: qsTr("Keys")
            T.ScrollBar.vertical: AppScrollBar {}

            delegate: Item {
                id: row

                required property AppAction modelData

                width: ListView.view.width
                height: Theme.target
                Accessible.role: Accessible.ListItem
                Accessible.name: qsTr("%1: %2", "action, keys").arg(row.modelData.text).arg(row.modelData.keysText)

                Text {
                    anchors.left: parent.left
                    anchors.right: keys.left
                    anchors.verticalCenter: parent.verticalCenter
                    text: row.modelData.text
                    textFormat: Text.PlainText
                    font: Theme.label
                    color: Theme.text
                    elide: Text.ElideRight
                    Accessible.ignored: true
                }
                Row {
                    id: keys

                    anchors.right: parent.right
                    anchors.rightMargin: Theme.space16
                    anchors.verticalCenter: parent.verticalCenter
                    spacing: Theme.space4

                    Repeater {
                        model: row.modelData.keys

                        Rectangle {
                            id: cap

                            required property string modelData

                            width: label.implicitWidth + Theme.space12
                            height: label.implicitHeight + Theme.space4
                            radius: Theme.radiusControl
                            color: Theme.sunken
                            border.width: Theme.line
                            border.color: Theme.hairline

                            Text {
                                id: label

                                anchors.centerIn: parent
                                text: cap.modelData
                                textFormat: Text.PlainText
                                font: Theme.small
                                color: Theme.text
                                Accessible.ignored: true
                            }
                        }
                    }
                }
            }
        }
    }
}
