pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import Alcove.Models
import Alcove.Ui

// One adapter in the picker: whether it is used, how strongly, and what is known about it.
Item {
    id: root

    required property int index
    required property string name
    required property string detail
    required property string reason
    required property string details
    required property bool usable
    required property bool chosen
    required property real scale
    required property real least
    required property real most
    required property string spoken

    required property AdapterListModel adapters

    property bool detailsOpen: false

    implicitHeight: column.implicitHeight + 2 * Theme.space8
    Accessible.role: Accessible.ListItem
    Accessible.name: root.spoken

    ColumnLayout {
        id: column

        x: Theme.space8
        y: Theme.space8
        width: parent.width - 2 * Theme.space8
        spacing: Theme.space4

        RowLayout {
            spacing: Theme.space8
            Layout.fillWidth: true

            AppCheckBox {
                text: root.name
                checked: root.chosen
                enabled: root.usable || root.chosen
                opacity: enabled ? 1 : 0.6
                Layout.fillWidth: true
                onToggled: {
                    root.adapters.setChosen(root.index, checked);
                    checked = Qt.binding(() => root.chosen);
                }
            }
            Text {
                text: root.detail
                textFormat: Text.PlainText
                font: Theme.small
                color: Theme.text2
            }
            IconButton {
                symbol: "info"
                text: qsTr("Details of %1").arg(root.name)
                hint: qsTr("Details")
                checked: root.detailsOpen
                onClicked: root.detailsOpen = !root.detailsOpen
            }
            IconButton {
                symbol: "close"
                text: qsTr("Forget %1; the file stays").arg(root.name)
                hint: qsTr("Forget; the file stays")
                onClicked: root.adapters.forget(root.index)
            }
        }
        RowLayout {
            visible: root.usable || root.chosen
            spacing: Theme.space8
            Layout.fillWidth: true

            StrengthSlider {
                id: slider

                name: qsTr("Strength of %1").arg(root.name)
                valueText: field.text
                from: root.least
                to: root.most
                value: root.scale
                Layout.fillWidth: true
                onMoved: {
                    root.adapters.setScale(root.index, value);
                    value = Qt.binding(() => root.scale);
                }
                onResetRequested: root.adapters.setScale(root.index, 1)
            }
            AppTextField {
                id: field

                name: qsTr("Strength of %1 as a number").arg(root.name)
                implicitWidth: 68 * Theme.textScale
                horizontalAlignment: TextInput.AlignRight
                onTextEdited: root.adapters.typeScale(root.index, text) // so that Use sees it at once
                onEditingFinished: {
                    root.adapters.typeScale(root.index, text);
                    text = root.adapters.scaleText(root.scale);
                }

                Binding on text {
                    when: !field.activeFocus || slider.pressed
                    value: root.adapters.scaleText(root.scale)
                    restoreMode: Binding.RestoreNone
                }
            }
        }
        Text {
            text: root.scale === 0 ? qsTr("0 is off: as without the adapter.") : ""
            textFormat: Text.PlainText
            font: Theme.small
            color: Theme.text2
            visible: text !== "" && root.chosen
            Layout.fillWidth: true
        }
        Text {
            text: root.reason
            textFormat: Text.PlainText
            font: Theme.small
            color: Theme.danger
            wrapMode: Text.Wrap
            visible: text !== ""
            maximumLineCount: root.detailsOpen ? 12 : 3
            elide: Text.ElideRight
            Layout.fillWidth: true
        }
        Text {
            text: root.details
            textFormat: Text.PlainText
            font: Theme.small
            color: Theme.text2
            wrapMode: Text.WrapAnywhere
            visible: root.detailsOpen
            Layout.fillWidth: true
            Accessible.role: Accessible.StaticText
            Accessible.name: text
        }
    }
}
