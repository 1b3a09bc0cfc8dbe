pragma ComponentBehavior: Bound
import QtQuick
import Alcove.Models
import Alcove.Ui

// The pointer over the messages: wheel, selecting by dragging, links. It lies under the rows, so their buttons come first.
MouseArea {
    id: root

    required property Item view
    required property ListView list
    required property ChatContext chat

    property bool selecting: false
    property string pressedLink: ""
    property Item under: null

    signal linkHovered(string address)
    signal linkClicked(string address)
    signal menuWanted(double id)
    signal moveRequested(real pixels)

    function itemAt(y: real): ChatRow {
        const row = root.list.indexAt(root.width / 2, root.list.contentY + y);
        return row < 0 ? null : root.list.itemAtIndex(row) as ChatRow;
    }

    function extendTo(x: real, y: real) {
        const inside = Math.max(1, Math.min(root.height - 1, y));
        const item = root.itemAt(inside);
        if (item)
            root.chat.selection.extend(item.index, item.offsetAt(x, inside - (item.y - root.list.contentY)));
    }

    function hover(x: real, y: real) {
        const item = root.itemAt(y);
        root.under = item;
        root.chat.hoveredMessage = item ? item.messageId : 0;
        const link = item ? item.linkAt(x, y - (item.y - root.list.contentY)) : "";
        root.linkHovered(link);
        if (item)
            item.showCursor(link !== "");
    }

    hoverEnabled: true
    acceptedButtons: Qt.LeftButton | Qt.RightButton
    preventStealing: true
    Accessible.ignored: true

    onPressed: mouse => {
        root.view.forceActiveFocus(Qt.MouseFocusReason);
        const item = root.itemAt(mouse.y);
        if (!item)
            return;
        if (mouse.button === Qt.RightButton) {
            root.menuWanted(item.messageId);
            return;
        }
        root.chat.keyboard = false;
        root.chat.currentMessage = item.messageId;
        root.chat.currentRow = -1;
        const x = mouse.x;
        const y = mouse.y - (item.y - root.list.contentY);
        root.pressedLink = item.linkAt(x, y);
        if (mouse.modifiers & Qt.ShiftModifier)
            root.chat.selection.extend(item.index, item.offsetAt(x, y));
        else
            root.chat.selection.begin(item.index, item.offsetAt(x, y));
        root.selecting = true;
    }
    onPositionChanged: mouse => {
        if (root.selecting)
            root.extendTo(mouse.x, mouse.y);
        else
            root.hover(mouse.x, mouse.y);
    }
    onReleased: {
        root.selecting = false;
        if (root.chat.selection.empty && root.pressedLink !== "")
            root.linkClicked(root.pressedLink);
        root.pressedLink = "";
    }
    onDoubleClicked: mouse => {
        const item = root.itemAt(mouse.y);
        if (item && mouse.button === Qt.LeftButton)
            root.chat.selection.selectWord(item.index, item.offsetAt(mouse.x, mouse.y - (item.y - root.list.contentY)));
    }
    onExited: {
        root.chat.hoveredMessage = 0;
        root.linkHovered("");
    }
    onWheel: wheel => {
        const touch = wheel.pixelDelta.y !== 0 || wheel.pixelDelta.x !== 0;
        const x = touch ? wheel.pixelDelta.x : wheel.angleDelta.x / 120 * 3 * Theme.bodyLine;
        const y = touch ? wheel.pixelDelta.y : wheel.angleDelta.y / 120 * 3 * Theme.bodyLine;
        const sideways = Math.abs(x) > Math.abs(y) || (wheel.modifiers & Qt.ShiftModifier);
        if (sideways) {
            const item = root.itemAt(wheel.y);
            if (item)
                item.scrollBy(-(x !== 0 ? x : y));
        } else {
            root.moveRequested(-y);
            root.hover(wheel.x, wheel.y);
        }
    }

    // Dragging beyond an edge goes on scrolling.
    Timer {
        interval: 33
        repeat: true
        running: root.selecting && (root.mouseY < 0 || root.mouseY > root.height)
        onTriggered: {
            root.moveRequested(root.mouseY < 0 ? root.mouseY / 3 : (root.mouseY - root.height) / 3);
            root.extendTo(root.mouseX, root.mouseY);
        }
    }
}
