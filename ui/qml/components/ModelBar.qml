pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Alcove.Models
import Alcove.Ui

// The head of the chat: which model answers and whether it is loaded, and the buttons of the two side panes.
Rectangle {
    id: root

    required property AppModel app
    required property Actions actions
    property bool narrow: false
    property bool listShown: true
    property bool inspectorShown: true

    readonly property ModelBarModel bar: root.app.modelBar
    readonly property bool loading: root.bar.state === ModelBarModel.Loading
    readonly property bool troubled: root.bar.state === ModelBarModel.Failed || root.bar.state === ModelBarModel.Away

    readonly property AdapterPicker adapterPicker: adapterButton.popup

    implicitHeight: Theme.bar
    color: Theme.surface
    Accessible.role: Accessible.ToolBar
    Accessible.name: qsTr("Model")

    function openPicker() {
        picker.open();
    }

    function focusModel() {
        button.forceActiveFocus(Qt.TabFocusReason);
    }

    RowLayout {
        anchors.fill: parent
        anchors.leftMargin: Theme.space8
        anchors.rightMargin: Theme.space8
        spacing: Theme.space8

        IconButton {
            symbol: root.narrow ? "menu" : "sidebar"
            text: root.actions.list.text
            hint: qsTr("%1 (%2)", "action, key").arg(text).arg("Ctrl+B")
            onClicked: root.actions.list.trigger()
        }
        Text {
            text: root.app.title
            textFormat: Text.PlainText
            font: Theme.labelStrong
            color: Theme.text
            elide: Text.ElideMiddle
            visible: root.narrow
            Layout.fillWidth: true
            Layout.maximumWidth: implicitWidth
            Accessible.role: Accessible.Heading
            Accessible.name: text
        }
        T.Button {
            id: button

            text: root.bar.text
            Accessible.role: Accessible.ButtonMenu
            Accessible.name: qsTr("Model: %1").arg(root.bar.text)
            focusPolicy: Qt.StrongFocus
            hoverEnabled: true
            leftPadding: Theme.space8
            rightPadding: Theme.space8
            implicitHeight: Theme.control
            implicitWidth: Math.min(implicitContentWidth + leftPadding + rightPadding, 460 * Theme.textScale)
            Layout.fillWidth: true
            Layout.minimumWidth: Theme.target
            Layout.maximumWidth: implicitWidth
            onClicked: picker.visible ? picker.close() : picker.open()

            contentItem: RowLayout {
                spacing: Theme.space8

                Icon {
                    icon: root.troubled ? "warning" : "model"
                    color: root.troubled ? Theme.danger : root.bar.state === ModelBarModel.Ready ? Theme.accent : Theme.text2
                }
                Text {
                    text: root.bar.name
                    textFormat: Text.PlainText
                    font: Theme.labelStrong
                    color: Theme.text
                    elide: Text.ElideMiddle
                    Layout.fillWidth: true
                    Layout.maximumWidth: Math.ceil(implicitWidth)
                }
                Text {
                    text: root.bar.detail
                    textFormat: Text.PlainText
                    font: Theme.label
                    color: root.troubled ? Theme.danger : Theme.text2
                    elide: Text.ElideRight
                    visible: !root.narrow && text !== ""
                }
                Icon {
                    icon: "chevron-down"
                    side: Theme.iconSmall
                    color: Theme.text2
                }
            }
            background: Rectangle {
                radius: Theme.radiusControl + 2
                color: button.down || picker.visible ? Theme.pressed : button.hovered ? Theme.hover : "transparent"

                Rectangle {
                    anchors.left: parent.left
                    anchors.bottom: parent.bottom
                    width: parent.width * root.bar.loadFraction
                    height: Theme.focusLine
                    radius: 1
                    color: Theme.accent
                    visible: root.loading
                }
            }

            FocusRing {
                shown: button.visualFocus
                around: Theme.radiusControl + 2
            }
            ModelPicker {
                id: picker

                app: root.app
                actions: root.actions
                y: button.height + Theme.space12
                width: Math.min(460 * Theme.textScale, root.width - 2 * Theme.space8)
                x: Math.min(0, root.width - Theme.space8 - width - button.x)
                // Kept inside the window whatever the text size is.
                height: Math.min(implicitHeight, root.Window.height - root.height - Theme.space24)
            }
        }
        AdapterButton {
            id: adapterButton

            app: root.app
            narrow: root.narrow
            barHeight: root.height
            onAddRequested: root.actions.openFile.trigger()
        }
        AppButton {
            text: root.bar.actionText
            kind: root.loading ? AppButton.Normal : AppButton.Quiet
            visible: text !== "" && (!root.narrow || root.loading) && root.bar.state !== ModelBarModel.Ready
            onClicked: root.bar.act()
        }
        Item {
            Layout.fillWidth: true
        }
        IconButton {
            symbol: "inspector"
            text: root.actions.inspector.text
            hint: qsTr("%1 (%2)", "action, key").arg(text).arg("Ctrl+I")
            checked: root.inspectorShown
            onClicked: root.actions.inspector.trigger()
        }
    }
    Rectangle {
        anchors.bottom: parent.bottom
        width: parent.width
        height: Theme.line
        color: Theme.hairline
        Accessible.ignored: true
    }
}
