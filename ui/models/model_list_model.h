#pragma once

#include "app/engine/conversation_controller.h"
#include "app/library/model_library.h"
#include "ui/models/failure_text.h"

#include <QAbstractListModel>
#include <QSet>
#include <QUrl>
#include <QtQml/qqmlregistration.h>

namespace alcove::ui {

/// The models that can be chosen, most recently used first, narrowed by a filter. Picking one that
/// needs more memory than is free asks once. Lives on the window's thread.
class ModelListModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("made by the program")
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)
    Q_PROPERTY(int total READ total NOTIFY countChanged FINAL)
    Q_PROPERTY(bool scanning READ scanning NOTIFY scanningChanged FINAL)
    Q_PROPERTY(QString filter READ filter WRITE setFilter NOTIFY filterChanged FINAL)
    Q_PROPERTY(qint64 currentId READ currentId NOTIFY currentChanged FINAL)
    Q_PROPERTY(QString folder READ folder CONSTANT FINAL)
    Q_PROPERTY(qint64 askingFor READ askingFor NOTIFY questionChanged FINAL)
    Q_PROPERTY(QString question READ question NOTIFY questionChanged FINAL)
    Q_PROPERTY(alcove::ui::Failure failure READ failure NOTIFY failureChanged FINAL)

public:
    enum class Fit { Unknown, Fits, Tight, TooBig };
    Q_ENUM(Fit)
    enum Roles {
        IdRole = Qt::UserRole + 1,
        NameRole,
        DetailRole, ///< kind of weights, size of the file, last used
        MemoryRole, ///< memory needed at the present context
        FitRole,
        FitTextRole,
        ReasonRole, ///< why it cannot be chosen, or what to know; may be empty
        UsableRole,
        CurrentRole,
        SpokenRole,
    };

    ModelListModel(app::ModelLibrary& library, app::ConversationController& controller,
                   QObject* parent = nullptr);

    int count() const { return int(m_rows.size()); }
    int total() const { return int(m_library.models().size()); }
    bool scanning() const { return m_library.isScanning(); }
    QString filter() const { return m_filter; }
    void setFilter(const QString& filter);
    qint64 currentId() const { return m_controller.model().id; }
    QString folder() const { return m_library.folder(); }
    qint64 askingFor() const { return m_askingFor; }
    QString question() const { return m_question; }
    Failure failure() const { return m_failure; }

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

    Q_INVOKABLE void rescan() { m_library.rescan(); }
    /// Chooses the model of a row; true if done, false if it cannot be chosen or a question is open
    /// now.
    Q_INVOKABLE bool pick(int row);
    Q_INVOKABLE bool pickAnyway(); ///< answers the question
    Q_INVOKABLE void dropQuestion();
    Q_INVOKABLE void forget(int row);
    Q_INVOKABLE void
    add(const QUrl& file); ///< registers a file where it lies, and chooses it if it runs
    Q_INVOKABLE void dropFailure();
    Q_INVOKABLE int rowOfCurrent() const;

Q_SIGNALS:
    void countChanged();
    void scanningChanged();
    void filterChanged();
    void currentChanged();
    void questionChanged();
    void failureChanged();
    void picked();
    void added(const QString& name);

private:
    void rebuild();
    void takeAdded(const app::ModelRecord& record);
    const app::LibraryModel& at(int row) const { return m_rows[row]; }
    static QString fitText(const app::LibraryModel& model);
    QString detailText(const app::LibraryModel& model) const;
    static QString reasonText(const app::LibraryModel& model);

    app::ModelLibrary& m_library;
    app::ConversationController& m_controller;
    QVector<app::LibraryModel> m_rows;
    QString m_filter, m_question;
    QSet<QString> m_adding; ///< paths that were asked for here
    qint64 m_askingFor = 0;
    Failure m_failure;
};

} // namespace alcove::ui
