pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import Alcove.Models
import Alcove.Ui

// Always visible: what happens now in plain words, and how fast. Its name is what screen readers announce.
Rectangle {
    id: root

    required property AppModel app
    property bool narrow: false
    // The address under the pointer, shown in place of the state.
    property string link: ""

    readonly property StatusModel status: root.app.status

    implicitHeight: Math.max(Theme.target, flow.implicitHeight + 2 * Theme.space4)
    color: Theme.sunken
    Accessible.role: Accessible.StatusBar
    Accessible.name: root.status.announcement !== "" ? root.status.announcement : root.status.text
    Accessible.description: root.status.text

    Rectangle {
        width: parent.width
        height: Theme.line
        color: Theme.hairline
        Accessible.ignored: true
    }

    GridLayout {
        id: flow

        anchors.left: parent.left
        anchors.right: parent.right
        anchors.leftMargin: Theme.space12
        anchors.rightMargin: Theme.space12
        anchors.verticalCenter: parent.verticalCenter
        columns: root.narrow ? 1 : 2
        columnSpacing: Theme.space16
        rowSpacing: Theme.space2

        RowLayout {
            spacing: Theme.space8
            Layout.fillWidth: true

            Rectangle {
                implicitWidth: Theme.space8
                implicitHeight: Theme.space8
                radius: width / 2
                color: root.status.busy ? Theme.accent : "transparent"
                border.width: root.status.busy ? 0 : Theme.line
                border.color: Theme.controlLine
                Accessible.ignored: true
            }
            Text {
                text: root.link !== "" ? root.link : root.status.text
                textFormat: Text.PlainText
                font: Theme.small
                color: Theme.text
                elide: Text.ElideRight
                Layout.fillWidth: true
                Accessible.role: Accessible.StaticText
                Accessible.name: text
            }
            StatusFact {
                visible: root.narrow
                label: qsTr("Tokens")
                value: root.status.tokens
                widest: "888"
                hint: qsTr("Tokens of the answer; a token is a piece of a word")
            }
            StatusFact {
                visible: root.narrow
                label: qsTr("Memory")
                value: root.status.usedMemory
                widest: "888 MB"
                hint: qsTr("Memory of this program, the mapped model included")
            }
        }

        Flow {
            id: facts

            // All in one line, where there is room for it: a flow itself only knows how wide it is now.
            readonly property real oneLine: reading.implicitWidth + writing.implicitWidth + graph.width + tokens.implicitWidth
                                            + context.width + memory.implicitWidth + 5 * spacing

            spacing: root.narrow ? Theme.space12 : Theme.space16
            Layout.alignment: root.narrow ? Qt.AlignLeft : Qt.AlignRight
            Layout.fillWidth: root.narrow
            Layout.preferredWidth: root.narrow ? -1 : facts.oneLine

            StatusFact {
                id: reading

                label: qsTr("Reading")
                value: root.status.reading
                widest: "888 tok/s"
                hint: qsTr("How fast the model reads what is new to it")
            }
            StatusFact {
                id: writing

                label: qsTr("Writing")
                value: root.status.writing
                widest: "88 tok/s"
                hint: qsTr("How fast the answer is written, over the last two seconds")
            }
            SpeedGraph {
                id: graph

                width: (root.narrow ? 40 : 72) * Theme.textScale
                height: Theme.smallLine
                samples: root.status.samples
                lineColor: Theme.accent
                baseColor: Theme.controlLine
                Accessible.role: Accessible.Chart
                Accessible.name: qsTr("Writing speed, last minute: %1").arg(root.status.samplesText)
            }
            StatusFact {
                id: tokens

                visible: !root.narrow
                label: qsTr("Tokens")
                value: root.status.tokens
                widest: "888"
                hint: qsTr("Tokens of the answer; a token is a piece of a word")
            }
            Item {
                id: context

                width: gauge.width + Theme.space8 + contextFact.implicitWidth
                height: Theme.smallLine

                Gauge {
                    id: gauge

                    name: qsTr("Context")
                    valueText: root.status.contextSpoken
                    value: root.status.contextFraction
                    tint: root.status.contextLevel === StatusModel.Plain ? Theme.accent
                        : root.status.contextLevel === StatusModel.Filling ? Theme.warning : Theme.danger
                    width: (root.narrow ? 32 : 56) * Theme.textScale
                    anchors.verticalCenter: parent.verticalCenter
                }
                StatusFact {
                    id: contextFact

                    x: gauge.width + Theme.space8
                    label: qsTr("Context")
                    labelShown: !root.narrow
                    value: root.status.contextShort
                    hint: qsTr("How much of what the model can see at once is used")
                }
            }
            StatusFact {
                id: memory

                visible: !root.narrow
                label: qsTr("Memory")
                value: root.status.usedMemory
                widest: "888 MB"
                hint: qsTr("Memory of this program, the mapped model included")
            }
        }
    }
}
