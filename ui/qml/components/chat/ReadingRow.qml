import QtQuick
import Alcove.Ui

// Progress before the first word.
ChatRow {
    id: root

    required property string title
    required property real progress

    contentHeight: words.height + Theme.space8 + bar.height

    Text {
        id: words

        x: root.bodyX
        y: root.bodyY
        width: root.bodyWidth
        text: root.title
        textFormat: Text.PlainText
        font: Theme.label
        color: Theme.text2
        wrapMode: Text.Wrap
        lineHeight: Theme.labelLine
        lineHeightMode: Text.FixedHeight
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }
    Gauge {
        id: bar

        x: root.bodyX
        y: words.y + words.height + Theme.space8
        width: Math.min(root.bodyWidth, 280 * Theme.textScale)
        opacity: root.progress >= 0 ? 1 : 0
        value: Math.max(0, root.progress)
        name: qsTr("Progress")
        valueText: root.title
    }
}
