pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Alcove.Models
import Alcove.Ui

// Theme, text size, motion and the sending key. Changes take effect at once.
T.Popup {
    id: root

    required property AppModel app

    readonly property AppearanceModel appearance: root.app.appearance

    modal: false
    focus: true
    padding: Theme.space16
    margins: Theme.space8
    implicitWidth: Math.min(420 * Theme.textScale, parent ? parent.width - 2 * Theme.space8 : 420)
    implicitHeight: contentItem.implicitHeight + 2 * padding
    closePolicy: T.Popup.CloseOnEscape | T.Popup.CloseOnPressOutside
    onOpened: themes.forceActiveFocus(Qt.PopupFocusReason)

    background: PopupPanel {}

    contentItem: FocusScope {
        id: themes

        implicitHeight: column.implicitHeight

        ColumnLayout {
            id: column

            width: parent.width
            spacing: Theme.space8

            Text {
                text: qsTr("Theme")
                textFormat: Text.PlainText
                font: Theme.labelStrong
                color: Theme.text
            }
            Segments {
                name: qsTr("Theme")
                labels: [qsTr("System"), qsTr("Light"), qsTr("Dark"), qsTr("Contrast")]
                current: root.appearance.theme
                onChosen: index => root.appearance.theme = index
                Layout.fillWidth: true
            }
            RowLayout {
                spacing: Theme.space8
                Layout.topMargin: Theme.space8

                Text {
                    text: qsTr("Text size")
                    textFormat: Text.PlainText
                    font: Theme.labelStrong
                    color: Theme.text
                    elide: Text.ElideRight
                    Layout.fillWidth: true
                }
                IconButton {
                    symbol: "minus"
                    text: qsTr("Smaller text")
                    enabled: root.appearance.canShrink
                    onClicked: root.appearance.shrinkText()
                }
                Text {
                    text: qsTr("%1 %", "percent").arg(root.appearance.textPercent)
                    textFormat: Text.PlainText
                    font: Theme.label
                    color: Theme.text
                    horizontalAlignment: Text.AlignHCenter
                    Layout.preferredWidth: 48 * Theme.textScale
                    Accessible.role: Accessible.StaticText
                    Accessible.name: qsTr("Text size %1 percent").arg(root.appearance.textPercent)
                }
                IconButton {
                    symbol: "plus"
                    text: qsTr("Larger text")
                    enabled: root.appearance.canGrow
                    onClicked: root.appearance.growText()
                }
                IconButton {
                    symbol: "undo"
                    text: qsTr("Normal text size")
                    enabled: root.appearance.textPercent !== 100
                    onClicked: root.appearance.resetText()
                }
            }
            AppCheckBox {
                text: qsTr("Enter sends the message (Shift+Enter breaks the line)")
                checked: root.appearance.enterSends
                Layout.fillWidth: true
                onToggled: root.appearance.enterSends = checked
            }
            AppCheckBox {
                text: qsTr("Less motion")
                checked: root.appearance.reducedMotion
                Layout.fillWidth: true
                onToggled: root.appearance.reducedMotion = checked
            }
        }
    }
}
