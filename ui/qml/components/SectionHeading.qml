import QtQuick
import Alcove.Ui

// A heading between rows of the conversation list.
Text {
    id: root

    required property string section

    width: parent ? parent.width : 0
    leftPadding: Theme.space16
    topPadding: Theme.space12
    bottomPadding: Theme.space4
    text: root.section
    textFormat: Text.PlainText
    font: Theme.small
    color: Theme.text2
    elide: Text.ElideRight
    Accessible.role: Accessible.Heading
    Accessible.name: root.section
}
