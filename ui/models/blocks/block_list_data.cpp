// The roles of BlockListModel: what each row says.
#include "ui/models/blocks/block_list_model.h"
#include "ui/models/blocks/code_lexer.h"

#include <QLocale>

namespace alcove::ui {

QHash<int, QByteArray> BlockListModel::roleNames() const {
    return {{RowTypeRole, "rowType"},
            {MessageIdRole, "messageId"},
            {MineRole, "mine"},
            {PlaceRole, "place"},
            {PieceRole, "piece"},
            {GapRole, "gap"},
            {ContentRole, "content"},
            {TitleRole, "title"},
            {DetailRole, "detail"},
            {FlagRole, "flag"},
            {ProgressRole, "progress"},
            {SiblingRole, "sibling"},
            {SiblingsRole, "siblings"},
            {CanContinueRole, "canContinue"},
            {AccessibleNameRole, "accessibleName"}};
}

namespace {

/// The time of day as the user's locale has it; without seconds where there is no locale, too.
QString timeOfDay(const QDateTime& when) {
    const QLocale locale;
    const QTime time = when.toLocalTime().time();
    return locale.language() == QLocale::C ? time.toString(QStringLiteral("HH:mm"))
                                           : locale.toString(time, QLocale::ShortFormat);
}

} // namespace

QVariant BlockListModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const Place_ place = placeOf(index.row());
    const MessageRows& entry = message(place.message);
    const RowRef& row = entry.rows()[size_t(place.row)];
    switch (role) {
    case RowTypeRole:
        return int(row.type);
    case MessageIdRole:
        return entry.message().id;
    case MineRole:
        return entry.mine();
    case PlaceRole:
        return panelPlace(place);
    case PieceRole:
        return piecePlace(place);
    case GapRole:
        return gapAbove(entry, place.row > 0 ? &entry.rows()[size_t(place.row) - 1] : nullptr, row);
    case ContentRole:
        return QVariant::fromValue(row.block < 0 ? BlockContent()
                                                 : BlockContent(entry.blocks()[size_t(row.block)]));
    case TitleRole:
        return titleOf(place, row);
    case DetailRole:
        return detailOf(place, row);
    case FlagRole:
        if (row.type == RowType::Reasoning)
            return entry.folded(row.block);
        if (row.type == RowType::Code)
            return entry.wrapped(entry.blocks()[size_t(row.block)].group);
        return entry.growing();
    case ProgressRole:
        return m_readingFraction;
    case SiblingRole:
        return entry.message().siblingIndex + 1;
    case SiblingsRole:
        return entry.message().siblingCount;
    case CanContinueRole: {
        const app::MessageState state = entry.message().state;
        return !entry.mine() && !entry.growing() && place.message == messageCount() - 1 &&
               (state == app::MessageState::Stopped || state == app::MessageState::LengthLimit ||
                state == app::MessageState::Interrupted);
    }
    case AccessibleNameRole:
        return accessibleNameOf(place, row);
    default:
        return {};
    }
}

/// First and last of the rows that share a panel.
int BlockListModel::panelPlace(const Place_& place) const {
    const std::vector<RowRef>& rows = message(place.message).rows();
    const auto shows = [&](int i) {
        return i >= 0 && i < int(rows.size()) && (rows[size_t(i)].block >= 0);
    };
    int result = Inside;
    if (!shows(place.row - 1))
        result |= First;
    if (!shows(place.row + 1))
        result |= Last;
    return result;
}

int BlockListModel::piecePlace(const Place_& place) const {
    const MessageRows& entry = message(place.message);
    const std::vector<RowRef>& rows = entry.rows();
    const auto continues = [&](size_t i) {
        return i < rows.size() && rows[i].block >= 0 && rows[i].type != RowType::More &&
               entry.blocks()[size_t(rows[i].block)].continued;
    };
    const auto at = size_t(place.row);
    int result = Inside;
    if (!continues(at))
        result |= First;
    if (at + 1 >= rows.size() || rows[at + 1].type != rows[at].type || !continues(at + 1))
        result |= Last;
    return result;
}

namespace {

QString statusTitle(app::MessageState state) {
    switch (state) {
    case app::MessageState::Stopped:
        return BlockListModel::tr("Stopped");
    case app::MessageState::LengthLimit:
        return BlockListModel::tr("Stopped at the length limit");
    case app::MessageState::ContextFull:
        return BlockListModel::tr("The model can see no more: its context is full");
    case app::MessageState::Failed:
        return BlockListModel::tr("The answer could not be finished");
    case app::MessageState::Interrupted:
        return BlockListModel::tr("Interrupted when Alcove ended");
    case app::MessageState::Complete:
    case app::MessageState::Writing:
        break;
    }
    return {};
}

QString reasoningTitle(const MessageRows& entry, const Block& head) {
    const double seconds = entry.thinkingSeconds();
    const QString time = QLocale().toString(int(seconds));
    if (head.open && entry.growing())
        return seconds < 1 ? BlockListModel::tr("Thinking…")
                           : BlockListModel::tr("Thinking… %1 s").arg(time);
    if (head.open)
        return BlockListModel::tr("Thought, without coming to an end");
    return seconds < 1 ? BlockListModel::tr("Thought")
                       : BlockListModel::tr("Thought for %1 s").arg(time);
}

} // namespace

QString BlockListModel::titleOf(const Place_& place, const RowRef& row) const {
    const MessageRows& entry = message(place.message);
    switch (row.type) {
    case RowType::Header: {
        const auto& facts = entry.message().facts;
        return facts && !facts->modelName.isEmpty() ? facts->modelName : m_assistantName;
    }
    case RowType::Reasoning:
        return reasoningTitle(entry, entry.blocks()[size_t(row.block)]);
    case RowType::More: {
        const int hidden = entry.hiddenCount(row.block);
        return entry.blocks()[size_t(row.block)].kind == BlockKind::Table
                   ? tr("Show %n more row(s)", nullptr, hidden)
                   : tr("Show %n more line(s)", nullptr, hidden);
    }
    case RowType::Code:
        return codeLanguageTitle(entry.blocks()[size_t(row.block)].language);
    case RowType::Status:
        return statusTitle(entry.message().state);
    case RowType::Reading:
        return m_readingTitle;
    case RowType::Footer: {
        if (entry.mine())
            return timeOfDay(entry.message().created);
        const auto& facts = entry.message().facts;
        if (!facts || facts->decodeSeconds <= 0 || facts->generatedTokens < 2)
            return {};
        const double speed = facts->generatedTokens / facts->decodeSeconds;
        return tr("%1 tok/s").arg(QLocale().toString(speed, 'f', speed < 10 ? 1 : 0));
    }
    default:
        return {};
    }
}

QString BlockListModel::detailOf(const Place_& place, const RowRef& row) const {
    const app::Message& source = message(place.message).message();
    const QString time = QLocale().toString(source.created.toLocalTime(), QLocale::ShortFormat);
    if (row.type == RowType::Header)
        return timeOfDay(source.created);
    if (row.type == RowType::Status)
        return source.facts && source.state == app::MessageState::Failed
                   ? source.facts->finishDetail
                   : QString();
    if (row.type != RowType::Footer)
        return {};
    if (!source.facts)
        return time;
    // Numbers of the whole answer, shown on focus and read out.
    QStringList parts{source.facts->modelName,
                      tr("%n token(s)", nullptr, source.facts->generatedTokens)};
    for (const app::AppliedAdapter& adapter : source.facts->adapters)
        parts << tr("%1 %2", "adapter, strength")
                     .arg(adapter.name, QLocale().toString(adapter.scale, 'f', 2));
    if (source.facts->seed != 0)
        parts << tr("seed %1").arg(source.facts->seed);
    parts << time;
    parts.removeAll(QString());
    return parts.join(QStringLiteral(" · "));
}

QString BlockListModel::accessibleNameOf(const Place_& place, const RowRef& row) const {
    const MessageRows& entry = message(place.message);
    const app::Message& source = entry.message();
    const QString time = timeOfDay(source.created);
    if (row.type == RowType::Header) {
        const QString name = titleOf(place, row);
        return name.isEmpty() ? tr("Answer, %1").arg(time) : tr("Answer by %1, %2").arg(name, time);
    }
    if (row.type == RowType::Footer)
        return entry.mine() ? tr("Actions for your message, %1").arg(time)
                            : tr("Actions for the answer, %1").arg(time);
    if (row.block < 0)
        return titleOf(place, row);
    const Block& block = entry.blocks()[size_t(row.block)];
    switch (row.type) {
    case RowType::Code: {
        const QString language =
            block.language.isEmpty() ? tr("plain") : codeLanguageTitle(block.language);
        return tr("Code, %1, %n line(s)", nullptr, int(block.text.count(u'\n')) + 1).arg(language);
    }
    case RowType::Table:
        return tr("Table, %n row(s)", nullptr, block.table->rows());
    case RowType::Reasoning:
        return entry.folded(row.block) ? tr("%1, folded").arg(titleOf(place, row))
                                       : tr("%1, unfolded").arg(titleOf(place, row));
    case RowType::Rule:
        return tr("Line");
    case RowType::More:
        return titleOf(place, row);
    default:
        break;
    }
    const QString text = block.marker.isEmpty() ? block.text : block.marker + u' ' + block.text;
    if (entry.mine() && (panelPlace(place) & First))
        return tr("You, %1: %2").arg(time, text);
    return text;
}

} // namespace alcove::ui
