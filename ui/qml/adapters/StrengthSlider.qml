pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Templates as T
import Alcove.Ui

// How strongly an adapter is applied. The bar grows from 0, which is marked; a double click or the key 0 gives 1 again.
T.Slider {
    id: root

    required property string name
    property string valueText: ""

    readonly property real zero: (0 - root.from) / (root.to - root.from)

    signal resetRequested

    stepSize: 0.05
    snapMode: T.Slider.SnapAlways
    focusPolicy: Qt.StrongFocus
    hoverEnabled: true
    live: true
    implicitWidth: 130 * Theme.textScale
    implicitHeight: Theme.target
    leftPadding: grip.width / 2
    rightPadding: grip.width / 2
    opacity: root.enabled ? 1 : 0.5
    Accessible.role: Accessible.Slider
    Accessible.name: root.name
    Accessible.description: root.valueText
    Keys.onPressed: event => {
        if (event.key === Qt.Key_0) {
            root.resetRequested();
            event.accepted = true;
        }
    }

    background: Item {
        x: root.leftPadding
        width: root.availableWidth
        height: root.height

        Rectangle {
            anchors.verticalCenter: parent.verticalCenter
            width: parent.width
            height: 4
            radius: 2
            color: Theme.controlLine
        }
        Rectangle {
            anchors.verticalCenter: parent.verticalCenter
            x: Math.min(root.zero, root.visualPosition) * parent.width
            width: Math.abs(root.visualPosition - root.zero) * parent.width
            height: 4
            radius: 2
            color: Theme.accent
        }
        Rectangle {
            anchors.verticalCenter: parent.verticalCenter
            x: root.zero * parent.width - width / 2
            width: 2
            height: 12 * Theme.textScale
            radius: 1
            color: Theme.text2
        }
    }
    handle: Rectangle {
        id: grip

        x: root.leftPadding + root.visualPosition * root.availableWidth - width / 2
        anchors.verticalCenter: parent ? parent.verticalCenter : undefined
        width: 16 * Theme.textScale
        height: width
        radius: width / 2
        color: root.pressed ? Theme.accent : Theme.surface
        border.width: 2
        border.color: Theme.accent
    }
    TapHandler {
        onDoubleTapped: root.resetRequested()
    }

    FocusRing {
        shown: root.visualFocus
    }
}
