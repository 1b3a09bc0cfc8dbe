pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Templates as T
import Alcove.Ui

// One line of input, with an icon if it has one. `name` says what it is for.
T.TextField {
    id: root

    required property string name
    property string symbol: ""

    Accessible.role: Accessible.EditableText
    Accessible.name: root.name
    font: Theme.label
    color: Theme.text
    selectionColor: Theme.selection
    selectedTextColor: Theme.text
    placeholderTextColor: Theme.text2
    selectByMouse: true
    verticalAlignment: TextInput.AlignVCenter
    leftPadding: root.symbol === "" ? Theme.space8 : Theme.space8 + Theme.iconSmall + Theme.space8
    rightPadding: Theme.space8
    implicitHeight: Theme.control
    implicitWidth: 200 * Theme.textScale

    background: Rectangle {
        radius: Theme.radiusControl + 2
        color: Theme.surface
        border.width: root.activeFocus ? Theme.focusLine : Theme.line
        border.color: root.activeFocus ? Theme.focus : Theme.controlLine
    }

    Icon {
        icon: root.symbol
        visible: root.symbol !== ""
        side: Theme.iconSmall
        color: Theme.text2
        x: Theme.space8
        anchors.verticalCenter: parent.verticalCenter
    }
    Text {
        text: root.placeholderText
        textFormat: Text.PlainText
        font: root.font
        color: Theme.text2
        elide: Text.ElideRight
        visible: root.length === 0 && root.preeditText === ""
        verticalAlignment: Text.AlignVCenter
        x: root.leftPadding
        width: root.width - root.leftPadding - root.rightPadding
        height: root.height
        Accessible.ignored: true
    }
}
