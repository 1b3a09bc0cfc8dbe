pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Alcove.Models
import Alcove.Ui

// Beside the model button: which adapters are in use. Opens the picker.
T.Button {
    id: root

    required property AppModel app
    property bool narrow: false
    property real barHeight: Theme.bar
    readonly property alias popup: picker

    readonly property AdapterListModel adapters: root.app.adapters
    readonly property bool troubled: root.adapters.troubled
    readonly property string state_: root.troubled ? qsTr("%1, does not fit this model").arg(root.adapters.summary) : root.adapters.summary

    signal addRequested

    text: root.adapters.summary
    Accessible.role: Accessible.ButtonMenu
    Accessible.name: root.adapters.active ? qsTr("Adapters in use: %1").arg(root.state_) : qsTr("Adapters")
    focusPolicy: Qt.StrongFocus
    hoverEnabled: true
    leftPadding: Theme.space8
    rightPadding: Theme.space8
    implicitHeight: Theme.control
    implicitWidth: Math.min(implicitContentWidth + leftPadding + rightPadding, 260 * Theme.textScale)
    onClicked: picker.visible ? picker.close() : picker.open()

    contentItem: RowLayout {
        spacing: Theme.space8

        Icon {
            icon: root.troubled ? "warning" : "adapter"
            color: root.troubled ? Theme.danger : root.adapters.active ? Theme.accent : Theme.text2
        }
        Text {
            text: root.text
            textFormat: Text.PlainText
            font: root.adapters.active ? Theme.labelStrong : Theme.label
            color: root.troubled ? Theme.danger : root.adapters.active ? Theme.text : Theme.text2
            elide: Text.ElideMiddle
            visible: !root.narrow
            Layout.fillWidth: true
            Layout.maximumWidth: Math.ceil(implicitWidth)
        }
    }
    background: Rectangle {
        radius: Theme.radiusControl + 2
        color: root.down || picker.visible ? Theme.pressed : root.hovered ? Theme.hover : "transparent"
    }

    FocusRing {
        shown: root.visualFocus
        around: Theme.radiusControl + 2
    }
    AdapterPicker {
        id: picker

        app: root.app
        y: root.height + Theme.space12
        width: Math.min(520 * Theme.textScale, root.Window.width - 2 * Theme.space8)
        height: Math.min(implicitHeight, root.Window.height - root.barHeight - Theme.space24)
        onAddRequested: {
            picker.close();
            root.addRequested();
        }
    }
    CompareAnswers {
        id: comparison

        adapters: root.adapters
    }
    Connections {
        target: root.adapters

        function onCompared() {
            comparison.open();
        }

        function onAdded() {
            picker.open();
        }

        function onFailureChanged() {
            if (root.adapters.failure !== "")
                picker.open();
        }
    }
}
