pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Templates as T
import Alcove.Ui

// A choice of one among few. Left and right change it, as in a group of radio buttons.
Rectangle {
    id: root

    required property string name
    required property list<string> labels
    property list<string> symbols
    property int current: 0

    signal chosen(int index)

    implicitHeight: Theme.control
    implicitWidth: row.implicitWidth + 4
    radius: Theme.radiusControl + 2
    color: Theme.sunken
    border.width: Theme.line
    border.color: Theme.controlLine
    Accessible.role: Accessible.Grouping
    Accessible.name: root.name

    Row {
        id: row

        anchors.fill: parent
        anchors.margins: 2

        Repeater {
            id: repeater

            model: root.labels

            T.RadioButton {
                id: segment

                required property int index
                required property string modelData

                text: segment.modelData
                checked: segment.index === root.current
                Accessible.role: Accessible.RadioButton
                Accessible.name: segment.modelData
                width: (root.width - 4) / root.labels.length
                implicitWidth: label.implicitWidth + Theme.space24 + (root.symbols.length > segment.index ? Theme.iconSmall + Theme.space4 : 0)
                height: parent.height
                focusPolicy: segment.checked ? Qt.StrongFocus : Qt.ClickFocus
                hoverEnabled: true
                onClicked: root.chosen(segment.index)
                Keys.onLeftPressed: root.step(-1)
                Keys.onRightPressed: root.step(1)

                contentItem: Item {
                    Row {
                        anchors.centerIn: parent
                        spacing: Theme.space4

                        Icon {
                            icon: root.symbols.length > segment.index ? root.symbols[segment.index] : ""
                            visible: icon !== ""
                            side: Theme.iconSmall
                            color: label.color
                            anchors.verticalCenter: parent.verticalCenter
                        }
                        Text {
                            id: label

                            text: segment.modelData
                            textFormat: Text.PlainText
                            font: segment.checked ? Theme.labelStrong : Theme.label
                            color: segment.checked ? Theme.text : Theme.text2
                            anchors.verticalCenter: parent.verticalCenter
                        }
                    }
                }
                background: Rectangle {
                    radius: Theme.radiusControl
                    color: segment.checked ? Theme.surface : segment.hovered ? Theme.hover : "transparent"
                    border.width: segment.checked ? Theme.line : 0
                    border.color: Theme.controlLine
                }

                FocusRing {
                    shown: segment.visualFocus
                    inside: true
                }
            }
        }
    }

    function step(by: int) {
        const next = Math.max(0, Math.min(root.labels.length - 1, root.current + by));
        root.chosen(next);
        repeater.itemAt(next).forceActiveFocus(Qt.TabFocusReason);
    }
}
