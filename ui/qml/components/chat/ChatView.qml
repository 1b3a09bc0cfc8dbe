pragma ComponentBehavior: Bound
import QtQuick
import Qt.labs.qmlmodels
import Alcove.Models
import Alcove.Ui

// The messages of a conversation. Wheel, keys, dragging and selecting are handled here; the list only lays rows out and
// keeps the first row in view where it is.
FocusScope {
    id: root

    required property BlockListModel messages
    // The address under the pointer, for the status line.
    property string hoveredLink: ""
    readonly property alias following: scrollState.following
    readonly property alias selectionEmpty: chosen.empty
    readonly property real firstRowY: list.contentY
    readonly property ListView view: list
    readonly property ScrollState scroll: scrollState
    readonly property ChatSelection selection: chosen

    signal editRequested(double id)
    signal againRequested(double id)
    signal continueRequested(double id)
    signal branchRequested(double id, int step)
    // Left by Escape or by Down after the last message.
    signal composerRequested

    function follow() {
        scrollState.following = true;
        root.toEnd();
    }

    // Called later; the person may have moved away meanwhile.
    function followEnd() {
        if (scrollState.following)
            root.toEnd();
    }

    function toEnd() {
        list.positionViewAtEnd();
        // Rows that were just made may be higher than the list thought.
        list.forceLayout();
        list.positionViewAtEnd();
        scrollState.atEnd();
    }

    function copySelection() {
        chosen.copy();
    }

    function moveBy(pixels: real) {
        if (pixels === 0 || list.count === 0)
            return;
        if (pixels < 0)
            scrollState.following = false;
        root.prepare(pixels);
        const low = list.originY;
        // Over more than a view the place of the first row is an estimate: it is found by row, not by distance.
        if (pixels < -list.height && list.contentY + pixels <= low) {
            root.goToStart();
            return;
        }
        const high = Math.max(low, list.originY + list.contentHeight - list.height);
        list.contentY = Math.max(low, Math.min(high, list.contentY + pixels));
        root.moved(pixels > 0 ? 1 : -1);
    }

    // Messages that the next view shows have to be parsed before it is there.
    function prepare(pixels: real) {
        const row = list.indexAt(root.width / 2, list.contentY + (pixels > 0 ? list.height - 1 : 1));
        if (row >= 0)
            root.messages.ensureParsed(row);
    }

    function moved(direction: int) {
        const low = list.originY;
        const high = Math.max(low, list.originY + list.contentHeight - list.height);
        const atEnd = high - list.contentY <= 24 && root.lastRowInView();
        scrollState.following = atEnd;
        root.tellPlace(atEnd ? 1 : direction);
        if (atEnd)
            scrollState.atEnd();
    }

    function lastRowInView(): bool {
        return list.itemAtIndex(list.count - 1) !== null;
    }

    function tellPlace(direction: int) {
        const row = list.indexAt(root.width / 2, list.contentY + 1);
        if (row < 0)
            return;
        // No conditional expression with null here: code compiled ahead by Qt 6.4 then takes a null item for a true one.
        const item = list.itemAtIndex(row);
        if (item !== null)
            scrollState.place(row, list.contentY - item.y, direction);
    }

    function goToRow(row: int, offset: real) {
        scrollState.following = false;
        const there = root.messages.ensureParsed(row);
        list.positionViewAtIndex(there, ListView.Beginning);
        list.forceLayout();
        list.positionViewAtIndex(there, ListView.Beginning);
        if (offset !== 0) {
            const high = Math.max(list.originY, list.originY + list.contentHeight - list.height);
            list.contentY = Math.min(high, list.contentY + offset);
        }
    }

    function goToStart() {
        root.goToRow(0, 0);
        root.tellPlace(-1);
    }

    function goToThumb(position: real) {
        const direction = position > scrollState.thumbPosition ? 1 : -1;
        if (position >= 0.999) {
            root.follow();
            return;
        }
        root.goToRow(scrollState.rowAtThumb(position), scrollState.offsetAtThumb(position));
        root.moved(direction);
    }

    // The row and the place in its text under a point of the view.
    function rowAt(y: real): Item {
        return list.itemAtIndex(list.indexAt(root.width / 2, list.contentY + y)); // null where there is no row
    }

    function showRow(row: int) {
        list.positionViewAtIndex(row, ListView.Contain);
        root.moved(0);
    }

    function goToMessage(index: int) {
        if (index >= root.messages.messageCount) {
            root.composerRequested();
            return;
        }
        const at = Math.max(0, index);
        shared.currentMessage = root.messages.messageId(at);
        shared.currentRow = -1;
        root.messages.ensureParsed(root.messages.firstRowOf(at));
        root.showRow(root.messages.lastRowOf(at));
        root.showRow(root.messages.firstRowOf(at));
    }

    function currentIndex(): int {
        for (let i = root.messages.messageCount - 1; i >= 0; --i)
            if (root.messages.messageId(i) === shared.currentMessage)
                return i;
        return root.messages.messageCount - 1;
    }

    function stepRow(step: int) {
        const message = root.currentIndex();
        const row = shared.currentRow + step;
        if (row < root.messages.firstRowOf(message) || row > root.messages.lastRowOf(message))
            return;
        shared.currentRow = row;
        root.showRow(row);
    }

    function foldCurrent() {
        const message = root.currentIndex();
        const last = root.messages.lastRowOf(message);
        for (let row = shared.currentRow >= 0 ? shared.currentRow : root.messages.firstRowOf(message); row <= last; ++row) {
            if (root.messages.rowTypeAt(row) === BlockListModel.ReasoningRow) {
                root.messages.toggleFold(row);
                return;
            }
            if (root.messages.rowTypeAt(row) === BlockListModel.MoreRow && shared.currentRow === row) {
                root.messages.showMore(row);
                return;
            }
        }
    }

    function copyCurrent() {
        if (shared.currentRow >= 0 && root.messages.rowTypeAt(shared.currentRow) === BlockListModel.CodeRow)
            root.messages.copyCode(shared.currentRow);
        else
            root.messages.copyMessage(shared.currentMessage);
    }

    // Returns whether the key meant something here.
    function letter(key: int): bool {
        const id = shared.currentMessage;
        switch (key) {
        case Qt.Key_C:
            root.copyCurrent();
            return true;
        case Qt.Key_E:
            root.editRequested(id);
            return true;
        case Qt.Key_R:
            if (root.messages.isAnswer(id))
                root.againRequested(id);
            return true;
        case Qt.Key_BracketLeft:
            root.branchRequested(id, -1);
            return true;
        case Qt.Key_BracketRight:
            root.branchRequested(id, 1);
            return true;
        case Qt.Key_Space:
            root.foldCurrent();
            return true;
        default:
            return false;
        }
    }

    function arrow(event: KeyEvent): bool {
        const step = event.key === Qt.Key_Down ? 1 : event.key === Qt.Key_Up ? -1 : 0;
        if (step !== 0 && (event.modifiers & Qt.ShiftModifier)) {
            chosen.extendByRows(step);
            return true;
        }
        if (step !== 0) {
            if (shared.currentRow >= 0)
                root.stepRow(step);
            else
                root.goToMessage(root.currentIndex() + step);
            return true;
        }
        if (event.key === Qt.Key_Right) {
            shared.currentRow = root.messages.firstRowOf(root.currentIndex());
            root.showRow(shared.currentRow);
            return true;
        }
        if (event.key === Qt.Key_Left) {
            shared.currentRow = -1;
            return true;
        }
        return false;
    }

    activeFocusOnTab: root.messages.messageCount > 0
    clip: true
    Accessible.role: Accessible.Pane
    Accessible.name: qsTr("Messages")

    onActiveFocusChanged: {
        shared.keyboard = root.activeFocus;
        if (root.activeFocus && shared.currentMessage === 0 && root.messages.messageCount > 0)
            shared.currentMessage = root.messages.messageId(root.messages.messageCount - 1);
    }
    Keys.onPressed: event => {
        const plain = !(event.modifiers & (Qt.ControlModifier | Qt.AltModifier | Qt.MetaModifier));
        event.accepted = true;
        if (event.matches(StandardKey.Copy))
            chosen.empty ? root.messages.copyMessage(shared.currentMessage) : chosen.copy();
        else if (event.matches(StandardKey.SelectAll))
            chosen.selectAll();
        else if (event.key === Qt.Key_PageDown)
            root.moveBy(list.height - 2 * Theme.bodyLine);
        else if (event.key === Qt.Key_PageUp)
            root.moveBy(-(list.height - 2 * Theme.bodyLine));
        else if (event.key === Qt.Key_End)
            root.follow();
        else if (event.key === Qt.Key_Home)
            root.goToStart();
        else if (event.key === Qt.Key_Escape && !chosen.empty)
            chosen.clear();
        else if (!plain || !(root.arrow(event) || (event.modifiers === Qt.NoModifier && root.letter(event.key))))
            event.accepted = false;
    }

    RowStyle {
        id: rowStyle

        body: Theme.body
        code: Theme.code
        bodyLine: Theme.bodyLine
        codeLine: Theme.codeLine
        text: Theme.text
        text2: Theme.text2
        link: Theme.link
        inlineCode: Theme.hover
        selection: Theme.selection
        hairline: Theme.hairline
        header: Theme.hover
        keywordColor: Theme.codeKeyword
        stringColor: Theme.codeString
        commentColor: Theme.codeComment
        numberColor: Theme.codeNumber
        functionColor: Theme.codeFunction
        added: Theme.success
        removed: Theme.danger
    }
    FontMetrics {
        id: codeMetrics

        font: Theme.code
    }
    ChatSelection {
        id: chosen

        rows: root.messages
    }
    ScrollState {
        id: scrollState

        rows: root.messages
        width: shared.columnWidth
        textScale: Theme.textScale
        viewHeight: list.height
    }
    ChatContext {
        id: shared

        messages: root.messages
        selection: chosen
        scroll: scrollState
        style: rowStyle
        columnWidth: Math.max(160, Math.min(Theme.measure, root.width - 2 * Theme.space24))
        columnX: Math.round((root.width - shared.columnWidth) / 2)
        wideWidth: root.width - shared.columnX - Theme.space24
        codeTab: 4 * codeMetrics.averageCharacterWidth
        onEditRequested: id => root.editRequested(id)
        onAgainRequested: id => root.againRequested(id)
        onContinueRequested: id => root.continueRequested(id)
        onBranchRequested: (id, step) => root.branchRequested(id, step)
        onMenuRequested: (id, near) => {
            menu.message = id;
            menu.popup(near, 0, near.height);
        }
    }

    ChatPointer {
        anchors.fill: parent
        view: root
        list: list
        chat: shared
        onLinkHovered: address => root.hoveredLink = address
        onLinkClicked: address => question.ask(address)
        onMoveRequested: pixels => root.moveBy(pixels)
        onMenuWanted: id => {
            menu.message = id;
            menu.popup();
        }
    }

    ListView {
        id: list

        anchors.fill: parent
        model: root.messages
        interactive: false
        reuseItems: true
        cacheBuffer: Math.max(200, height)
        boundsBehavior: Flickable.StopAtBounds
        keyNavigationEnabled: false
        highlightFollowsCurrentItem: false
        currentIndex: -1
        activeFocusOnTab: false
        Accessible.role: Accessible.List
        Accessible.name: qsTr("Messages, oldest first")
        // From a file: Qt 6.4 cannot make a header from a component that is bound to this one. The parent keeps it
        // alive: the list holds no reference that the garbage collector sees.
        header: Qt.createComponent("ListGap.qml", Component.PreferSynchronous, list)
        footer: Qt.createComponent("ListGap.qml", Component.PreferSynchronous, list)

        onContentHeightChanged: {
            if (scrollState.following)
                Qt.callLater(root.followEnd); // qmllint disable
        }
        onHeightChanged: {
            if (scrollState.following)
                Qt.callLater(root.followEnd); // qmllint disable
        }

        delegate: DelegateChooser {
            role: "rowType"

            DelegateChoice {
                roleValue: BlockListModel.TextRow

                TextRow {
                    chat: shared
                }
            }
            DelegateChoice {
                roleValue: BlockListModel.CodeRow

                CodeRow {
                    chat: shared
                }
            }
            DelegateChoice {
                roleValue: BlockListModel.TableRow

                TableRow {
                    chat: shared
                }
            }
            DelegateChoice {
                roleValue: BlockListModel.HeaderRow

                HeaderRow {
                    chat: shared
                }
            }
            DelegateChoice {
                roleValue: BlockListModel.FooterRow

                FooterRow {
                    chat: shared
                }
            }
            DelegateChoice {
                roleValue: BlockListModel.ReasoningRow

                ReasoningRow {
                    chat: shared
                }
            }
            DelegateChoice {
                roleValue: BlockListModel.RuleRow

                RuleRow {
                    chat: shared
                }
            }
            DelegateChoice {
                roleValue: BlockListModel.MoreRow

                MoreRow {
                    chat: shared
                }
            }
            DelegateChoice {
                roleValue: BlockListModel.StatusRow

                StatusRow {
                    chat: shared
                }
            }
            DelegateChoice {
                roleValue: BlockListModel.ReadingRow

                ReadingRow {
                    chat: shared
                }
            }
            DelegateChoice {
                roleValue: BlockListModel.PlaceholderRow

                PlaceholderRow {
                    chat: shared
                }
            }
        }
    }

    ChatScrollBar {
        anchors.right: parent.right
        anchors.top: parent.top
        anchors.bottom: parent.bottom
        scroll: scrollState
        onMoveTo: position => root.goToThumb(position)
    }

    AppButton {
        id: latest

        anchors.horizontalCenter: parent.horizontalCenter
        anchors.bottom: parent.bottom
        anchors.bottomMargin: Theme.space8
        visible: !scrollState.following && scrollState.thumbSize < 1
        symbol: "arrow-down"
        text: scrollState.newRows > 0 ? qsTr("%n new line(s)", "", scrollState.newRows) : qsTr("Latest")
        Accessible.name: qsTr("Jump to latest")
        onClicked: root.follow()
    }

    // Where the link under the pointer leads.
    Rectangle {
        visible: root.hoveredLink !== ""
        anchors.left: parent.left
        anchors.bottom: parent.bottom
        width: Math.min(parent.width * 0.7, address.implicitWidth + 2 * Theme.space8)
        height: Theme.smallLine + Theme.space8
        radius: Theme.radiusControl
        color: Theme.sunken
        border.width: Theme.line
        border.color: Theme.hairline

        Text {
            id: address

            anchors.fill: parent
            anchors.leftMargin: Theme.space8
            anchors.rightMargin: Theme.space8
            verticalAlignment: Text.AlignVCenter
            text: root.hoveredLink
            textFormat: Text.PlainText
            font: Theme.small
            color: Theme.text2
            elide: Text.ElideMiddle
            Accessible.role: Accessible.StaticText
            Accessible.name: qsTr("Link to %1").arg(root.hoveredLink)
        }
    }

    Connections {
        target: root.messages

        function onGrown() {
            if (scrollState.following)
                Qt.callLater(root.followEnd); // qmllint disable
        }

        function onModelReset() {
            shared.currentMessage = 0;
            shared.currentRow = -1;
            shared.sideways = {};
            Qt.callLater(root.followEnd); // qmllint disable
        }
    }

    AppMenu {
        id: menu

        property double message: 0

        title: qsTr("Message")

        AppMenuItem {
            text: qsTr("Copy as plain text")
            symbol: "copy"
            onTriggered: root.messages.copyMessageAsText(menu.message)
        }
        AppMenuItem {
            text: qsTr("Copy as Markdown")
            symbol: "copy"
            onTriggered: root.messages.copyMessage(menu.message)
        }
        AppMenuItem {
            text: qsTr("Select text")
            symbol: "edit"
            onTriggered: whole.show(root.messages.messageText(menu.message))
        }
    }
    LinkGuard {
        id: linkGuard
    }
    LinkDialog {
        id: question

        guard: linkGuard
    }
    SelectTextDialog {
        id: whole
    }
}
