pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Alcove.Models
import Alcove.Ui

// Which model answers. Arrows move without loading anything, Enter picks.
T.Popup {
    id: root

    required property AppModel app
    required property Actions actions

    readonly property ModelListModel models: root.app.models

    modal: false
    focus: true
    padding: Theme.space8
    margins: Theme.space8
    implicitHeight: contentItem.implicitHeight + 2 * padding
    closePolicy: T.Popup.CloseOnEscape | T.Popup.CloseOnPressOutsideParent
    onAboutToShow: {
        filter.text = "";
        root.models.rescan();
        list.currentIndex = Math.max(0, root.models.rowOfCurrent());
        filter.forceActiveFocus(Qt.PopupFocusReason);
    }
    onClosed: root.models.dropQuestion()

    Connections {
        target: root.models

        function onPicked() {
            root.close();
        }
    }

    background: PopupPanel {}

    contentItem: ColumnLayout {
        spacing: Theme.space8

        AppTextField {
            id: filter

            name: qsTr("Filter models")
            symbol: "filter"
            placeholderText: qsTr("Filter models")
            Layout.fillWidth: true
            visible: root.models.total > 0
            onTextChanged: root.models.filter = text
            Keys.onDownPressed: list.incrementCurrentIndex()
            Keys.onUpPressed: list.decrementCurrentIndex()
            Keys.onReturnPressed: root.models.pick(list.currentIndex)
            Keys.onEnterPressed: root.models.pick(list.currentIndex)
        }

        ListView {
            id: list

            Layout.fillWidth: true
            Layout.fillHeight: true
            Layout.preferredHeight: Math.min(contentHeight, 340 * Theme.textScale)
            Layout.minimumHeight: Math.min(contentHeight, 60 * Theme.textScale)
            clip: true
            model: root.models
            reuseItems: true
            boundsBehavior: Flickable.StopAtBounds
            highlightMoveDuration: 0
            visible: count > 0
            Accessible.role: Accessible.List
            Accessible.name: qsTr("Models")
            T.ScrollBar.vertical: AppScrollBar {}

            delegate: ModelRow {
                id: row

                width: ListView.view.width
                highlighted: ListView.isCurrentItem
                onClicked: {
                    list.currentIndex = row.index;
                    root.models.pick(row.index);
                }
                onForgetRequested: root.models.forget(row.index)
            }
        }
        Text {
            text: root.models.total === 0 ? (root.models.scanning ? qsTr("Looking for models\u2026") : qsTr("No models yet."))
                                          : qsTr("No model matches \u201c%1\u201d.").arg(root.models.filter)
            textFormat: Text.PlainText
            font: Theme.label
            color: Theme.text2
            visible: list.count === 0
            wrapMode: Text.Wrap
            leftPadding: Theme.space8
            topPadding: Theme.space8
            Layout.fillWidth: true
            Accessible.role: Accessible.StaticText
            Accessible.name: text
        }
        Notice {
            what: root.models.question
            serious: false
            visible: root.models.question !== ""
            closable: false
            Layout.fillWidth: true

            AppButton {
                text: qsTr("Load anyway")
                onClicked: root.models.pickAnyway()
            }
            AppButton {
                kind: AppButton.Quiet
                text: qsTr("Cancel")
                onClicked: root.models.dropQuestion()
            }
        }
        Rectangle {
            Layout.fillWidth: true
            Layout.preferredHeight: Theme.line
            color: Theme.hairline
            Accessible.ignored: true
        }
        RowLayout {
            Layout.fillWidth: true
            spacing: Theme.space8

            AppButton {
                text: qsTr("Add a model file\u2026")
                symbol: "folder"
                onClicked: {
                    root.close();
                    root.actions.openFile.trigger();
                }
            }
            Item {
                Layout.fillWidth: true
            }
            AppButton {
                kind: AppButton.Quiet
                text: qsTr("Unload")
                hint: qsTr("Frees the memory of the loaded model")
                visible: root.app.modelBar.state === ModelBarModel.Ready
                onClicked: {
                    root.app.modelBar.act();
                    root.close();
                }
            }
        }
        Text {
            text: qsTr("Or drop a .gguf file anywhere in this window. It stays where it is.")
            textFormat: Text.PlainText
            font: Theme.small
            color: Theme.text2
            wrapMode: Text.Wrap
            Layout.fillWidth: true
            Layout.leftMargin: Theme.space4
            Layout.bottomMargin: Theme.space4
        }
    }
}
