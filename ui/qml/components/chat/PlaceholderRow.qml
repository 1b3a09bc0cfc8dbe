import Alcove.Ui

// A message that is far away: room for it, nothing to see.
ChatRow {
    id: root

    inPanel: false
    contentHeight: 90 * Theme.textScale
}
