import QtQuick
import Alcove.Models
import Alcove.Ui

// The text of a row. Its text is no binding: RowText edits it at its end.
TextEdit {
    id: root

    required property ChatContext chat
    required property int row
    required property var content
    property real lineHeight: Theme.bodyLine

    function refreshSelection() {
        words.select(root.chat.selection.startIn(root.row), root.chat.selection.endIn(root.row));
    }

    function offsetAt(x: real, y: real): int {
        return words.offsetAt(x, y);
    }

    function linkAt(x: real, y: real): string {
        return words.linkAt(x, y);
    }

    function showCursor(overLink: bool) {
        words.setCursorShape(overLink);
    }

    textFormat: TextEdit.PlainText
    readOnly: true
    selectByMouse: false
    selectByKeyboard: false
    persistentSelection: true
    activeFocusOnPress: false
    cursorVisible: false
    wrapMode: TextEdit.Wrap
    font: Theme.body
    color: Theme.text
    selectionColor: Theme.selection
    selectedTextColor: Theme.text
    Accessible.role: Accessible.EditableText
    Accessible.readOnly: true
    Accessible.multiLine: true

    onContentChanged: {
        if (!root.chat.selection.empty)
            root.refreshSelection();
    }

    RowText {
        id: words

        edit: root
        style: root.chat.style
        lineHeight: root.lineHeight
        content: root.content
    }
    Connections {
        target: root.chat.selection

        function onChanged() {
            root.refreshSelection();
        }
    }
}
