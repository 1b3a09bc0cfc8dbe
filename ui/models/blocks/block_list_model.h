#pragma once

#include "app/engine/engine_types.h"
#include "ui/models/blocks/message_rows.h"

#include <QAbstractListModel>
#include <QElapsedTimer>
#include <QPointer>
#include <QTimer>
#include <QtQml/qqmlregistration.h>

#include <memory>
#include <vector>

namespace alcove::ui {

/// A block as delegates see it.
class BlockContent {
    Q_GADGET
    QML_VALUE_TYPE(blockContent)
    Q_PROPERTY(QString text READ text)
    Q_PROPERTY(QString marker READ marker)
    Q_PROPERTY(QString language READ language)
    Q_PROPERTY(int level READ level)
    Q_PROPERTY(int quoteDepth READ quoteDepth)
    Q_PROPERTY(int listDepth READ listDepth)
    Q_PROPERTY(int task READ task)
    Q_PROPERTY(int group READ group)
    Q_PROPERTY(bool formula READ formula)
    Q_PROPERTY(bool firstPiece READ firstPiece)
    Q_PROPERTY(bool inReasoning READ inReasoning)

public:
    BlockContent() = default;
    explicit BlockContent(const Block& source) : block(source) {}

    QString text() const { return block.text; }
    QString marker() const { return block.marker; }
    QString language() const { return block.language; }
    int level() const { return block.level; }
    int quoteDepth() const { return block.quoteDepth; }
    int listDepth() const { return block.listDepth; }
    int task() const { return block.task; }
    int group() const { return block.group; }
    bool formula() const { return block.kind == BlockKind::Formula; }
    bool firstPiece() const { return !block.continued; }
    bool inReasoning() const { return block.inReasoning; }

    Block block;
};

/// The rows of a conversation: messages one after the other, each as its rows. Lives on the
/// window's thread. Messages that are far from the view are one row that is replaced when the view
/// comes near; ensureParsed does it, before scrolling there. Text of an answer may arrive as often
/// as it likes, rows change at most 30 times a second.
class BlockListModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(int messageCount READ messageCount NOTIFY messagesChanged FINAL)
    Q_PROPERTY(bool empty READ empty NOTIFY messagesChanged FINAL)
    Q_PROPERTY(double lastAnswerId READ lastAnswerId NOTIFY messagesChanged FINAL)
    Q_PROPERTY(QString assistantName READ assistantName WRITE setAssistantName NOTIFY
                   assistantNameChanged FINAL)

public:
    /// Rows of QML's DelegateChooser; the values of RowType.
    enum Type {
        PlaceholderRow,
        HeaderRow,
        TextRow,
        CodeRow,
        TableRow,
        RuleRow,
        ReasoningRow,
        MoreRow,
        StatusRow,
        ReadingRow,
        FooterRow
    };
    Q_ENUM(Type)

    enum Place { Inside = 0, First = 1, Last = 2 };
    Q_ENUM(Place)

    enum Role {
        RowTypeRole = Qt::UserRole + 1,
        MessageIdRole,
        MineRole,
        PlaceRole,    ///< of the message's text rows, for the panel around them: First | Last
        PieceRole,    ///< of a long code block or table, which is in several rows: First | Last
        GapRole,      ///< space above in pixels at 100 %
        ContentRole,  ///< BlockContent
        TitleRole,    ///< words of a header, status, reasoning, more or footer row
        DetailRole,   ///< more of the same: time, facts, why
        FlagRole,     ///< reasoning: folded; code: wrapped; footer: the answer is growing
        ProgressRole, ///< of reading, 0…1; -1: not known
        SiblingRole,  ///< number of the branch, from 1
        SiblingsRole, ///< how many there are
        CanContinueRole,
        AccessibleNameRole
    };

    explicit BlockListModel(QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

    // --- The conversation, from its controller
    void setMessages(const QVector<app::Message>& messages);
    void addMessage(const app::Message& message);
    void updateMessage(const app::Message& message);
    /// Drops the message and all after it, then adds.
    void replaceFrom(qint64 id, const QVector<app::Message>& messages);
    void appendText(qint64 id, const QString& more);
    void finishMessage(const app::Message& message);
    /// The row before the first word of the message that is growing: a sentence and how far.
    void setReading(qint64 id, const QString& title, double fraction);
    void clearReading();
    /// Shows waiting text now instead of at the next tick.
    Q_INVOKABLE void flush();

    // --- Places
    int messageCount() const { return int(m_messages.size()); }
    bool empty() const { return m_messages.empty(); }
    qint64 lastAnswerId() const;
    Q_INVOKABLE int messageAt(int row) const;
    Q_INVOKABLE int firstRowOf(int message) const;
    Q_INVOKABLE int lastRowOf(int message) const;
    Q_INVOKABLE qint64 messageId(int message) const;
    int messageIndex(qint64 id) const;
    /// Parses the messages around this row; returns where the row's message then begins, moved by
    /// as many rows as the row was behind.
    Q_INVOKABLE int ensureParsed(int row);
    const MessageRows& message(int index) const { return *m_messages[size_t(index)]; }
    const Block* blockAt(int row) const; ///< null: a row without a block
    RowRef rowAt(int row) const;
    Q_INVOKABLE int rowTypeAt(int row) const { return int(rowAt(row).type); }
    Q_INVOKABLE bool isAnswer(qint64 id) const;

    // --- What the person does with rows
    Q_INVOKABLE void toggleFold(int row);
    Q_INVOKABLE void toggleWrap(int row);
    Q_INVOKABLE void showMore(int row);
    Q_INVOKABLE QString messageText(qint64 id) const;
    Q_INVOKABLE void copyMessage(qint64 id) const;
    Q_INVOKABLE void copyMessageAsText(qint64 id) const;
    Q_INVOKABLE void copyCode(int row) const;
    Q_INVOKABLE void copyTable(int row) const;
    Q_INVOKABLE void copyLastAnswer() const { copyMessage(lastAnswerId()); }
    Q_INVOKABLE void copyLastCode() const;

    QString assistantName() const { return m_assistantName; }
    void setAssistantName(const QString& name);

    /// Estimated height of a row of this width in pixels, before it was laid out.
    double estimatedHeight(int row, double width, double textScale) const;

Q_SIGNALS:
    void messagesChanged();
    void assistantNameChanged();
    /// Something was added to or changed at the end; for following it.
    void grown();

private:
    struct Place_ {
        int message = 0;
        int row = 0;
    };
    Place_ placeOf(int row) const;
    void refreshStarts(int from);
    void updateRows(int message, int firstChangedBlock, const std::vector<Block>& oldTail);
    void changed(int message, int row, const QList<int>& roles = {});
    void changedRowsOf(int message, RowType type, const QList<int>& roles = {});
    void parseFrom(int first, int last);
    void removeFrom(int message);
    void apply(int message);
    QString codeOfGroup(int row) const;
    QString titleOf(const Place_& place, const RowRef& row) const;
    QString detailOf(const Place_& place, const RowRef& row) const;
    QString accessibleNameOf(const Place_& place, const RowRef& row) const;
    int panelPlace(const Place_& place) const;
    int piecePlace(const Place_& place) const;

    std::vector<std::unique_ptr<MessageRows>> m_messages;
    std::vector<int> m_starts{0};     ///< [messages + 1] first row of each message
    QHash<qint64, QString> m_waiting; ///< text that is not shown yet
    QTimer m_tick;
    QTimer m_thinkingTick;
    QElapsedTimer m_lastUpdate;
    qint64 m_readingId = 0;
    QString m_readingTitle;
    double m_readingFraction = -1;
    QString m_assistantName;
};

} // namespace alcove::ui

Q_DECLARE_METATYPE(alcove::ui::BlockContent)
