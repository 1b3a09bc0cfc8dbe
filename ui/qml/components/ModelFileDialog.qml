import QtQuick
import QtQuick.Dialogs

// The system's dialog for a model file, where there is one. Made when it is first needed.
FileDialog {
    title: qsTr("Choose a model file")
    nameFilters: [qsTr("Models (*.gguf)"), qsTr("All files (*)")]
    fileMode: FileDialog.OpenFile
}
