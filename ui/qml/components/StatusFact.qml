pragma ComponentBehavior: Bound
import QtQuick
import Alcove.Ui

// A value of the status line with its name. `widest` keeps the place so that the line does not shake.
Item {
    id: root

    required property string label
    required property string value
    property string widest: ""
    property bool labelShown: true
    property string hint: ""
    readonly property bool hinted: root.hint !== "" && (hover.hovered)

    implicitWidth: number.x + (root.value.length > 1 ? Math.max(number.implicitWidth, metrics.width) : number.implicitWidth)
    implicitHeight: Theme.smallLine
    Accessible.role: Accessible.StaticText
    Accessible.name: qsTr("%1: %2", "name, value").arg(root.label).arg(root.value)
    Accessible.description: root.hint

    TextMetrics {
        id: metrics

        font: Theme.small
        text: root.widest
    }
    Text {
        id: name

        visible: root.labelShown
        text: root.label
        textFormat: Text.PlainText
        font: Theme.small
        color: Theme.text2
        Accessible.ignored: true
    }
    Text {
        id: number

        x: root.labelShown ? name.implicitWidth + Theme.space4 : 0
        text: root.value
        textFormat: Text.PlainText
        font: Theme.small
        color: Theme.text
        Accessible.ignored: true
    }
    onHintedChanged: root.hinted ? HintState.show(root, root.hint) : HintState.hide(root)
    Component.onDestruction: HintState.hide(root)

    HoverHandler {
        id: hover
    }
}
