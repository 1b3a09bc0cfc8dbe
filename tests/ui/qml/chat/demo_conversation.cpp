#include "tests/ui/qml/chat/demo_conversation.h"

namespace alcove::ui::test {
namespace {

app::Message message(qint64 id, app::Role role, const char* text) {
    app::Message result;
    result.id = id;
    result.conversationId = 1;
    result.parentId = id - 1;
    result.role = role;
    result.text = QString::fromUtf8(text);
    result.created = QDateTime(QDate(2025, 11, 29), QTime(14, 2), Qt::UTC);
    if (role == app::Role::Assistant) {
        app::AnswerFacts facts;
        facts.modelName = QStringLiteral("SmolLM2 135M Instruct");
        facts.generatedTokens = 212;
        facts.decodeSeconds = 7.5;
        facts.seed = 42;
        result.facts = facts;
    }
    return result;
}

} // namespace

QVector<app::Message> demoConversation() {
    using app::Role;
    QVector<app::Message> messages{
        message(1, Role::User, "Explain B-trees to a ten-year-old"),
        message(
            2, Role::Assistant,
            "<think>\nThe person wants a simple picture. A library works well: shelves are nodes, "
            "books are keys.\n\nKeep it short.\n</think>\n\n"
            "## A library with signs\n\n"
            "Imagine a library where **every shelf has a sign** that says which books stand on it: "
            "*A to F*, *G to M*, and so on. To find one book you never look at all of them; you "
            "read "
            "a sign, walk to the right shelf, and read the next sign.\n\n"
            "- A shelf never holds more than a few books, so it is quick to look through.\n"
            "- When a shelf is full, it is split into two, and a new sign is put up:\n"
            "  - the left shelf keeps the smaller half,\n"
            "  - the right shelf gets the larger half.\n"
            "- All shelves are equally far from the door.\n\n"
            "1. Read the sign at the door.\n2. Walk where it points.\n3. Repeat until you hold the "
            "book.\n\n"
            "> A B-tree is a tree that grows at its root, not at its leaves.\n\n"
            "In code, with `bisect` from the standard library:\n\n"
            "```python\nimport bisect\n\nclass Node:\n    \"\"\"One shelf: its books and the "
            "shelves below.\"\"\"\n\n"
            "    def __init__(self, keys=None, children=None):\n        self.keys = keys or []\n"
            "        self.children = children or []  # empty for a leaf\n\n"
            "def search(node, key, depth=0):\n    i = bisect.bisect_left(node.keys, key)\n"
            "    if i < len(node.keys) and node.keys[i] == key:\n        return node, i\n"
            "    return search(node.children[i], key, depth + 1) if node.children else None  # a "
            "rather long line that goes beyond the panel\n```\n\n"
            "How many steps that takes, with \\(n\\) books and shelves of size \\(b\\):\n\n"
            "$$\\log_b n = \\frac{\\ln n}{\\ln b}$$\n\n"
            "| Books | Shelf size | Steps | Remark |\n|------:|:----:|---:|---|\n| 1,000 | 10 | 3 "
            "| a "
            "small **town** library |\n| 1,000,000 | 100 | 3 | a large one |\n| 1,000,000,000 | "
            "`1000` | 3 | all the books there are, and then some more that nobody has written yet "
            "|\n\n"
            "- [x] fast to search\n- [ ] easy to draw\n\n---\n\n"
            "More in [an introduction](https://example.org/btree) or at https://example.org, and "
            "~~not~~ in [a file](file:///etc/passwd)."),
        message(3, Role::User,
                "Thanks! How would I call this function?\n\n```cpp\n#include <vector>\nint main() "
                "{ return 0; "
                "}\n```\nThe value is `42`, see https://example.org."),
        message(4, Role::Assistant,
                "### Calling it\n\nPass the **root** and the key:\n\n```\nresult = search(root, "
                "\"B\")\n```\n\nIt "
                "gives the node and the position, or `None`"),
    };
    messages[3].state = app::MessageState::Stopped;
    messages[3].siblingIndex = 1;
    messages[3].siblingCount = 3;
    return messages;
}

QVector<app::Message> longConversation(int count) {
    QVector<app::Message> messages;
    messages.reserve(count);
    const QString sentence = QStringLiteral(
        "A shelf never holds more than a few books, so that it is quick to look through. ");
    for (int i = 0; i < count; ++i) {
        app::Message next = message(i + 1, i % 2 ? app::Role::Assistant : app::Role::User, "");
        next.text =
            i % 2 ? QStringLiteral("Answer %1 with **bold** text.\n\n").arg(i) +
                        sentence.repeated(1 + i * 7 % 9) +
                        (i % 6 == 1 ? QStringLiteral("\n\n- one\n- two\n- three\n") : QString()) +
                        (i % 14 == 3 ? QStringLiteral("\n```cpp\nint a = 1;\nint b = 2;\n```\n")
                                     : QString())
                  : QStringLiteral("Question %1: ").arg(i) + sentence.repeated(1 + i % 3);
        messages.append(next);
    }
    return messages;
}

} // namespace alcove::ui::test
