pragma Singleton
import QtQuick

// Which control shows its hint now, and which.
QtObject {
    id: root

    property Item target: null
    property string text: ""

    function show(item: Item, text: string) {
        root.text = text;
        root.target = item;
    }

    function hide(item: Item) {
        if (root.target === item)
            root.target = null;
    }
}
