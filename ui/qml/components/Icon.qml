import QtQuick
import QtQuick.Controls.impl
import Alcove.Ui

// One of the icons in resources/icons, drawn in one colour. Decoration: whatever holds it has the name.
IconImage {
    id: root

    required property string icon
    property real side: Theme.icon

    source: root.icon === "" ? "" : Theme.iconSource(root.icon)
    sourceSize.width: root.side
    sourceSize.height: root.side
    width: root.side
    height: root.side
    color: Theme.text
    Accessible.ignored: true
}
