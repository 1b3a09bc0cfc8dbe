pragma ComponentBehavior: Bound
import QtQuick
import Alcove.Models
import Alcove.Ui

// What every row of the chat has: the space above, the panel around the person's own messages, the mark of the keyboard.
// A row holds no state of its own: it may show another block at any time.
Item {
    id: root

    required property ChatContext chat
    required property int index
    required property double messageId
    required property bool mine
    required property int place
    required property real gap
    required property string accessibleName

    // Set by the row: the height below the gap, and of own messages the width that their text needs.
    property real contentHeight: 0
    property real wantedWidth: root.panelMost
    property bool inPanel: root.mine

    readonly property real spaceAbove: root.gap * Theme.textScale
    readonly property bool first: (root.place & BlockListModel.First) !== 0
    readonly property bool last: (root.place & BlockListModel.Last) !== 0
    readonly property real panelMost: root.chat.columnWidth - Math.min(120 * Theme.textScale, root.chat.columnWidth * 0.15)
    readonly property real panelWidth: root.first && root.last ? Math.min(root.panelMost, root.wantedWidth) : root.panelMost
    readonly property real panelX: root.chat.columnX + root.chat.columnWidth - root.panelWidth
    readonly property real padX: root.inPanel ? Theme.space12 + Theme.space2 : 0
    readonly property real padTop: root.inPanel && root.first ? Theme.space8 : 0
    readonly property real padBottom: root.inPanel && root.last ? Theme.space8 : 0
    readonly property real bodyX: root.inPanel ? root.panelX + root.padX : root.chat.columnX
    readonly property real bodyY: root.spaceAbove + root.padTop
    readonly property real bodyWidth: (root.inPanel ? root.panelWidth : root.chat.columnWidth) - 2 * root.padX
    readonly property bool current: root.chat.keyboard && root.chat.currentMessage === root.messageId
                                    && (root.chat.currentRow < 0 || root.chat.currentRow === root.index)

    // Of rows with text, by positions in the row.
    function offsetAt(x: real, y: real): int {
        return y < root.spaceAbove ? 0 : 1 << 30;
    }

    function linkAt(x: real, y: real): string {
        return "";
    }

    function showCursor(overLink: bool) {
    }

    function scrollBy(pixels: real): bool {
        return false;
    }

    function refreshSelection() {
    }

    width: ListView.view ? ListView.view.width : 0
    height: root.spaceAbove + root.padTop + root.contentHeight + root.padBottom
    Accessible.role: Accessible.ListItem
    Accessible.name: root.accessibleName

    onHeightChanged: root.chat.scroll.rowHeight(root.index, root.height)
    onIndexChanged: root.chat.scroll.rowHeight(root.index, root.height)
    Component.onCompleted: {
        root.chat.scroll.rowHeight(root.index, root.height);
        root.refreshSelection();
    }
    ListView.onReused: root.refreshSelection()

    PanelPiece {
        visible: root.inPanel
        first: root.first
        last: root.last
        x: root.panelX
        y: root.first ? root.spaceAbove : 0
        width: root.panelWidth
        height: root.height - y
        around: Theme.radiusPopup
        color: Theme.userPanel
    }
    Rectangle {
        visible: root.current
        x: (root.inPanel ? root.panelX : root.chat.columnX) - Theme.space12
        y: root.chat.currentRow < 0 && !root.first ? 0 : root.spaceAbove
        width: Theme.focusLine
        height: root.height - y
        color: Theme.focus
        Accessible.ignored: true
    }
}
