pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Templates as T
import Alcove.Ui

// A button with text, and an icon if it has one. Kinds: primary (the one thing to do here), normal, quiet, danger.
T.Button {
    id: root

    enum Kind { Normal, Primary, Quiet, Danger }

    property int kind: AppButton.Normal
    property string symbol: ""
    property string hint: ""
    readonly property bool hinted: root.hint !== "" && (root.hovered || root.visualFocus)
    readonly property color front: root.kind === AppButton.Primary ? Theme.onAccent
                                 : root.kind === AppButton.Danger ? Theme.danger : Theme.text

    text: root.action ? root.action.text : ""
    Accessible.role: Accessible.Button
    Accessible.name: root.text
    Accessible.description: root.hint
    focusPolicy: Qt.StrongFocus
    hoverEnabled: true
    font: Theme.labelStrong
    spacing: Theme.space8
    leftPadding: root.symbol === "" ? Theme.space12 : Theme.space8
    rightPadding: Theme.space12
    topPadding: Theme.space4
    bottomPadding: Theme.space4
    implicitWidth: Math.max(Theme.target, implicitContentWidth + leftPadding + rightPadding)
    implicitHeight: Math.max(Theme.control, implicitContentHeight + topPadding + bottomPadding)
    opacity: root.enabled ? 1 : 0.5

    contentItem: Item {
        implicitWidth: label.implicitWidth + (root.symbol === "" ? 0 : Theme.iconSmall + root.spacing)
        implicitHeight: label.implicitHeight

        Icon {
            id: picture

            icon: root.symbol
            visible: root.symbol !== ""
            side: Theme.iconSmall
            color: root.front
            x: Math.max(0, (parent.width - parent.implicitWidth) / 2)
            anchors.verticalCenter: parent.verticalCenter
        }
        Text {
            id: label

            text: root.text
            textFormat: Text.PlainText
            font: root.font
            color: root.front
            elide: Text.ElideRight
            x: root.symbol === "" ? Math.max(0, (parent.width - implicitWidth) / 2) : picture.x + Theme.iconSmall + root.spacing
            width: Math.min(implicitWidth, parent.width - x)
            anchors.verticalCenter: parent.verticalCenter
        }
    }
    background: Rectangle {
        radius: Theme.radiusControl + 2
        color: root.kind === AppButton.Primary ? Theme.accent
             : root.kind === AppButton.Quiet ? "transparent" : Theme.surface
        border.width: root.kind === AppButton.Normal || root.kind === AppButton.Danger ? Theme.line : 0
        border.color: root.kind === AppButton.Danger ? Theme.danger : Theme.controlLine

        Rectangle {
            anchors.fill: parent
            radius: parent.radius
            color: root.down ? Theme.pressed : root.hovered ? Theme.hover : "transparent"
        }
    }

    onHintedChanged: root.hinted ? HintState.show(root, root.hint) : HintState.hide(root)
    Component.onDestruction: HintState.hide(root)

    FocusRing {
        shown: root.visualFocus
        around: Theme.radiusControl + 2
    }
}
