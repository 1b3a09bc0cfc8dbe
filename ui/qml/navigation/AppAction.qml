import QtQuick.Templates as T

// One thing that can be done, for menus, buttons, keys and the list of keys alike. `keys` are all its keys; the first is
// the one that is shown.
T.Action {
    id: root

    property list<string> keys
    property string symbol: ""
    property string group: ""
    // Keys that the focused control handles itself are listed, not grabbed.
    property bool grabs: true
    readonly property string keysText: Array.from(root.keys).join(", ")
}
