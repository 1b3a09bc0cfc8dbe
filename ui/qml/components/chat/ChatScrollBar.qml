pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Templates as T
import Alcove.Models
import Alcove.Ui

// The scroll bar of the chat. It shows what the height ledger knows, so it does not jump while rows are laid out.
T.Control {
    id: root

    required property ScrollState scroll

    signal moveTo(real position)

    readonly property real thumbLength: Math.max(Theme.control, root.scroll.thumbSize * root.height)

    visible: root.scroll.thumbSize < 1
    hoverEnabled: true
    implicitWidth: Theme.space12
    focusPolicy: Qt.NoFocus
    Accessible.role: Accessible.ScrollBar
    Accessible.name: qsTr("Place in the conversation")
    Accessible.description: qsTr("%1 percent").arg(Math.round(root.scroll.thumbPosition * 100))

    contentItem: Item {
        Rectangle {
            id: thumb

            x: (parent.width - width) / 2
            y: root.scroll.thumbPosition * (root.height - root.thumbLength)
            width: Theme.space4 + 2
            height: root.thumbLength
            radius: width / 2
            color: Theme.controlLine
            opacity: area.pressed || root.hovered ? 1 : 0.55
            Accessible.ignored: true
        }
        MouseArea {
            id: area

            property real grip: 0

            anchors.fill: parent
            preventStealing: true
            Accessible.ignored: true
            onPressed: mouse => {
                if (mouse.y < thumb.y || mouse.y > thumb.y + thumb.height)
                    area.grip = thumb.height / 2;
                else
                    area.grip = mouse.y - thumb.y;
                area.dragTo(mouse.y);
            }
            onPositionChanged: mouse => area.dragTo(mouse.y)

            function dragTo(y: real) {
                const way = root.height - root.thumbLength;
                root.moveTo(way <= 0 ? 1 : Math.max(0, Math.min(1, (y - area.grip) / way)));
            }
        }
    }
}
