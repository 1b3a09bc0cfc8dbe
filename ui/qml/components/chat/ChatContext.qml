import QtQuick
import Alcove.Models
import Alcove.Ui

// What the rows of a chat view share. Signals carry the message they are about.
QtObject {
    id: root

    required property BlockListModel messages
    required property ChatSelection selection
    required property ScrollState scroll
    required property RowStyle style

    // The column of text, and how far tables and code may reach from its left edge.
    property real columnX: 0
    property real columnWidth: 600
    property real wideWidth: 600
    property real codeTab: 32

    // Reached by keyboard: a message, and within it a row (-1: the message as a whole).
    property double currentMessage: 0
    property int currentRow: -1
    property bool keyboard: false
    property double hoveredMessage: 0

    // How far code blocks and tables are scrolled sideways, by message and group.
    property var sideways: ({})
    property int sidewaysChanges: 0

    signal editRequested(double id)
    signal againRequested(double id)
    signal continueRequested(double id)
    signal branchRequested(double id, int step)
    signal menuRequested(double id, Item near)

    function sidewaysOf(id: double, group: int): real {
        return root.sidewaysChanges >= 0 ? (root.sideways[id + ":" + group] ?? 0) : 0;
    }

    function scrollSideways(id: double, group: int, position: real) {
        root.sideways[id + ":" + group] = position;
        root.sidewaysChanges += 1;
    }
}
