pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Alcove.Models
import Alcove.Ui

// One model in the picker.
T.ItemDelegate {
    id: root

    required property int index
    required property string name
    required property string detail
    required property string memory
    required property int fit
    required property string fitText
    required property string reason
    required property bool usable
    required property bool current
    required property string spoken

    signal forgetRequested

    Accessible.role: Accessible.ListItem
    Accessible.name: root.spoken
    Accessible.selected: root.current
    focusPolicy: Qt.NoFocus
    hoverEnabled: true
    leftPadding: Theme.space8
    rightPadding: Theme.space8
    topPadding: Theme.space8
    bottomPadding: Theme.space8
    implicitHeight: contentItem.implicitHeight + topPadding + bottomPadding

    contentItem: RowLayout {
        spacing: Theme.space8

        Icon {
            icon: root.current ? "check" : ""
            color: Theme.accent
            side: Theme.iconSmall
            Layout.alignment: Qt.AlignTop
            Layout.topMargin: 1
        }
        ColumnLayout {
            spacing: 0
            Layout.fillWidth: true

            Text {
                text: root.name
                textFormat: Text.PlainText
                font: root.current ? Theme.labelStrong : Theme.label
                color: root.usable ? Theme.text : Theme.text2
                elide: Text.ElideMiddle
                Layout.fillWidth: true
            }
            Text {
                text: root.detail
                textFormat: Text.PlainText
                font: Theme.small
                color: Theme.text2
                elide: Text.ElideRight
                Layout.fillWidth: true
            }
            Text {
                text: root.reason
                textFormat: Text.PlainText
                font: Theme.small
                color: root.usable ? Theme.warning : Theme.danger
                wrapMode: Text.Wrap
                visible: text !== ""
                maximumLineCount: 3
                elide: Text.ElideRight
                Layout.fillWidth: true
            }
        }
        ColumnLayout {
            spacing: 0
            visible: root.fitText !== ""
            Layout.alignment: Qt.AlignTop

            Text {
                text: root.fitText
                textFormat: Text.PlainText
                font: Theme.small
                color: root.fit === ModelListModel.TooBig ? Theme.danger
                     : root.fit === ModelListModel.Tight ? Theme.warning : Theme.success
                Layout.alignment: Qt.AlignRight
            }
            Text {
                text: root.memory
                textFormat: Text.PlainText
                font: Theme.small
                color: Theme.text2
                Layout.alignment: Qt.AlignRight
            }
        }
        IconButton {
            symbol: "close"
            text: qsTr("Forget %1; the file stays").arg(root.name)
            hint: qsTr("Forget; the file stays")
            visible: !root.usable
            focusPolicy: Qt.NoFocus
            Layout.alignment: Qt.AlignTop
            onClicked: root.forgetRequested()
        }
    }
    background: Rectangle {
        radius: Theme.radiusControl + 2
        color: root.down ? Theme.pressed : root.highlighted ? Theme.hover : root.hovered ? Theme.hover : "transparent"
    }

    FocusRing {
        shown: root.highlighted
        inside: true
        around: Theme.radiusControl + 2
    }
}
