pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Alcove.Models
import Alcove.Ui

// What stands where the messages will be: the ways to a first model, or, with a model, what it is and the instructions
// for this conversation.
Flickable {
    id: root

    required property AppModel app
    required property Actions actions

    readonly property bool hasModel: root.app.modelBar.state !== ModelBarModel.None

    contentHeight: Math.max(height, column.implicitHeight + 2 * Theme.space24)
    boundsBehavior: Flickable.StopAtBounds
    clip: true
    T.ScrollBar.vertical: AppScrollBar {}
    Accessible.role: Accessible.Pane
    Accessible.name: qsTr("Start of a conversation")

    ColumnLayout {
        id: column

        anchors.horizontalCenter: parent.horizontalCenter
        y: Math.max(Theme.space24, (root.contentHeight - implicitHeight) / 2)
        width: Math.min(root.width - 2 * Theme.space24, 560 * Theme.textScale)
        spacing: Theme.space8

        Image {
            source: Theme.iconSource("io.github.alcove.Alcove")
            sourceSize.width: width
            sourceSize.height: height
            Layout.preferredWidth: 64 * Theme.textScale
            Layout.preferredHeight: 64 * Theme.textScale
            Layout.alignment: Qt.AlignHCenter
            Layout.bottomMargin: Theme.space8
            visible: root.height > 380 * Theme.textScale // what can be done here comes first
            Accessible.ignored: true
        }
        Text {
            text: root.hasModel ? root.app.modelBar.name : qsTr("Welcome to Alcove")
            textFormat: Text.PlainText
            font: Theme.display
            color: Theme.text
            horizontalAlignment: Text.AlignHCenter
            wrapMode: Text.Wrap
            Layout.fillWidth: true
            Accessible.role: Accessible.Heading
            Accessible.name: text
        }
        Text {
            text: root.hasModel ? root.app.modelFacts : qsTr("Everything you write stays on this computer.")
            textFormat: Text.PlainText
            font: Theme.body
            color: Theme.text2
            horizontalAlignment: Text.AlignHCenter
            wrapMode: Text.Wrap
            lineHeight: Theme.bodyLine
            lineHeightMode: Text.FixedHeight
            Layout.fillWidth: true
            Accessible.role: Accessible.StaticText
            Accessible.name: text
        }

        // Without a model.
        GridLayout {
            columns: column.width > 420 * Theme.textScale ? 2 : 1
            columnSpacing: Theme.space8
            rowSpacing: Theme.space8
            visible: !root.hasModel
            Layout.topMargin: Theme.space16
            Layout.alignment: Qt.AlignHCenter

            AppButton {
                kind: root.app.models.total > 0 ? AppButton.Primary : AppButton.Normal
                text: qsTr("Choose a model")
                symbol: "model"
                visible: root.app.models.total > 0
                onClicked: root.actions.chooseModel.trigger()
            }
            AppButton {
                kind: root.app.models.total > 0 ? AppButton.Normal : AppButton.Primary
                text: qsTr("Choose a model file\u2026")
                symbol: "folder"
                onClicked: root.actions.openFile.trigger()
            }
        }
        Rectangle {
            visible: !root.hasModel
            color: "transparent"
            radius: Theme.radiusPopup
            border.width: Theme.line
            border.color: Theme.hairline
            implicitHeight: facts.implicitHeight + 2 * Theme.space16
            Layout.fillWidth: true
            Layout.topMargin: Theme.space16

            ColumnLayout {
                id: facts

                x: Theme.space16
                y: Theme.space16
                width: parent.width - 2 * Theme.space16
                spacing: Theme.space12

                Repeater {
                    model: [
                        { icon: "drop", text: qsTr("Drop a .gguf file anywhere in this window. It stays where it is.") },
                        { icon: "system", text: qsTr("This computer: %1.").arg(root.app.computer) },
                        { icon: "memory", text: root.app.roomForModels }
                    ]

                    RowLayout {
                        required property var modelData

                        spacing: Theme.space12
                        visible: modelData.text !== ""

                        Icon {
                            icon: parent.modelData.icon
                            color: Theme.text2
                            Layout.alignment: Qt.AlignTop
                        }
                        Text {
                            text: parent.modelData.text
                            textFormat: Text.PlainText
                            font: Theme.label
                            color: Theme.text2
                            wrapMode: Text.Wrap
                            Layout.fillWidth: true
                            Accessible.role: Accessible.StaticText
                            Accessible.name: text
                        }
                    }
                }
            }
        }

        // With a model.
        Text {
            text: qsTr("Instructions for this conversation")
            textFormat: Text.PlainText
            font: Theme.labelStrong
            color: Theme.text
            visible: root.hasModel
            Layout.topMargin: Theme.space24
            Layout.fillWidth: true
            Accessible.ignored: true
        }
        Rectangle {
            visible: root.hasModel
            radius: Theme.radiusPanel
            color: Theme.surface
            border.width: system.activeFocus ? Theme.focusLine : Theme.line
            border.color: system.activeFocus ? Theme.focus : Theme.controlLine
            implicitHeight: Math.max(3 * Theme.bodyLine + 2 * Theme.space8, system.implicitHeight)
            Layout.fillWidth: true

            T.TextArea {
                id: system

                anchors.fill: parent
                Accessible.role: Accessible.EditableText
                Accessible.name: qsTr("Instructions for this conversation")
                Accessible.multiLine: true
                textFormat: TextEdit.PlainText
                wrapMode: TextEdit.Wrap
                font: Theme.label
                color: Theme.text
                selectionColor: Theme.selection
                selectedTextColor: Theme.text
                selectByMouse: true
                leftPadding: Theme.space12
                rightPadding: Theme.space12
                topPadding: Theme.space8
                bottomPadding: Theme.space8
                implicitHeight: contentHeight + topPadding + bottomPadding
                Component.onCompleted: text = root.app.systemPrompt
                Keys.onTabPressed: system.nextItemInFocusChain(true).forceActiveFocus(Qt.TabFocusReason)
                Keys.onBacktabPressed: system.nextItemInFocusChain(false).forceActiveFocus(Qt.BacktabFocusReason)
                onActiveFocusChanged: {
                    if (!activeFocus)
                        root.app.systemPrompt = text;
                }

                Connections {
                    target: root.app

                    function onSystemPromptChanged() {
                        if (system.text !== root.app.systemPrompt)
                            system.text = root.app.systemPrompt;
                    }
                }
                Text {
                    x: system.leftPadding
                    y: system.topPadding
                    width: system.width - system.leftPadding - system.rightPadding
                    text: qsTr("Optional: how the model should answer, in your own words")
                    textFormat: Text.PlainText
                    font: system.font
                    color: Theme.text2
                    wrapMode: Text.Wrap
                    visible: system.length === 0 && system.preeditText === ""
                    Accessible.ignored: true
                }
            }
        }
    }
}
