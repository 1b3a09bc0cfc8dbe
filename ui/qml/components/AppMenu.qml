pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Templates as T
import Alcove.Ui

T.Menu {
    id: root

    margins: Theme.space8
    padding: Theme.space4
    overlap: 1
    implicitWidth: Math.max(180 * Theme.textScale, implicitContentWidth + leftPadding + rightPadding)
    implicitHeight: implicitContentHeight + topPadding + bottomPadding
    delegate: AppMenuItem {}

    contentItem: ListView {
        implicitWidth: {
            let widest = 0;
            for (let i = 0; i < root.count; ++i)
                widest = Math.max(widest, root.itemAt(i) ? root.itemAt(i).implicitWidth : 0);
            return widest;
        }
        implicitHeight: contentHeight
        model: root.contentModel
        interactive: false
        currentIndex: root.currentIndex
        Accessible.role: Accessible.PopupMenu
        Accessible.name: root.title
    }
    background: PopupPanel {
        around: Theme.radiusPanel
    }
}
