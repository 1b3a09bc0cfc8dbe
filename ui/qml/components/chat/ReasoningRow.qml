pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Templates as T
import Alcove.Ui

// Folds and unfolds what the model thought.
ChatRow {
    id: root

    required property string title
    required property bool flag
    readonly property bool folded: root.flag

    contentHeight: button.height

    T.AbstractButton {
        id: button

        x: root.bodyX
        y: root.bodyY
        implicitWidth: Theme.iconSmall + Theme.space8 + words.implicitWidth + 2 * Theme.space8
        implicitHeight: Theme.target
        text: root.title
        focusPolicy: Qt.StrongFocus
        hoverEnabled: true
        Accessible.role: Accessible.Button
        Accessible.name: root.accessibleName
        onClicked: root.chat.messages.toggleFold(root.index)

        background: Rectangle {
            radius: Theme.radiusControl
            color: button.down ? Theme.pressed : button.hovered ? Theme.hover : "transparent"
        }
        contentItem: Item {
            Icon {
                x: Theme.space4
                anchors.verticalCenter: parent.verticalCenter
                icon: root.folded ? "chevron-right" : "chevron-down"
                side: Theme.iconSmall
                color: Theme.text2
            }
            Text {
                id: words

                x: Theme.space4 + Theme.iconSmall + Theme.space8
                anchors.verticalCenter: parent.verticalCenter
                text: root.title
                textFormat: Text.PlainText
                font: Theme.label
                color: Theme.text2
                Accessible.ignored: true
            }
        }

        FocusRing {
            shown: button.visualFocus
        }
    }
}
