pragma ComponentBehavior: Bound
import QtQuick
import Alcove.Models
import Alcove.Ui

// While files are held over the window: what will happen with each when they are let go.
Rectangle {
    id: root

    required property AppModel app

    visible: root.app.drop.count > 0
    color: Theme.shade
    Accessible.role: Accessible.Pane
    Accessible.name: qsTr("Drop to use")

    PopupPanel {
        anchors.centerIn: parent
        width: Math.min(parent.width - 2 * Theme.space24, 480 * Theme.textScale)
        height: column.implicitHeight + 2 * Theme.space24

        Column {
            id: column

            x: Theme.space24
            y: Theme.space24
            width: parent.width - 2 * Theme.space24
            spacing: Theme.space12

            Text {
                text: qsTr("Drop to use")
                textFormat: Text.PlainText
                font: Theme.title
                color: Theme.text
            }
            Repeater {
                model: root.app.drop

                Rectangle {
                    id: row

                    required property string name
                    required property string detail
                    required property bool usable

                    width: column.width
                    height: texts.implicitHeight + 2 * Theme.space12
                    radius: Theme.radiusPanel
                    color: "transparent"
                    border.width: row.usable ? Theme.focusLine : Theme.line
                    border.color: row.usable ? Theme.accent : Theme.controlLine
                    Accessible.role: Accessible.StaticText
                    Accessible.name: qsTr("%1: %2", "file, what happens").arg(row.name).arg(row.detail)

                    Icon {
                        id: mark

                        x: Theme.space12
                        anchors.verticalCenter: parent.verticalCenter
                        icon: row.usable ? "model" : "close"
                        color: row.usable ? Theme.accent : Theme.text2
                    }
                    Column {
                        id: texts

                        anchors.left: mark.right
                        anchors.leftMargin: Theme.space12
                        anchors.right: parent.right
                        anchors.rightMargin: Theme.space12
                        anchors.verticalCenter: parent.verticalCenter

                        Text {
                            width: parent.width
                            text: row.name
                            textFormat: Text.PlainText
                            font: Theme.labelStrong
                            color: Theme.text
                            elide: Text.ElideMiddle
                            Accessible.ignored: true
                        }
                        Text {
                            width: parent.width
                            text: row.detail
                            textFormat: Text.PlainText
                            font: Theme.label
                            color: Theme.text2
                            wrapMode: Text.Wrap
                            Accessible.ignored: true
                        }
                    }
                }
            }
        }
    }
}
