pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Templates as T
import Alcove.Ui

// A button that shows only an icon. Its text is its name and its hint.
T.Button {
    id: root

    required property string symbol
    property string hint: root.text
    readonly property bool hinted: root.hint !== "" && (root.hovered || root.visualFocus)
    property bool strong: false
    property bool ringInside: false
    property color tint: root.checked ? Theme.accent : root.strong ? Theme.text : Theme.text2

    text: root.action ? root.action.text : ""
    Accessible.role: Accessible.Button
    Accessible.name: root.text
    focusPolicy: Qt.StrongFocus
    hoverEnabled: true
    padding: 0
    implicitWidth: Theme.control
    implicitHeight: Theme.control
    opacity: root.enabled ? 1 : 0.45

    contentItem: Item {
        Icon {
            anchors.centerIn: parent
            icon: root.symbol
            color: root.hovered && !root.checked ? Theme.text : root.tint
        }
    }
    background: Rectangle {
        radius: Theme.radiusControl + 2
        color: root.down ? Theme.pressed : root.hovered ? Theme.hover : "transparent"
    }

    onHintedChanged: root.hinted ? HintState.show(root, root.hint) : HintState.hide(root)
    Component.onDestruction: HintState.hide(root)

    FocusRing {
        shown: root.visualFocus
        inside: root.ringInside
        around: Theme.radiusControl + 2
    }
}
