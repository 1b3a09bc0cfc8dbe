#include "ui/models/adapters/adapter_list_model.h"

#include "app/store/adapter_store.h"
#include "ui/models/format.h"

#include <QFileInfo>
#include <QLocale>
#include <QPointer>

#include <algorithm>
#include <cmath>

namespace alcove::ui {

using app::AdapterChoice;
using app::AdapterFit;
using app::AdapterRecord;
using app::AdapterStore;
using app::ConversationController;
using app::Database;

namespace {

constexpr double kSliderEnd = 2; // files and the command line allow 4

QString rankText(const AdapterRecord& record) {
    return record.rankMin == record.rankMax
               ? AdapterListModel::tr("rank %1").arg(record.rankMax)
               : AdapterListModel::tr("rank %1 to %2").arg(record.rankMin).arg(record.rankMax);
}

QString kindText(const QString& kind) {
    if (kind == QLatin1String("peft"))
        return AdapterListModel::tr("LoRA of PEFT");
    if (kind == QLatin1String("gemma"))
        return AdapterListModel::tr("LoRA for Gemma 4");
    if (kind == QLatin1String("rank-one"))
        return AdapterListModel::tr("rank-one corrections");
    return AdapterListModel::tr("LoRA in GGUF");
}

QString modelKey(const app::ModelRecord& model) {
    return model.id == 0 ? QString() : model.path + u'\n' + model.sha256;
}

bool same(const QVector<AdapterChoice>& a, const QVector<AdapterChoice>& b) {
    return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const AdapterChoice& x) {
               return std::any_of(b.begin(), b.end(), [&](const AdapterChoice& y) {
                   return x.adapter.id == y.adapter.id && x.scale == y.scale;
               });
           });
}

} // namespace

AdapterListModel::AdapterListModel(app::StoreThread& store, ConversationController& controller,
                                   QObject* parent)
    : QAbstractListModel(parent), m_store(store), m_controller(controller) {
    m_worker.setMaxThreadCount(1);
    connect(&controller, &ConversationController::adaptersChanged, this, &AdapterListModel::reset);
    connect(&controller, &ConversationController::modelStateChanged, this, [this] {
        if (modelKey(m_controller.model()) != m_checkedModel)
            check();
        Q_EMIT stateChanged();
    });
    connect(&controller, &ConversationController::phaseChanged, this,
            &AdapterListModel::stateChanged);
    connect(&controller, &ConversationController::compared, this,
            [this](const app::Message& with, const app::Message& without) {
                m_with = with;
                m_without = without;
                Q_EMIT comparedChanged();
                Q_EMIT compared();
            });
}

AdapterListModel::~AdapterListModel() {
    m_quitting.request_stop();
    m_worker.clear();
}

ScaleRange AdapterListModel::range(const AdapterRecord& record) {
    return adapter_scale_range(
        adapter_kind_from_name(record.kind.toStdString()).value_or(AdapterKind::Gguf));
}

// What is shown
// -----------------------------------------------------------------------------------------------

QString AdapterListModel::summary() const {
    const QVector<AdapterChoice>& used = m_controller.adapters();
    if (used.isEmpty())
        return tr("Adapters");
    if (used.size() == 1)
        return tr("%1 %2", "adapter, strength").arg(used[0].adapter.name, scaleText(used[0].scale));
    return tr("%n adapter(s)", nullptr, int(used.size()));
}

bool AdapterListModel::troubled() const {
    const QVector<AdapterChoice>& used = m_controller.adapters();
    return std::any_of(m_rows.begin(), m_rows.end(), [&](const Row& row) {
        return row.checked && !row.fit.fits &&
               std::any_of(used.begin(), used.end(), [&](const AdapterChoice& choice) {
                   return choice.adapter.id == row.record.id;
               });
    });
}

bool AdapterListModel::changed() const {
    return !same(draft(), m_controller.adapters());
}

bool AdapterListModel::canCompare() const {
    return !changed() && active() && !m_controller.pathIds().isEmpty() &&
           !m_controller.isAnswering();
}

QString AdapterListModel::note() const {
    if (!changed())
        return {};
    if (m_controller.isAnswering())
        return tr("Takes effect on the next answer.");
    return m_controller.pathIds().isEmpty()
               ? QString()
               : tr("Changing adapters makes the model read this conversation again.");
}

QString AdapterListModel::titleWith() const {
    if (!m_with.facts)
        return tr("With adapters");
    QStringList names;
    for (const app::AppliedAdapter& adapter : m_with.facts->adapters)
        names.append(tr("%1 %2", "adapter, strength").arg(adapter.name, scaleText(adapter.scale)));
    return tr("With %1").arg(names.join(QStringLiteral(", ")));
}

QString AdapterListModel::scaleText(double scale) const {
    return QLocale().toString(scale, 'f', 2);
}

QString AdapterListModel::detailText(const Row& row) const {
    return tr("%1 \u00b7 %2", "rank, size")
        .arg(rankText(row.record), formatBytes(row.record.bytes));
}

QString AdapterListModel::factsText(const Row& row) const {
    const AdapterRecord& record = row.record;
    QStringList targets;
    for (auto it = record.targets.begin(); it != record.targets.end(); ++it)
        targets.append(tr("%1 (%2)", "target, layers").arg(it.key()).arg(it.value().toInt()));
    QStringList lines{
        tr("Kind: %1").arg(kindText(record.kind)),
        tr("Alpha: %1").arg(record.alpha ? QLocale().toString(*record.alpha) : tr("none")),
        tr("Targets: %1").arg(targets.join(QStringLiteral(", "))),
        tr("File: %1").arg(record.path),
        tr("SHA-256: %1").arg(record.sha256),
    };
    if (!record.baseName.isEmpty())
        lines.append(tr("Made for: %1").arg(record.baseName));
    if (!record.baseSha256.isEmpty())
        lines.append(tr("Bound to the model file %1").arg(record.baseSha256.left(12)));
    if (row.checked && row.fit.fits) {
        for (const std::string& warning : row.fit.info.warnings)
            lines.append(QString::fromStdString(warning));
    }
    lines.append(tr("Alcove checks that a file is whole and fits, not what it does to answers."));
    return lines.join(u'\n');
}

int AdapterListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : count();
}

QVariant AdapterListModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Row& row = m_rows[index.row()];
    const bool usable = row.checked && row.fit.fits;
    const QString reason = row.checked && !row.fit.fits
                               ? (row.fit.away ? tr("The file is not there now") : row.fit.reason)
                               : QString();
    switch (role) {
    case Qt::DisplayRole:
    case NameRole:
        return row.record.name;
    case DetailRole:
        return detailText(row);
    case ReasonRole:
        return reason;
    case DetailsRole:
        return factsText(row);
    case UsableRole:
        return usable;
    case ChosenRole:
        return row.chosen;
    case ScaleRole:
        return row.scale;
    case LeastRole:
        return std::max(-kSliderEnd, double(range(row.record).min));
    case MostRole:
        return std::min(kSliderEnd, double(range(row.record).max));
    case SpokenRole:
        return reason.isEmpty()
                   ? tr("%1, %2", "adapter, facts").arg(row.record.name, detailText(row))
                   : tr("%1, cannot be used: %2").arg(row.record.name, reason);
    default:
        return {};
    }
}

QHash<int, QByteArray> AdapterListModel::roleNames() const {
    return {{NameRole, "name"},       {DetailRole, "detail"}, {ReasonRole, "reason"},
            {DetailsRole, "details"}, {UsableRole, "usable"}, {ChosenRole, "chosen"},
            {ScaleRole, "scale"},     {LeastRole, "least"},   {MostRole, "most"},
            {SpokenRole, "spoken"}};
}

// The list
// ----------------------------------------------------------------------------------------------------

void AdapterListModel::refresh() {
    m_everyRow = true;
    list();
}

void AdapterListModel::list() {
    m_store
        .run([](Database& db) -> Result<Listed> {
            Listed listed;
            ALCOVE_ASSIGN_OR_RETURN(listed.records, AdapterStore(db).list());
            for (const AdapterRecord& record : std::as_const(listed.records))
                if (!QFileInfo::exists(record.path))
                    listed.away.insert(record.id);
            return listed;
        })
        .then(this, [this](const Result<Listed>& listed) {
            if (listed)
                take(*listed);
            else
                fail(QString::fromStdString(listed.error().message));
        });
}

// What was ticked and not used yet stays, and so does what is known about a file.
void AdapterListModel::take(const Listed& listed) {
    QVector<Row> rows;
    for (const AdapterRecord& record : listed.records) {
        const auto before = std::find_if(m_rows.begin(), m_rows.end(), [&](const Row& old) {
            return old.record.id == record.id;
        });
        Row row = before == m_rows.end() ? Row() : *before;
        row.checked = row.checked && row.record.sha256 == record.sha256 && row.fit.fits &&
                      !listed.away.contains(record.id);
        row.record = record;
        if (before == m_rows.end())
            takeUsed(row);
        rows.append(row);
    }
    beginResetModel();
    m_rows = rows;
    endResetModel();
    check();
}

void AdapterListModel::check() {
    const app::ModelRecord model = m_controller.model();
    const quint64 serial = ++*m_serial;
    const QString key = modelKey(model);
    const bool sameModel = key == m_checkedModel;
    m_checkedModel = key;
    m_pending = 0;
    for (Row& row : m_rows) {
        row.checked = row.checked && sameModel;
        if (model.id == 0 || row.checked || !(m_everyRow || row.chosen))
            continue;
        ++m_pending;
        m_worker.start([self = QPointer<AdapterListModel>(this), record = row.record, model, serial,
                        newest = m_serial, stop = m_quitting.get_token()] {
            if (*newest != serial)
                return;
            const AdapterFit fit = app::checkFit(record, model.path, model.sha256, stop);
            QMetaObject::invokeMethod(
                self,
                [self, serial, id = record.id, fit] {
                    if (self)
                        self->takeFit(serial, id, fit);
                },
                Qt::QueuedConnection);
        });
    }
    if (count() > 0)
        Q_EMIT dataChanged(index(0), index(count() - 1));
    Q_EMIT countChanged();
    Q_EMIT stateChanged();
}

void AdapterListModel::takeFit(quint64 serial, qint64 id, const AdapterFit& fit) {
    if (serial != *m_serial)
        return;
    --m_pending;
    for (int i = 0; i < count(); ++i) {
        if (m_rows[i].record.id != id)
            continue;
        m_rows[i].fit = fit;
        m_rows[i].checked = true;
        Q_EMIT dataChanged(index(i), index(i));
    }
    Q_EMIT countChanged();
    Q_EMIT stateChanged();
}

void AdapterListModel::add(const QUrl& file) {
    const QString path = file.toLocalFile();
    const app::ModelRecord model = m_controller.model();
    m_worker.start([self = QPointer<AdapterListModel>(this), path, model,
                    stop = m_quitting.get_token()] {
        auto read = app::readAdapterRecord(path, stop);
        // A rank-one file is bound to the model that it was first accepted with.
        if (read && read->kind == QLatin1String("rank-one") && !model.sha256.isEmpty() &&
            app::checkFit(*read, model.path, model.sha256, stop).fits)
            read->baseSha256 = model.sha256;
        QMetaObject::invokeMethod(
            self,
            [self, read] {
                if (!self)
                    return;
                if (!read) {
                    self->fail(QString::fromStdString(read.error().message));
                    return;
                }
                self->m_store
                    .run([record = *read](Database& db) { return AdapterStore(db).save(record); })
                    .then(self.data(), [self](const Result<AdapterRecord>& saved) {
                        if (!saved) {
                            self->fail(QString::fromStdString(saved.error().message));
                            return;
                        }
                        self->dropFailure();
                        self->refresh();
                        Q_EMIT self->added(saved->name);
                    });
            },
            Qt::QueuedConnection);
    });
}

void AdapterListModel::forget(int row) {
    if (row < 0 || row >= count())
        return;
    const qint64 id = m_rows[row].record.id;
    QVector<AdapterChoice> left = m_controller.adapters();
    const auto gone = left.removeIf([id](const AdapterChoice& c) { return c.adapter.id == id; });
    if (gone > 0)
        m_controller.setAdapters(left);
    m_store.run([id](Database& db) { return AdapterStore(db).forget(id); })
        .then(this, [this](const Status& forgotten) {
            if (!forgotten)
                fail(QString::fromStdString(forgotten.error().message));
            refresh();
        });
}

void AdapterListModel::fail(const QString& sentence) {
    m_failure = sentence;
    Q_EMIT failureChanged();
}

void AdapterListModel::dropFailure() {
    if (!m_failure.isEmpty())
        fail({});
}

// The draft
// ---------------------------------------------------------------------------------------------------

QVector<AdapterChoice> AdapterListModel::draft() const {
    QVector<AdapterChoice> choices;
    for (const Row& row : m_rows) {
        if (row.chosen)
            choices.append({row.record, row.scale});
    }
    return choices;
}

void AdapterListModel::setChosen(int row, bool chosen) {
    if (row < 0 || row >= count() || m_rows[row].chosen == chosen)
        return;
    if (chosen && !(m_rows[row].checked && m_rows[row].fit.fits))
        return;
    m_rows[row].chosen = chosen;
    Q_EMIT dataChanged(index(row), index(row), {ChosenRole});
    Q_EMIT stateChanged();
}

void AdapterListModel::setScale(int row, double scale) {
    if (row < 0 || row >= count() || !std::isfinite(scale))
        return;
    const ScaleRange allowed = range(m_rows[row].record);
    const double kept =
        std::clamp(std::round(scale * 100) / 100, double(allowed.min), double(allowed.max));
    if (kept == m_rows[row].scale)
        return;
    m_rows[row].scale = kept;
    Q_EMIT dataChanged(index(row), index(row), {ScaleRole});
    Q_EMIT stateChanged();
}

bool AdapterListModel::typeScale(int row, const QString& text) {
    if (row < 0 || row >= count())
        return false;
    bool number = false;
    double scale = QLocale().toDouble(text.trimmed(), &number);
    if (!number)
        scale = QLocale::c().toDouble(text.trimmed(), &number);
    const ScaleRange allowed = range(m_rows[row].record);
    if (!number || !(scale >= double(allowed.min) && scale <= double(allowed.max)))
        return false;
    setScale(row, scale);
    return true;
}

void AdapterListModel::apply() {
    if (changed())
        m_controller.setAdapters(draft());
}

void AdapterListModel::takeUsed(Row& row) const {
    const QVector<AdapterChoice>& used = m_controller.adapters();
    const auto found = std::find_if(used.begin(), used.end(), [&](const AdapterChoice& choice) {
        return choice.adapter.id == row.record.id;
    });
    row.chosen = found != used.end();
    row.scale = row.chosen ? found->scale : row.record.defaultScale;
}

void AdapterListModel::reset() {
    for (Row& row : m_rows)
        takeUsed(row);
    const bool unknown = std::any_of(m_rows.begin(), m_rows.end(),
                                     [](const Row& row) { return row.chosen && !row.checked; });
    if (unknown) {
        check();
        return;
    }
    if (count() > 0)
        Q_EMIT dataChanged(index(0), index(count() - 1), {ChosenRole, ScaleRole});
    Q_EMIT stateChanged();
}

void AdapterListModel::compare() {
    if (canCompare())
        m_controller.compareAdapters();
}

} // namespace alcove::ui
