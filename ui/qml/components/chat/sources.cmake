# The chat message area, listed for ui/qml/CMakeLists.txt; paths relative to ui/qml.
set(ALCOVE_CHAT_QML)
set(ALCOVE_CHAT_SOURCES)
