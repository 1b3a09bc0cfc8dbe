pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import Alcove.Models
import Alcove.Ui

// The chat: model bar, what went wrong, messages or the start of a conversation, composer.
Rectangle {
    id: root

    required property AppModel app
    required property Actions actions
    property bool narrow: false
    property bool listShown: true
    property bool inspectorShown: true
    readonly property string hoveredLink: messages.hoveredLink
    readonly property AdapterPicker adapterPicker: bar.adapterPicker

    color: Theme.surface
    Accessible.role: Accessible.Pane
    Accessible.name: qsTr("Conversation")

    function openPicker() {
        bar.openPicker();
    }

    function focusComposer() {
        composer.focusField();
    }

    function focusModel() {
        bar.focusModel();
    }

    // Sending shows the end, wherever the view was.
    Connections {
        target: root.app

        function onSent() {
            messages.follow();
        }
    }

    ModelBar {
        id: bar

        anchors.left: parent.left
        anchors.right: parent.right
        anchors.top: parent.top
        app: root.app
        actions: root.actions
        narrow: root.narrow
        listShown: root.listShown
        inspectorShown: root.inspectorShown
    }

    Item {
        id: middle

        anchors.left: parent.left
        anchors.right: parent.right
        anchors.top: bar.bottom
        anchors.bottom: bottom.top
        anchors.bottomMargin: Theme.space4

        Welcome {
            anchors.fill: parent
            app: root.app
            actions: root.actions
            visible: root.app.empty
        }
        ChatView {
            id: messages

            anchors.fill: parent
            messages: root.app.messages
            visible: !root.app.empty
            onEditRequested: id => root.app.editMessage(id)
            onAgainRequested: id => root.app.writeAnswerAgain(id)
            onContinueRequested: id => root.app.continueAnswer(id)
            onBranchRequested: (id, step) => root.app.stepBranch(id, step)
            onComposerRequested: composer.focusField()
        }
    }

    Column {
        id: bottom

        anchors.horizontalCenter: parent.horizontalCenter
        anchors.bottom: parent.bottom
        anchors.bottomMargin: Theme.space12
        width: Math.min(root.width - 2 * Theme.space16, Theme.measure + 2 * Theme.space16)
        spacing: Theme.space8

        Notice {
            what: root.app.notice
            serious: false
            visible: root.app.notice !== ""
            width: parent.width
            onDismissed: root.app.dropNotice()
        }
        Notice {
            what: root.app.models.failure.text
            details: root.app.models.failure.details
            visible: root.app.models.failure.present
            width: parent.width
            onDismissed: root.app.models.dropFailure()
            onCopyDetails: text => root.app.copyText(text)

            AppButton {
                text: qsTr("Choose another")
                onClicked: {
                    root.app.models.dropFailure();
                    root.actions.chooseModel.trigger();
                }
            }
        }
        Notice {
            what: root.app.modelBar.failure.text
            details: root.app.modelBar.failure.details
            closable: false
            visible: root.app.modelBar.failure.present
            width: parent.width
            onCopyDetails: text => root.app.copyText(text)

            AppButton {
                text: qsTr("Choose another")
                onClicked: root.actions.chooseModel.trigger()
            }
            AppButton {
                kind: AppButton.Quiet
                text: qsTr("Try again")
                visible: root.app.modelBar.failure.canRetry
                onClicked: root.app.modelBar.act()
            }
        }
        Notice {
            what: root.app.failure.text
            details: root.app.failure.details
            visible: root.app.failure.present
            width: parent.width
            onDismissed: root.app.dropFailure()
            onCopyDetails: text => root.app.copyText(text)

            AppButton {
                text: qsTr("Try again")
                visible: root.app.failure.canRetry
                onClicked: root.app.retry()
            }
            AppButton {
                text: qsTr("Choose another model")
                visible: root.app.failure.canChooseModel
                onClicked: root.actions.chooseModel.trigger()
            }
        }
        RowLayout {
            visible: root.app.busyElsewhere !== ""
            spacing: Theme.space8
            width: parent.width

            Text {
                text: qsTr("Writing in \u201c%1\u201d. Your answer starts after it.").arg(root.app.busyElsewhere)
                textFormat: Text.PlainText
                font: Theme.small
                color: Theme.text2
                elide: Text.ElideMiddle
                Layout.fillWidth: true
                Accessible.role: Accessible.StaticText
                Accessible.name: text
            }
            AppButton {
                kind: AppButton.Quiet
                text: qsTr("Go there")
                onClicked: root.app.openElsewhere()
            }
        }
        Composer {
            id: composer

            app: root.app
            actions: root.actions
            paneHeight: root.height
            width: parent.width
        }
    }

    Toast {
        anchors.horizontalCenter: parent.horizontalCenter
        anchors.bottom: bottom.top
        anchors.bottomMargin: Theme.space12
        text: root.app.conversations.undoText
        visible: text !== ""
        onUndone: root.actions.undoDelete.trigger()
        onClosed: root.app.conversations.dropUndo()
    }
}
