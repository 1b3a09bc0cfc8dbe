pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Alcove.Models
import Alcove.Ui

// What the numbers are: this answer, its speed over time, context, memory, processor.
Rectangle {
    id: root

    required property AppModel app
    property bool drawer: false

    readonly property StatusModel status: root.app.status

    color: Theme.window
    Accessible.role: Accessible.Pane
    Accessible.name: qsTr("Inspector")

    function focusFirst() {
        flick.forceActiveFocus(Qt.TabFocusReason);
    }

    component SectionTitle: Text {
        textFormat: Text.PlainText
        font: Theme.labelStrong
        color: Theme.text
        topPadding: Theme.space16
        bottomPadding: Theme.space4
        Layout.fillWidth: true
        Accessible.role: Accessible.Heading
        Accessible.name: text
    }

    Flickable {
        id: flick

        anchors.fill: parent
        contentHeight: column.implicitHeight + Theme.space24
        boundsBehavior: Flickable.StopAtBounds
        clip: true
        activeFocusOnTab: contentHeight > height
        Accessible.role: Accessible.Pane
        Accessible.name: qsTr("Values")
        Keys.onUpPressed: flick.contentY = Math.max(0, flick.contentY - Theme.space48)
        Keys.onDownPressed: flick.contentY = Math.max(0, Math.min(flick.contentHeight - flick.height, flick.contentY + Theme.space48))
        T.ScrollBar.vertical: AppScrollBar {}

        ColumnLayout {
            id: column

            x: Theme.space16
            width: flick.width - 2 * Theme.space16
            spacing: Theme.space4

            SectionTitle {
                text: qsTr("This answer")
            }
            ValueRow {
                label: qsTr("Reading")
                value: root.status.reading
                hint: qsTr("How fast the model reads what is new to it")
            }
            ValueRow {
                label: qsTr("Writing")
                value: root.status.writing
                hint: qsTr("How fast the answer is written, over the last two seconds")
            }
            ValueRow {
                label: qsTr("Writing, whole answer")
                value: root.status.writingMean
                hint: qsTr("The mean speed from the first word on")
            }
            ValueRow {
                label: qsTr("First word after")
                value: root.status.firstWord
                hint: qsTr("From sending to the first word of the answer")
            }
            ValueRow {
                label: qsTr("Tokens")
                value: root.status.tokens
                hint: qsTr("Tokens of the answer; a token is a piece of a word")
            }
            ValueRow {
                label: qsTr("Ended")
                value: root.status.stopReason
                hint: qsTr("Why the answer ends where it ends")
            }

            SectionTitle {
                text: qsTr("Writing speed, last minute")
            }
            Rectangle {
                Layout.fillWidth: true
                Layout.preferredHeight: 64 * Theme.textScale
                radius: Theme.radiusPanel
                color: Theme.surface
                border.width: Theme.line
                border.color: Theme.hairline

                SpeedGraph {
                    anchors.fill: parent
                    anchors.margins: Theme.space8
                    samples: root.status.samples
                    lineColor: Theme.accent
                    baseColor: Theme.controlLine
                    Accessible.role: Accessible.Chart
                    Accessible.name: qsTr("Writing speed, last minute, large: %1").arg(root.status.samplesText)
                }
            }
            Text {
                text: root.status.samplesText
                textFormat: Text.PlainText
                font: Theme.small
                color: Theme.text2
                Layout.fillWidth: true
                wrapMode: Text.Wrap
            }

            SectionTitle {
                text: qsTr("Context")
            }
            Gauge {
                name: qsTr("Context, large")
                valueText: root.status.contextSpoken
                value: root.status.contextFraction
                thickness: Theme.space8
                tint: root.status.contextLevel === StatusModel.Plain ? Theme.accent
                    : root.status.contextLevel === StatusModel.Filling ? Theme.warning : Theme.danger
                Layout.fillWidth: true
                Layout.bottomMargin: Theme.space4
            }
            ValueRow {
                label: qsTr("Used")
                value: root.status.context
                hint: qsTr("How much of what the model can see at once is used")
            }
            ValueRow {
                label: qsTr("Read for this answer")
                value: root.status.keptTokens
                hint: qsTr("Kept tokens were read for an earlier answer and need no second reading")
            }
            Text {
                text: root.status.contextAdvice
                textFormat: Text.PlainText
                font: Theme.small
                color: root.status.contextLevel === StatusModel.NearlyFull ? Theme.danger : Theme.warning
                visible: text !== ""
                wrapMode: Text.Wrap
                Layout.fillWidth: true
            }

            SectionTitle {
                text: qsTr("Memory")
            }
            ValueRow {
                label: qsTr("Model")
                value: root.status.modelMemory
                hint: qsTr("The weights, mapped from the file; the system may drop and read them again")
            }
            ValueRow {
                label: qsTr("Context")
                value: root.status.contextMemory
                hint: qsTr("What the model keeps of the conversations it has read")
            }
            ValueRow {
                label: qsTr("Alcove in all")
                value: root.status.usedMemory
                hint: qsTr("Memory of this program, the mapped model included")
            }
            ValueRow {
                label: qsTr("Free")
                value: root.status.freeMemory
                hint: qsTr("What programs can still get on this computer")
            }
            ValueRow {
                label: qsTr("Kept conversations")
                value: root.status.keptConversations
                hint: qsTr("Conversations that need no second reading")
            }

            SectionTitle {
                text: qsTr("Processor")
            }
            ValueRow {
                label: qsTr("Used by the model")
                value: root.status.threads
                hint: qsTr("Threads that compute the answer")
            }
            ValueRow {
                label: qsTr("Share of this computer")
                value: root.status.processor
                hint: qsTr("How much of the whole processor Alcove uses now")
            }

            AppButton {
                text: qsTr("Copy these values")
                symbol: "copy"
                hint: qsTr("As text, without a word of any conversation")
                Layout.topMargin: Theme.space16
                onClicked: root.app.copyText(root.status.diagnostics())
            }
        }
    }
}
