pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Alcove.Models
import Alcove.Ui

// Which adapters this conversation is written with, and how strongly. Nothing changes before Use, because the model then
// reads the conversation again.
T.Popup {
    id: root

    required property AppModel app

    readonly property AdapterListModel adapters: root.app.adapters

    signal addRequested

    modal: false
    focus: true
    padding: Theme.space12
    margins: Theme.space8
    implicitHeight: contentItem.implicitHeight + 2 * padding
    closePolicy: T.Popup.CloseOnEscape | T.Popup.CloseOnPressOutsideParent
    onAboutToShow: {
        root.adapters.refresh();
        frame.forceActiveFocus(Qt.PopupFocusReason);
    }
    onClosed: {
        root.adapters.reset();
        root.adapters.dropFailure();
    }

    function use() {
        root.adapters.apply();
        root.close();
    }

    background: PopupPanel {}

    contentItem: FocusScope {
        id: frame

        implicitHeight: column.implicitHeight
        Keys.onPressed: event => {
            const enter = event.key === Qt.Key_Return || event.key === Qt.Key_Enter;
            if (enter && (event.modifiers & Qt.ControlModifier)) {
                root.use();
                event.accepted = true;
            }
        }

        ColumnLayout {
            id: column

            anchors.fill: parent
            spacing: Theme.space8

            RowLayout {
                spacing: Theme.space8
                Layout.fillWidth: true

                Text {
                    text: root.adapters.modelName === "" ? qsTr("Adapters") : qsTr("Adapters for %1").arg(root.adapters.modelName)
                    textFormat: Text.PlainText
                    font: Theme.labelStrong
                    color: Theme.text
                    elide: Text.ElideMiddle
                    Layout.fillWidth: true
                    Accessible.role: Accessible.Heading
                    Accessible.name: text
                }
                AppButton {
                    text: qsTr("Add a file\u2026")
                    symbol: "folder"
                    onClicked: root.addRequested()
                }
            }
            Notice {
                what: root.adapters.failure
                visible: root.adapters.failure !== ""
                Layout.fillWidth: true
                onDismissed: root.adapters.dropFailure()
            }
            ListView {
                id: list

                Layout.fillWidth: true
                Layout.fillHeight: true
                Layout.preferredHeight: Math.min(contentHeight, 380 * Theme.textScale)
                Layout.minimumHeight: Math.min(contentHeight, 80 * Theme.textScale)
                clip: true
                model: root.adapters
                boundsBehavior: Flickable.StopAtBounds
                visible: count > 0
                Accessible.role: Accessible.List
                Accessible.name: qsTr("Adapters")
                T.ScrollBar.vertical: AppScrollBar {}

                delegate: AdapterRow {
                    width: ListView.view.width - Theme.space8
                    adapters: root.adapters
                }
            }
            Text {
                text: qsTr("No adapters yet. Add a LoRA file (.gguf), a PEFT folder by its adapter_config.json, or drop one on this window. It stays where it is.")
                textFormat: Text.PlainText
                font: Theme.label
                color: Theme.text2
                wrapMode: Text.Wrap
                visible: list.count === 0
                Layout.fillWidth: true
                Accessible.role: Accessible.StaticText
                Accessible.name: text
            }
            Rectangle {
                Layout.fillWidth: true
                Layout.preferredHeight: Theme.line
                color: Theme.hairline
                Accessible.ignored: true
            }
            Text {
                text: root.adapters.note
                textFormat: Text.PlainText
                font: Theme.small
                color: Theme.text2
                wrapMode: Text.Wrap
                visible: text !== ""
                Layout.fillWidth: true
                Accessible.role: Accessible.StaticText
                Accessible.name: text
            }
            RowLayout {
                spacing: Theme.space8
                Layout.fillWidth: true

                AppButton {
                    text: qsTr("Compare with none")
                    hint: qsTr("Answers the last question again with and without these adapters, with the same seed")
                    enabled: root.adapters.canCompare
                    onClicked: {
                        root.adapters.compare();
                        root.close();
                    }
                }
                Item {
                    Layout.fillWidth: true
                }
                AppButton {
                    text: qsTr("Use")
                    hint: qsTr("Use (Ctrl+Enter)")
                    kind: AppButton.Primary
                    enabled: root.adapters.changed
                    onClicked: root.use()
                }
            }
        }
    }
}
