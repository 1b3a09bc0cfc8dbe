pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import Alcove.Ui

// A name and a value in the inspector, with a sentence that says what it is.
RowLayout {
    id: root

    required property string label
    required property string value
    property string hint: ""
    readonly property bool hinted: root.hint !== "" && (hover.hovered)

    spacing: Theme.space8
    Accessible.role: Accessible.StaticText
    Accessible.name: qsTr("%1: %2", "name, value").arg(root.label).arg(root.value)
    Accessible.description: root.hint

    Text {
        text: root.label
        textFormat: Text.PlainText
        font: Theme.label
        color: Theme.text2
        elide: Text.ElideRight
        Layout.fillWidth: true
        Layout.minimumWidth: implicitWidth
        Accessible.ignored: true
    }
    Text {
        text: root.value
        textFormat: Text.PlainText
        font: Theme.label
        color: Theme.text
        horizontalAlignment: Text.AlignRight
        wrapMode: Text.Wrap
        Layout.fillWidth: true
        Layout.maximumWidth: Math.ceil(implicitWidth)
        Accessible.ignored: true
    }
    onHintedChanged: root.hinted ? HintState.show(root, root.hint) : HintState.hide(root)
    Component.onDestruction: HintState.hide(root)

    HoverHandler {
        id: hover
    }
}
