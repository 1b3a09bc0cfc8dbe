pragma ComponentBehavior: Bound
import QtQuick
import QtQml.Models
import Alcove.Models
import Alcove.Ui

// Every action of the window, once. No two enabled actions share a key.
Item {
    id: root

    required property AppModel app
    property bool popupOpen: false

    signal pickModelRequested
    signal pickAdaptersRequested
    signal openFileRequested
    signal inspectorRequested
    signal listRequested
    signal composerRequested
    signal paneRequested(int step)
    signal renameRequested
    signal appearanceRequested
    signal keysRequested
    signal copyCodeRequested
    signal quitRequested

    readonly property AppAction newConversation: AppAction {
        text: qsTr("New conversation")
        symbol: "new-chat"
        group: qsTr("Conversations")
        keys: ["Ctrl+N"]
        onTriggered: root.app.openNew()
    }
    readonly property AppAction rename: AppAction {
        text: qsTr("Rename conversation")
        symbol: "edit"
        group: qsTr("Conversations")
        keys: ["F2"]
        onTriggered: root.renameRequested()
    }
    readonly property AppAction nextConversation: AppAction {
        text: qsTr("Next conversation")
        group: qsTr("Conversations")
        keys: ["Ctrl+Tab"]
        onTriggered: root.app.openNeighbour(1)
    }
    readonly property AppAction previousConversation: AppAction {
        text: qsTr("Previous conversation")
        group: qsTr("Conversations")
        keys: ["Ctrl+Shift+Tab"]
        onTriggered: root.app.openNeighbour(-1)
    }
    readonly property AppAction undoDelete: AppAction {
        text: qsTr("Undo the last delete")
        symbol: "undo"
        group: qsTr("Conversations")
        keys: ["Ctrl+Z"]
        enabled: root.app.conversations.undoText !== ""
        onTriggered: root.app.conversations.undoRemove()
    }
    readonly property AppAction chooseModel: AppAction {
        text: qsTr("Choose a model")
        symbol: "model"
        group: qsTr("Model")
        keys: ["Ctrl+M"]
        onTriggered: root.pickModelRequested()
    }
    readonly property AppAction chooseAdapters: AppAction {
        text: qsTr("Choose adapters")
        symbol: "adapter"
        group: qsTr("Model")
        keys: ["Ctrl+Shift+A"]
        onTriggered: root.pickAdaptersRequested()
    }
    readonly property AppAction openFile: AppAction {
        text: qsTr("Add a model file")
        symbol: "folder"
        group: qsTr("Model")
        keys: ["Ctrl+O"]
        onTriggered: root.openFileRequested()
    }
    readonly property AppAction stop: AppAction {
        text: qsTr("Stop")
        symbol: "stop"
        group: qsTr("Answer")
        keys: ["Ctrl+."]
        enabled: root.app.status.busy
        onTriggered: root.app.stop()
    }
    // Popups close themselves with the same key, and editing an earlier message ends with it.
    readonly property AppAction leave: AppAction {
        text: root.app.composer.editing ? qsTr("Cancel editing") : qsTr("Stop the answer")
        group: qsTr("Answer")
        keys: ["Esc"]
        enabled: !root.popupOpen && (root.app.status.busy || root.app.composer.editing)
        onTriggered: root.app.composer.editing ? root.app.composer.cancelEdit() : root.app.stop()
    }
    readonly property AppAction again: AppAction {
        text: qsTr("Write the last answer again")
        symbol: "again"
        group: qsTr("Answer")
        keys: ["Ctrl+R"]
        enabled: !root.app.empty && !root.app.composer.answering
        onTriggered: root.app.writeAgain()
    }
    readonly property AppAction copyAnswer: AppAction {
        text: qsTr("Copy the last answer")
        symbol: "copy"
        group: qsTr("Answer")
        keys: ["Ctrl+Shift+C"]
        enabled: !root.app.empty
        onTriggered: root.app.copyLastAnswer()
    }
    readonly property AppAction copyCode: AppAction {
        text: qsTr("Copy the last code block")
        symbol: "copy"
        group: qsTr("Answer")
        keys: ["Ctrl+Shift+K"]
        enabled: !root.app.empty
        onTriggered: root.copyCodeRequested()
    }
    readonly property AppAction composer: AppAction {
        text: qsTr("Go to the message field")
        group: qsTr("Window")
        keys: ["Ctrl+L"]
        onTriggered: root.composerRequested()
    }
    readonly property AppAction list: AppAction {
        text: qsTr("Show or hide the list")
        symbol: "sidebar"
        group: qsTr("Window")
        keys: ["Ctrl+B"]
        onTriggered: root.listRequested()
    }
    readonly property AppAction inspector: AppAction {
        text: qsTr("Show or hide the inspector")
        symbol: "inspector"
        group: qsTr("Window")
        keys: ["Ctrl+I"]
        onTriggered: root.inspectorRequested()
    }
    readonly property AppAction nextPane: AppAction {
        text: qsTr("Next pane")
        group: qsTr("Window")
        keys: ["F6"]
        onTriggered: root.paneRequested(1)
    }
    readonly property AppAction previousPane: AppAction {
        text: qsTr("Previous pane")
        group: qsTr("Window")
        keys: ["Shift+F6"]
        onTriggered: root.paneRequested(-1)
    }
    readonly property AppAction appearance: AppAction {
        text: qsTr("Appearance")
        symbol: "appearance"
        group: qsTr("Window")
        keys: ["Ctrl+,"]
        onTriggered: root.appearanceRequested()
    }
    readonly property AppAction growText: AppAction {
        text: qsTr("Larger text")
        symbol: "plus"
        group: qsTr("Window")
        keys: ["Ctrl++", "Ctrl+="]
        enabled: root.app.appearance.canGrow
        onTriggered: root.app.appearance.growText()
    }
    readonly property AppAction shrinkText: AppAction {
        text: qsTr("Smaller text")
        symbol: "minus"
        group: qsTr("Window")
        keys: ["Ctrl+-"]
        enabled: root.app.appearance.canShrink
        onTriggered: root.app.appearance.shrinkText()
    }
    readonly property AppAction resetText: AppAction {
        text: qsTr("Normal text size")
        group: qsTr("Window")
        keys: ["Ctrl+0"]
        onTriggered: root.app.appearance.resetText()
    }
    readonly property AppAction showKeys: AppAction {
        text: qsTr("List of keys")
        symbol: "keyboard"
        group: qsTr("Window")
        keys: ["F1", "Ctrl+/"]
        onTriggered: root.keysRequested()
    }
    readonly property AppAction quit: AppAction {
        text: qsTr("Quit")
        group: qsTr("Window")
        keys: ["Ctrl+Q"]
        onTriggered: root.quitRequested()
    }

    readonly property list<AppAction> all: [root.newConversation, root.rename, root.nextConversation,
        root.previousConversation, root.undoDelete, root.chooseModel, root.chooseAdapters, root.openFile, root.stop, root.leave, root.again,
        root.copyAnswer, root.copyCode, root.composer, root.list, root.inspector, root.nextPane, root.previousPane,
        root.appearance, root.growText, root.shrinkText, root.resetText, root.showKeys, root.quit]

    Instantiator {
        model: root.all

        Shortcut {
            required property AppAction modelData

            sequences: Array.from(modelData.keys)
            enabled: modelData.enabled && modelData.grabs
            onActivated: modelData.trigger()
        }
    }
    // Ctrl+1 to Ctrl+9 open the first nine conversations.
    Instantiator {
        model: 9

        Shortcut {
            required property int index

            sequence: "Ctrl+" + (index + 1)
            onActivated: root.app.openNth(index)
        }
    }
}
