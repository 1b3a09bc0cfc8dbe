import QtQuick
import QtQuick.Templates as T
import Alcove.Ui

// The short text that appears over a control after a moment: one for the whole window, shown where HintState says. It
// takes no key, so that Escape stays with what is below it.
T.ToolTip {
    id: root

    readonly property Item near: HintState.target
    readonly property point at: root.near && root.parent ? root.near.mapToItem(root.parent, 0, 0) : Qt.point(0, 0)
    readonly property bool below: root.near && root.parent ? root.at.y + root.near.height + implicitHeight + Theme.space16 < root.parent.height : true

    text: HintState.text
    visible: root.near !== null
    delay: Theme.hintDelay
    closePolicy: T.Popup.NoAutoClose
    margins: Theme.space4
    leftPadding: Theme.space8
    rightPadding: Theme.space8
    topPadding: Theme.space4
    bottomPadding: Theme.space4
    x: root.near ? root.at.x + (root.near.width - implicitWidth) / 2 : 0
    y: !root.near ? 0 : root.below ? root.at.y + root.near.height + Theme.space8 : root.at.y - implicitHeight - Theme.space8
    implicitWidth: Math.min(words.implicitWidth + leftPadding + rightPadding, 320 * Theme.textScale)
    implicitHeight: contentHeight + topPadding + bottomPadding
    contentHeight: words.contentHeight

    contentItem: Text {
        id: words

        text: root.text
        textFormat: Text.PlainText
        font: Theme.small
        color: Theme.surface
        wrapMode: Text.Wrap
    }
    background: Rectangle {
        color: Theme.text
        radius: Theme.radiusControl + 2
    }
}
