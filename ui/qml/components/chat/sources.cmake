# The chat message area, listed for ui/qml/CMakeLists.txt; paths relative to ui/qml.
set(ALCOVE_CHAT_QML
    components/chat/ChatContext.qml
    components/chat/ChatPointer.qml
    components/chat/ChatRow.qml
    components/chat/ChatScrollBar.qml
    components/chat/ChatView.qml
    components/chat/CodeRow.qml
    components/chat/FooterRow.qml
    components/chat/HeaderRow.qml
    components/chat/LinkDialog.qml
    components/chat/ListGap.qml
    components/chat/MoreRow.qml
    components/chat/PanelPiece.qml
    components/chat/PlaceholderRow.qml
    components/chat/ReadingRow.qml
    components/chat/ReasoningRow.qml
    components/chat/RowEdit.qml
    components/chat/RuleRow.qml
    components/chat/SelectTextDialog.qml
    components/chat/StatusRow.qml
    components/chat/TableRow.qml
    components/chat/TextRow.qml
)
set(ALCOVE_CHAT_SOURCES
    components/chat/link_guard.cpp components/chat/link_guard.h
    components/chat/row_highlighter.cpp components/chat/row_highlighter.h
    components/chat/row_style.h
    components/chat/row_text.cpp components/chat/row_text.h
    components/chat/table_item.cpp components/chat/table_item.h
)
# The generated registration of types includes headers by their bare names.
include_directories(${CMAKE_CURRENT_LIST_DIR})
