import QtQuick
import Alcove.Ui

// Shows the rest of long code or of a long table.
ChatRow {
    id: root

    required property string title

    contentHeight: button.height + Theme.space4

    AppButton {
        id: button

        x: root.bodyX
        y: root.bodyY + Theme.space4
        kind: AppButton.Quiet
        symbol: "chevron-down"
        text: root.title
        Accessible.name: text
        onClicked: root.chat.messages.showMore(root.index)
    }
}
