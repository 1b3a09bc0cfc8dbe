import QtQuick
import Alcove.Ui

// The space before the first and after the last message.
Item {
    height: Theme.space12
}
