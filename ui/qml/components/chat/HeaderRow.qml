import QtQuick
import Alcove.Ui

// Who answers.
ChatRow {
    id: root

    required property string title

    contentHeight: Theme.labelLine

    Text {
        x: root.bodyX
        y: root.bodyY
        width: root.bodyWidth
        text: root.title
        textFormat: Text.PlainText
        font: Theme.labelStrong
        color: Theme.text2
        elide: Text.ElideMiddle
        Accessible.ignored: true
    }
}
