import QtQuick
import QtQuick.Dialogs

// The system's dialog for a model file, where there is one. Made when it is first needed.
FileDialog {
    title: qsTr("Choose a model or an adapter")
    nameFilters: [qsTr("Models and adapters (*.gguf *.safetensors adapter_config.json)"), qsTr("All files (*)")]
    fileMode: FileDialog.OpenFile
}
