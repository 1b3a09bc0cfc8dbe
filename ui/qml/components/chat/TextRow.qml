pragma ComponentBehavior: Bound
import QtQuick
import Alcove.Models
import Alcove.Ui

// A paragraph, heading, list item, quote or formula.
ChatRow {
    id: root

    required property var content

    readonly property int level: root.content.level
    readonly property real step: Theme.space24
    readonly property real quoteIndent: root.content.quoteDepth * Theme.space16
    readonly property real listIndent: root.content.listDepth * root.step
    readonly property bool quiet: root.content.quoteDepth > 0 || root.content.inReasoning
    readonly property real reasoningIndent: root.content.inReasoning ? Theme.space16 : 0
    readonly property real indent: root.quoteIndent + root.listIndent + root.reasoningIndent
    readonly property font textFont: root.level === 0 ? Theme.body : root.level === 1 ? Theme.display : root.level === 2 ? Theme.title : Theme.bodyStrong

    function offsetAt(x: real, y: real): int {
        return edit.offsetAt(x - edit.x, y - edit.y);
    }

    function linkAt(x: real, y: real): string {
        return edit.linkAt(x - edit.x, y - edit.y);
    }

    function showCursor(overLink: bool) {
        edit.showCursor(overLink);
    }

    function refreshSelection() {
        edit.refreshSelection();
    }

    contentHeight: edit.height
    // A short message of the person has a panel of its own width.
    wantedWidth: Math.ceil(edit.implicitWidth) + 2 * root.padX + 1

    Rectangle {
        visible: root.content.quoteDepth > 0 || root.content.inReasoning
        x: root.bodyX + (root.content.inReasoning ? Theme.space4 : 0)
        y: root.gap > 8 && !root.content.inReasoning ? root.bodyY : 0
        width: Theme.space2
        height: root.height - y
        color: Theme.hairline
        Accessible.ignored: true
    }
    Text {
        visible: root.content.marker !== "" && root.content.task < 0
        x: root.bodyX + root.indent - width - Theme.space8
        y: root.bodyY
        text: root.content.marker
        textFormat: Text.PlainText
        font: Theme.body
        color: Theme.text2
        height: Theme.bodyLine
        // Where a text of fixed line height has its base line.
        verticalAlignment: Text.AlignBottom
        Accessible.ignored: true
    }
    Rectangle {
        visible: root.content.task >= 0
        x: root.bodyX + root.indent - width - Theme.space8
        y: root.bodyY + Math.round((Theme.bodyLine - height) / 2)
        width: Theme.iconSmall - 2
        height: width
        radius: 3
        color: root.content.task === 1 ? Theme.accent : "transparent"
        border.width: Theme.line
        border.color: root.content.task === 1 ? Theme.accent : Theme.controlLine
        Accessible.role: Accessible.CheckBox
        Accessible.checked: root.content.task === 1
        Accessible.name: root.content.task === 1 ? qsTr("Done") : qsTr("Not done")

        Icon {
            visible: root.content.task === 1
            anchors.centerIn: parent
            icon: "check"
            side: parent.width - 2
            color: Theme.onAccent
        }
    }
    RowEdit {
        id: edit

        x: root.bodyX + root.indent
        y: root.bodyY
        width: root.bodyWidth - root.indent
        chat: root.chat
        row: root.index
        content: root.content
        font: root.textFont
        lineHeight: root.level === 1 ? Theme.displayLine : root.level === 2 ? Theme.titleLine : Theme.bodyLine
        color: root.quiet ? Theme.text2 : Theme.text
        horizontalAlignment: root.content.formula ? TextEdit.AlignHCenter : TextEdit.AlignLeft
        Accessible.name: root.accessibleName
    }
}
