pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Templates as T
import Alcove.Ui

// One conversation in the list. The second line shows where the pointer or the keyboard is, and on the open one.
T.ItemDelegate {
    id: root

    required property int index
    required property var conversationId
    required property string title
    required property string detail
    required property bool answering
    required property bool draft
    required property bool current
    required property string spoken
    property bool keyboardHere: false
    property bool renaming: false
    readonly property bool detailed: root.hovered || root.keyboardHere || root.current || menuButton.visualFocus

    signal menuRequested(real x, real y)

    Accessible.role: Accessible.ListItem
    Accessible.name: root.spoken
    Accessible.selected: root.current
    focusPolicy: Qt.NoFocus
    hoverEnabled: true
    height: Math.round(44 * Theme.textScale)
    leftPadding: Theme.space12
    rightPadding: Theme.space4

    contentItem: Item {
        Column {
            anchors.left: parent.left
            anchors.right: marks.left
            anchors.rightMargin: Theme.space4
            anchors.verticalCenter: parent.verticalCenter
            visible: !root.renaming

            Text {
                width: parent.width
                text: root.title
                textFormat: Text.PlainText
                font: root.current ? Theme.labelStrong : Theme.label
                color: Theme.text
                elide: Text.ElideMiddle
                maximumLineCount: 1
            }
            Text {
                width: parent.width
                text: root.detail
                textFormat: Text.PlainText
                font: Theme.small
                color: Theme.text2
                elide: Text.ElideRight
                visible: root.detailed
            }
        }
        Row {
            id: marks

            anchors.right: parent.right
            anchors.verticalCenter: parent.verticalCenter
            spacing: Theme.space4
            visible: !root.renaming

            Icon {
                icon: "draft"
                side: Theme.iconSmall
                color: Theme.text2
                visible: root.draft && !root.answering
                anchors.verticalCenter: parent.verticalCenter
            }
            Rectangle {
                width: Theme.space8
                height: width
                radius: width / 2
                color: Theme.accent
                visible: root.answering
                anchors.verticalCenter: parent.verticalCenter
                Accessible.ignored: true
            }
            IconButton {
                id: menuButton

                symbol: "more"
                text: qsTr("Actions for %1").arg(root.title)
                hint: ""
                focusPolicy: Qt.NoFocus
                implicitWidth: Theme.target
                implicitHeight: Theme.target
                opacity: root.hovered || root.keyboardHere ? 1 : 0
                onClicked: root.menuRequested(menuButton.x + marks.x, root.height)
            }
        }
    }
    background: Item {
        Rectangle {
            anchors.fill: parent
            anchors.leftMargin: Theme.space4
            anchors.rightMargin: Theme.space4
            anchors.topMargin: 1
            anchors.bottomMargin: 1
            radius: Theme.radiusControl + 2
            color: root.current ? Theme.pressed : root.hovered ? Theme.hover : "transparent"

            FocusRing {
                shown: root.keyboardHere
                inside: true
                around: parent.radius
            }
        }
    }

    TapHandler {
        acceptedButtons: Qt.RightButton
        onTapped: eventPoint => root.menuRequested(eventPoint.position.x, eventPoint.position.y)
    }
}
