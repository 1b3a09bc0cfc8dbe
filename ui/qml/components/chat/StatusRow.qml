import QtQuick
import Alcove.Ui

// How an answer ended, if not by itself.
ChatRow {
    id: root

    required property string title
    required property string detail

    contentHeight: words.height

    Icon {
        x: root.bodyX
        y: root.bodyY + Math.round((Theme.labelLine - height) / 2)
        icon: root.detail === "" ? "info" : "warning"
        side: Theme.iconSmall
        color: root.detail === "" ? Theme.text2 : Theme.warning
    }
    Text {
        id: words

        x: root.bodyX + Theme.iconSmall + Theme.space8
        y: root.bodyY
        width: root.bodyWidth - Theme.iconSmall - Theme.space8
        text: root.detail === "" ? root.title : root.title + "\n" + root.detail
        textFormat: Text.PlainText
        font: Theme.label
        color: Theme.text2
        wrapMode: Text.Wrap
        lineHeight: Theme.labelLine
        lineHeightMode: Text.FixedHeight
        Accessible.role: Accessible.StaticText
        Accessible.name: text
    }
}
