#include "ui/models/conversation_list_model.h"

#include "ui/models/format.h"

#include <algorithm>

namespace alcove::ui {

using app::Conversation;
using app::ConversationController;

namespace {

QString shownTitle(const Conversation& row) {
    return row.title.isEmpty() ? ConversationListModel::tr("New conversation") : row.title;
}

// The order of the list: last use, newest first, then id.
bool standsBefore(const Conversation& a, const Conversation& b) {
    return a.used != b.used ? a.used > b.used : a.id > b.id;
}

} // namespace

ConversationListModel::ConversationListModel(app::StoreThread& store,
                                             ConversationController& controller, QObject* parent)
    : QAbstractListModel(parent), m_store(store), m_controller(controller),
      m_today(&QDate::currentDate) {
    connect(&controller, &ConversationController::conversationUpdated, this,
            &ConversationListModel::update);
    connect(&controller, &ConversationController::conversationRestored, this,
            &ConversationListModel::update);
    connect(&controller, &ConversationController::conversationRemoved, this,
            &ConversationListModel::erase);
    connect(&controller, &ConversationController::answeringChanged, this,
            &ConversationListModel::setAnswering);
    connect(&controller, &ConversationController::conversationChanged, this,
            [this] { setCurrent(m_controller.conversationId()); });
    m_undoTimer.setSingleShot(true);
    m_undoTimer.setInterval(kUndoMs);
    connect(&m_undoTimer, &QTimer::timeout, this, &ConversationListModel::dropUndo);
}

void ConversationListModel::setToday(std::function<QDate()> today) {
    m_today = std::move(today);
}

void ConversationListModel::load() {
    m_state = State::Loading;
    Q_EMIT stateChanged();
    m_fetching = true;
    m_store.run([](app::Database& db) { return app::ConversationStore(db).list({}, kPage); })
        .then(this, [this](const Result<QVector<Conversation>>& page) { takePage(page, true); });
}

bool ConversationListModel::canFetchMore(const QModelIndex& parent) const {
    return !parent.isValid() && m_more && !m_fetching;
}

void ConversationListModel::fetchMore(const QModelIndex& parent) {
    if (!canFetchMore(parent))
        return;
    m_fetching = true;
    const app::ConversationCursor after = app::ConversationCursor::after(m_rows.last());
    m_store
        .run([after](app::Database& db) { return app::ConversationStore(db).list(after, kPage); })
        .then(this, [this](const Result<QVector<Conversation>>& page) { takePage(page, false); });
}

void ConversationListModel::takePage(const Result<QVector<Conversation>>& page, bool first) {
    m_fetching = false;
    if (!page) {
        m_failure = QString::fromStdString(page.error().message);
        m_state = State::Failed;
        Q_EMIT stateChanged();
        return;
    }
    m_more = page->size() == kPage;
    if (first && m_rows.isEmpty()) {
        beginResetModel();
        m_rows = *page;
        endResetModel();
    } else {
        // Rows may have arrived or moved while the page was read.
        for (const Conversation& row : *page)
            update(row);
    }
    m_failure.clear();
    m_state = State::Ready;
    Q_EMIT stateChanged();
    Q_EMIT countChanged();
    Q_EMIT currentChanged();
    if (first)
        Q_EMIT loaded();
}

int ConversationListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_rows.size());
}

QString ConversationListModel::detailOf(const Conversation& row) const {
    const QString day = formatDay(row.used.toLocalTime().date(), m_today());
    return row.modelName.isEmpty() ? day : tr("%1 \u00b7 %2", "day, model").arg(day, row.modelName);
}

QVariant ConversationListModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Conversation& row = m_rows[index.row()];
    switch (role) {
    case Qt::DisplayRole:
    case TitleRole:
        return shownTitle(row);
    case IdRole:
        return row.id;
    case SectionRole:
        return formatSection(row.used.toLocalTime().date(), m_today());
    case DetailRole:
        return detailOf(row);
    case AnsweringRole:
        return m_answering.contains(row.id);
    case DraftRole:
        return !row.draft.isEmpty();
    case CurrentRole:
        return row.id == m_currentId;
    case SpokenRole: {
        QString spoken = tr("%1, %2", "title, model and day").arg(shownTitle(row), detailOf(row));
        if (m_answering.contains(row.id))
            spoken = tr("%1, answering").arg(spoken);
        if (!row.draft.isEmpty())
            spoken = tr("%1, has an unsent draft").arg(spoken);
        return spoken;
    }
    default:
        return {};
    }
}

QHash<int, QByteArray> ConversationListModel::roleNames() const {
    return {{IdRole, "conversationId"}, {TitleRole, "title"},         {SectionRole, "section"},
            {DetailRole, "detail"},     {AnsweringRole, "answering"}, {DraftRole, "draft"},
            {CurrentRole, "current"},   {SpokenRole, "spoken"}};
}

int ConversationListModel::rowOf(qint64 id) const {
    if (id == 0)
        return -1;
    const auto it = std::find_if(m_rows.cbegin(), m_rows.cend(),
                                 [id](const Conversation& row) { return row.id == id; });
    return it == m_rows.cend() ? -1 : int(it - m_rows.cbegin());
}

int ConversationListModel::placeFor(const Conversation& row) const {
    int place = 0;
    for (const Conversation& other : m_rows) {
        if (other.id != row.id && standsBefore(other, row))
            ++place;
    }
    return place;
}

void ConversationListModel::update(const Conversation& row) {
    const int from = rowOf(row.id);
    const int place = placeFor(row);
    if (from < 0) {
        // Beyond the rows read so far: it comes with its page.
        if (m_more && place == m_rows.size())
            return;
        beginInsertRows({}, place, place);
        m_rows.insert(place, row);
        endInsertRows();
        Q_EMIT countChanged();
    } else {
        if (from != place) {
            beginMoveRows({}, from, from, {}, place > from ? place + 1 : place);
            m_rows.move(from, place);
            endMoveRows();
        }
        m_rows[place] = row;
        Q_EMIT dataChanged(index(place), index(place));
    }
    Q_EMIT currentChanged();
}

void ConversationListModel::erase(qint64 id) {
    const int row = rowOf(id);
    if (row < 0)
        return;
    beginRemoveRows({}, row, row);
    m_rows.removeAt(row);
    endRemoveRows();
    Q_EMIT countChanged();
    Q_EMIT currentChanged();
}

void ConversationListModel::setCurrent(qint64 id) {
    if (id == m_currentId)
        return;
    const int before = rowOf(m_currentId);
    m_currentId = id;
    const int now = rowOf(id);
    for (const int row : {before, now}) {
        if (row >= 0)
            Q_EMIT dataChanged(index(row), index(row), {CurrentRole});
    }
    Q_EMIT currentChanged();
}

void ConversationListModel::setAnswering(qint64 id, bool answering) {
    if (answering)
        m_answering.insert(id);
    else
        m_answering.remove(id);
    if (const int row = rowOf(id); row >= 0)
        Q_EMIT dataChanged(index(row), index(row), {AnsweringRole, SpokenRole});
}

qint64 ConversationListModel::idAt(int row) const {
    return row >= 0 && row < m_rows.size() ? m_rows[row].id : 0;
}

QString ConversationListModel::titleOf(qint64 id) const {
    const int row = rowOf(id);
    return row < 0 ? QString() : shownTitle(m_rows[row]);
}

void ConversationListModel::rename(qint64 id, const QString& title) {
    m_controller.rename(id, title);
}

void ConversationListModel::remove(qint64 id) {
    const int row = rowOf(id);
    if (row < 0)
        return;
    m_undoId = id;
    m_undoText = tr("Deleted \u201c%1\u201d.").arg(shownTitle(m_rows[row]));
    m_undoTimer.start();
    Q_EMIT undoChanged();
    m_controller.moveToTrash(id);
}

void ConversationListModel::undoRemove() {
    if (m_undoId == 0)
        return;
    m_controller.restore(m_undoId);
    dropUndo();
}

void ConversationListModel::dropUndo() {
    m_undoId = 0;
    m_undoText.clear();
    m_undoTimer.stop();
    Q_EMIT undoChanged();
}

qint64 ConversationListModel::neighbour(int by) const {
    if (m_rows.isEmpty())
        return 0;
    const int row = currentRow();
    const int next = row < 0 ? 0 : std::clamp(row + by, 0, int(m_rows.size()) - 1);
    return m_rows[next].id;
}

} // namespace alcove::ui
