#include "ui/models/model_list_model.h"

#include "ui/models/format.h"

#include <QFileInfo>

#include <algorithm>

namespace alcove::ui {

using app::ConversationController;
using app::LibraryModel;
using app::ModelLibrary;
using app::ModelRecord;

namespace {

bool standsBefore(const LibraryModel& a, const LibraryModel& b) {
    if (a.record.used != b.record.used)
        return a.record.used > b.record.used; // null, never used, is the smallest
    return a.record.name.localeAwareCompare(b.record.name) < 0;
}

bool matches(const LibraryModel& model, const QString& filter) {
    const QString text = model.record.name + u' ' + QFileInfo(model.record.path).fileName() + u' ' +
                         model.record.quantization + u' ' + model.record.architecture;
    const QStringList words = filter.split(u' ', Qt::SkipEmptyParts);
    return std::all_of(words.cbegin(), words.cend(), [&](const QString& word) {
        return text.contains(word, Qt::CaseInsensitive);
    });
}

bool usable(const LibraryModel& model) {
    return model.record.runnable && !model.away;
}

} // namespace

ModelListModel::ModelListModel(ModelLibrary& library, ConversationController& controller,
                               QObject* parent)
    : QAbstractListModel(parent), m_library(library), m_controller(controller) {
    connect(&library, &ModelLibrary::changed, this, &ModelListModel::rebuild);
    connect(&library, &ModelLibrary::scanningChanged, this, &ModelListModel::scanningChanged);
    connect(&library, &ModelLibrary::added, this, &ModelListModel::takeAdded);
    connect(&library, &ModelLibrary::addFailed, this,
            [this](const QString& path, const alcove::Error& error) {
                m_adding.remove(path);
                m_failure = failureFor(Attempt::AddModel, error, QFileInfo(path).fileName());
                Q_EMIT failureChanged();
            });
    connect(&controller, &ConversationController::modelStateChanged, this, [this] {
        Q_EMIT currentChanged();
        if (count() > 0)
            Q_EMIT dataChanged(index(0), index(count() - 1), {CurrentRole});
    });
    rebuild();
}

void ModelListModel::rebuild() {
    beginResetModel();
    m_rows.clear();
    for (const LibraryModel& model : m_library.models()) {
        if (matches(model, m_filter))
            m_rows.append(model);
    }
    std::stable_sort(m_rows.begin(), m_rows.end(), standsBefore);
    endResetModel();
    Q_EMIT countChanged();
}

void ModelListModel::setFilter(const QString& filter) {
    if (filter == m_filter)
        return;
    m_filter = filter;
    Q_EMIT filterChanged();
    rebuild();
}

int ModelListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : count();
}

QString ModelListModel::fitText(const LibraryModel& model) {
    switch (model.fit) {
    case app::Fit::Fits:
        return tr("fits");
    case app::Fit::Tight:
        return tr("tight");
    case app::Fit::TooBig:
        return tr("too big by %1").arg(formatBytes(model.missingBytes));
    case app::Fit::Unknown:
        break;
    }
    return {};
}

QString ModelListModel::detailText(const LibraryModel& model) const {
    QStringList parts;
    if (!model.record.quantization.isEmpty())
        parts << model.record.quantization;
    parts << formatBytes(model.record.fileBytes);
    if (model.record.used.isValid())
        parts << tr("used %1", "used yesterday")
                     .arg(formatDay(model.record.used.toLocalTime().date(), QDate::currentDate()));
    return parts.join(QStringLiteral(" \u00b7 "));
}

QString ModelListModel::reasonText(const LibraryModel& model) {
    if (model.away)
        return tr("The file is not there now. Its drive may not be connected.");
    if (!model.record.runnable)
        return model.record.reason;
    if (model.record.loadCrashed)
        return tr("Alcove ended while loading this model the last time.");
    return {};
}

QVariant ModelListModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const LibraryModel& model = at(index.row());
    switch (role) {
    case Qt::DisplayRole:
    case NameRole:
        return model.record.name;
    case IdRole:
        return model.record.id;
    case DetailRole:
        return detailText(model);
    case MemoryRole:
        return model.memoryNeeded > 0
                   ? tr("needs %1", "memory").arg(formatBytes(model.memoryNeeded))
                   : QString();
    case FitRole:
        return int(model.fit);
    case FitTextRole:
        return usable(model) ? fitText(model) : QString();
    case ReasonRole:
        return reasonText(model);
    case UsableRole:
        return usable(model);
    case CurrentRole:
        return model.record.id == currentId();
    case SpokenRole: {
        QStringList parts{model.record.name, detailText(model)};
        if (usable(model))
            parts << fitText(model);
        if (const QString reason = reasonText(model); !reason.isEmpty())
            parts << reason;
        return parts.join(QStringLiteral(", "));
    }
    default:
        return {};
    }
}

QHash<int, QByteArray> ModelListModel::roleNames() const {
    return {{IdRole, "modelId"},    {NameRole, "name"},     {DetailRole, "detail"},
            {MemoryRole, "memory"}, {FitRole, "fit"},       {FitTextRole, "fitText"},
            {ReasonRole, "reason"}, {UsableRole, "usable"}, {CurrentRole, "current"},
            {SpokenRole, "spoken"}};
}

bool ModelListModel::pick(int row) {
    if (row < 0 || row >= count() || !usable(at(row)))
        return false;
    const LibraryModel& model = at(row);
    if (model.fit == app::Fit::TooBig) {
        m_askingFor = model.record.id;
        m_question = tr("%1 needs %2; %3 are missing. Loading may slow the whole computer.")
                         .arg(model.record.name, formatBytes(model.memoryNeeded),
                              formatBytes(model.missingBytes));
        Q_EMIT questionChanged();
        return false;
    }
    dropQuestion();
    dropFailure();
    m_controller.selectModel(model.record.id);
    Q_EMIT picked();
    return true;
}

bool ModelListModel::pickAnyway() {
    if (m_askingFor == 0)
        return false;
    m_controller.selectModel(m_askingFor);
    dropQuestion();
    Q_EMIT picked();
    return true;
}

void ModelListModel::dropQuestion() {
    if (m_askingFor == 0)
        return;
    m_askingFor = 0;
    m_question.clear();
    Q_EMIT questionChanged();
}

void ModelListModel::forget(int row) {
    if (row >= 0 && row < count())
        m_library.forget(at(row).record.id);
}

void ModelListModel::add(const QUrl& file) {
    const QString path = file.isLocalFile() ? file.toLocalFile() : file.toString();
    dropFailure();
    m_adding.insert(path);
    m_library.add(path);
}

void ModelListModel::takeAdded(const ModelRecord& record) {
    if (m_adding.isEmpty())
        return;
    // The library may know the file under another path (a link): then any that is waited for.
    if (!m_adding.remove(record.path))
        m_adding.erase(m_adding.begin());
    Q_EMIT added(record.name);
    if (record.runnable) {
        m_controller.selectModel(record.id);
        Q_EMIT picked();
        return;
    }
    m_failure = failureFor(Attempt::LoadModel,
                           alcove::Error{alcove::Errc::Unsupported, record.reason.toStdString()},
                           QFileInfo(record.path).fileName());
    Q_EMIT failureChanged();
}

void ModelListModel::dropFailure() {
    if (!m_failure.present())
        return;
    m_failure = {};
    Q_EMIT failureChanged();
}

int ModelListModel::rowOfCurrent() const {
    const auto it = std::find_if(m_rows.cbegin(), m_rows.cend(), [this](const LibraryModel& model) {
        return model.record.id == currentId();
    });
    return it == m_rows.cend() ? -1 : int(it - m_rows.cbegin());
}

} // namespace alcove::ui
