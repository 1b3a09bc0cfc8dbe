pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Alcove.Models
import Alcove.Ui

// The field for the next message. Enter sends and Shift+Enter breaks the line, or the other way round by the setting;
// Ctrl+Enter always sends. No key sends while an input method composes.
FocusScope {
    id: root

    required property AppModel app
    required property Actions actions
    property real paneHeight: 600

    readonly property ComposerModel model: root.app.composer
    readonly property int lines: 10

    implicitHeight: column.implicitHeight
    Accessible.role: Accessible.Pane
    Accessible.name: qsTr("Message field")

    function focusField() {
        field.forceActiveFocus(Qt.ShortcutFocusReason);
    }

    Connections {
        target: root.model

        function onTextReplaced() {
            if (field.text !== root.model.text)
                field.text = root.model.text;
            field.cursorPosition = Math.min(root.model.caret, field.length);
        }
    }

    Column {
        id: column

        width: parent.width
        spacing: Theme.space8

        RowLayout {
            width: parent.width
            spacing: Theme.space8
            visible: root.model.editing

            Icon {
                icon: "edit"
                side: Theme.iconSmall
                color: Theme.text2
            }
            Text {
                text: root.model.editingAnswer ? qsTr("Editing an answer. The first version stays.")
                                               : qsTr("Editing an earlier message. The first version stays.")
                textFormat: Text.PlainText
                font: Theme.small
                color: Theme.text2
                elide: Text.ElideRight
                Layout.fillWidth: true
            }
            AppButton {
                kind: AppButton.Quiet
                text: qsTr("Cancel editing")
                onClicked: root.model.cancelEdit()
            }
        }

        Rectangle {
            id: panel

            // The field has the keyboard most of the time: the thick ring is for coming here with Tab.
            readonly property bool byKeyboard: field.focusReason === Qt.TabFocusReason || field.focusReason === Qt.BacktabFocusReason

            width: parent.width
            height: flick.height + foot.height + Theme.space8
            radius: Theme.radiusPopup
            color: Theme.surface
            border.width: field.activeFocus && panel.byKeyboard ? Theme.focusLine : Theme.line
            border.color: field.activeFocus ? Theme.focus : Theme.controlLine

            Flickable {
                id: flick

                readonly property real most: Math.min(root.lines * Theme.bodyLine + field.topPadding + field.bottomPadding,
                                                      Math.max(3 * Theme.bodyLine, 0.4 * root.paneHeight))

                width: parent.width
                height: Math.min(field.implicitHeight, flick.most)
                clip: true
                boundsBehavior: Flickable.StopAtBounds
                T.ScrollBar.vertical: AppScrollBar {}

                T.TextArea.flickable: T.TextArea {
                    id: field

                    focus: true
                    Accessible.role: Accessible.EditableText
                    Accessible.name: qsTr("Message")
                    Accessible.description: root.model.note
                    Accessible.multiLine: true
                    textFormat: TextEdit.PlainText
                    wrapMode: TextEdit.Wrap
                    font: Theme.body
                    color: Theme.text
                    selectionColor: Theme.selection
                    selectedTextColor: Theme.text
                    selectByMouse: true
                    persistentSelection: true
                    placeholderText: root.app.composer.answering ? qsTr("Write the next message\u2026") : qsTr("Write a message\u2026")
                    leftPadding: Theme.space16
                    rightPadding: Theme.space16
                    topPadding: Theme.space12
                    bottomPadding: Theme.space4
                    implicitHeight: contentHeight + topPadding + bottomPadding
                    onTextChanged: root.model.text = text
                    onCursorPositionChanged: root.model.caret = cursorPosition
                    Component.onCompleted: {
                        text = root.model.text;
                        cursorPosition = Math.min(root.model.caret, length);
                    }
                    Keys.onPressed: event => root.key(event)

                    Text {
                        x: field.leftPadding
                        y: field.topPadding
                        width: field.width - field.leftPadding - field.rightPadding
                        text: field.placeholderText
                        textFormat: Text.PlainText
                        font: field.font
                        color: Theme.text2
                        elide: Text.ElideRight
                        visible: field.length === 0 && field.preeditText === ""
                        Accessible.ignored: true
                    }
                }
            }

            RowLayout {
                id: foot

                anchors.bottom: parent.bottom
                anchors.left: parent.left
                anchors.right: parent.right
                anchors.leftMargin: Theme.space16
                anchors.rightMargin: Theme.space8
                anchors.bottomMargin: Theme.space8
                height: Theme.control
                spacing: Theme.space12

                Icon {
                    icon: "warning"
                    side: Theme.iconSmall
                    color: Theme.warning
                    visible: root.model.noteIsWarning
                }
                Text {
                    text: root.model.note !== "" ? root.model.note : root.keysHint()
                    textFormat: Text.PlainText
                    font: Theme.small
                    color: root.model.noteIsWarning ? Theme.warning : Theme.text2
                    elide: Text.ElideRight
                    verticalAlignment: Text.AlignVCenter
                    Layout.fillWidth: true
                    Accessible.role: Accessible.StaticText
                    Accessible.name: text
                }
                // Send and Stop are one button at one place, so that it keeps the focus.
                AppButton {
                    id: sendButton

                    kind: root.model.answering ? AppButton.Normal : AppButton.Primary
                    symbol: root.model.answering ? "stop" : "arrow-up"
                    text: root.model.answering ? qsTr("Stop") : root.model.editingAnswer ? qsTr("Save") : qsTr("Send")
                    hint: root.model.answering ? qsTr("Stop the answer (Esc)") : root.model.sendReason
                    enabled: root.model.answering || root.model.canSend
                    focusPolicy: Qt.TabFocus
                    Layout.preferredWidth: Math.max(88 * Theme.textScale, implicitWidth)
                    onClicked: root.model.answering ? root.app.stop() : root.model.send()
                }
            }

            TapHandler {
                onTapped: field.forceActiveFocus(Qt.MouseFocusReason)
            }
        }
    }

    function keysHint(): string {
        if (root.model.answering)
            return qsTr("Ctrl+Enter sends it after the answer");
        return root.app.appearance.enterSends ? qsTr("Enter sends, Shift+Enter breaks the line")
                                              : qsTr("Ctrl+Enter sends, Enter breaks the line");
    }

    function key(event: var) {
        if (field.inputMethodComposing)
            return;
        const enter = event.key === Qt.Key_Return || event.key === Qt.Key_Enter;
        const control = event.modifiers & Qt.ControlModifier;
        const shift = event.modifiers & Qt.ShiftModifier;
        const tab = event.key === Qt.Key_Tab || event.key === Qt.Key_Backtab;
        if (tab && !control) {
            // A text area would take Tab as text; here it leaves the field.
            event.accepted = true;
            const back = event.key === Qt.Key_Backtab;
            field.nextItemInFocusChain(!back).forceActiveFocus(back ? Qt.BacktabFocusReason : Qt.TabFocusReason);
        } else if (enter && control) {
            event.accepted = true;
            root.model.sendAfterAnswer();
        } else if (enter && (root.app.appearance.enterSends ? !shift : shift)) {
            event.accepted = true;
            root.model.send();
        } else if (enter && shift) {
            event.accepted = true;
            field.insert(field.cursorPosition, "\n");
        } else if (event.key === Qt.Key_Up && field.length === 0) {
            event.accepted = true;
            root.model.editLast();
        } else if (event.matches(StandardKey.Undo) && !field.canUndo && root.actions.undoDelete.enabled) {
            event.accepted = true;
            root.actions.undoDelete.trigger();
        }
    }
}
