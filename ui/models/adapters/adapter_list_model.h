#pragma once

#include "app/engine/conversation_controller.h"
#include "app/library/adapter_library.h"

#include <QAbstractListModel>
#include <QSet>
#include <QThreadPool>
#include <QUrl>
#include <QtQml/qqmlregistration.h>

#include <atomic>
#include <memory>
#include <stop_token>

namespace alcove::ui {

/// The adapters that were added, whether each fits the chosen model and why not, and which of them
/// the conversation uses at which strength. Ticking and sliding change a draft; apply() takes it.
/// Files are looked at on a worker. Lives on the window's thread.
class AdapterListModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("made by the program")
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)
    Q_PROPERTY(QString modelName READ modelName NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString summary READ summary NOTIFY stateChanged FINAL)
    Q_PROPERTY(bool active READ active NOTIFY stateChanged FINAL)
    Q_PROPERTY(bool troubled READ troubled NOTIFY stateChanged FINAL)
    Q_PROPERTY(bool changed READ changed NOTIFY stateChanged FINAL)
    Q_PROPERTY(bool canCompare READ canCompare NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString note READ note NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString failure READ failure NOTIFY failureChanged FINAL)
    Q_PROPERTY(QString textWith READ textWith NOTIFY comparedChanged FINAL)
    Q_PROPERTY(QString textWithout READ textWithout NOTIFY comparedChanged FINAL)
    Q_PROPERTY(QString titleWith READ titleWith NOTIFY comparedChanged FINAL)

public:
    enum Roles {
        NameRole = Qt::UserRole + 1,
        DetailRole,  ///< rank, size
        ReasonRole,  ///< why it cannot be used; empty if it can, or while that is not known
        DetailsRole, ///< everything that is known about it, some lines
        UsableRole,
        ChosenRole,
        ScaleRole,
        LeastRole, ///< of the slider
        MostRole,
        SpokenRole,
    };

    AdapterListModel(app::StoreThread& store, app::ConversationController& controller,
                     QObject* parent = nullptr);
    ~AdapterListModel() override;

    int count() const { return int(m_rows.size()); }
    bool looking() const { return m_pending > 0; }
    QString modelName() const { return m_controller.model().name; }
    QString summary() const; ///< "Adapters", "Pirate voice 0.80", "3 adapters"
    bool active() const { return !m_controller.adapters().isEmpty(); }
    bool troubled() const; ///< one in use does not fit the model
    bool changed() const;  ///< the draft differs from what is in use
    bool canCompare() const;
    QString note() const;
    QString failure() const { return m_failure; }
    QString textWith() const { return m_with.text; }
    QString textWithout() const { return m_without.text; }
    QString titleWith() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

    void list();                ///< reads the list, checks what the conversation uses
    Q_INVOKABLE void refresh(); ///< reads the list and checks all of it against the model
    Q_INVOKABLE void setChosen(int row, bool chosen);
    /// Rounded to hundredths and kept within what the kind allows.
    Q_INVOKABLE void setScale(int row, double scale);
    /// What was typed, in the locale's way; false, and nothing changes, if it is no number in
    /// range.
    Q_INVOKABLE bool typeScale(int row, const QString& text);
    Q_INVOKABLE QString scaleText(double scale) const; ///< "0.80" in the locale's way
    Q_INVOKABLE void apply();
    Q_INVOKABLE void reset(); ///< the draft is what is in use
    Q_INVOKABLE void add(const QUrl& file);
    Q_INVOKABLE void forget(int row); ///< the file stays
    Q_INVOKABLE void compare();
    Q_INVOKABLE void dropFailure();

Q_SIGNALS:
    void countChanged();
    void stateChanged();
    void failureChanged();
    void comparedChanged();
    void compared(); ///< both answers are there
    void added(const QString& name);

private:
    struct Row {
        app::AdapterRecord record;
        app::AdapterFit fit;
        bool checked = false;
        bool chosen = false;
        double scale = 1;
    };
    struct Listed {
        QVector<app::AdapterRecord> records;
        QSet<qint64> away; ///< ids whose file is not there now
    };
    void take(const Listed& listed);
    void takeUsed(Row& row) const; ///< the draft of one row is what is in use
    void check();
    void takeFit(quint64 serial, qint64 id, const app::AdapterFit& fit);
    void fail(const QString& sentence);
    QVector<app::AdapterChoice> draft() const;
    static ScaleRange range(const app::AdapterRecord& record);
    QString detailText(const Row& row) const;
    QString factsText(const Row& row) const;

    app::StoreThread& m_store;
    app::ConversationController& m_controller;
    QVector<Row> m_rows;
    /// Of the newest check; a worker that finds another one here leaves its file alone.
    std::shared_ptr<std::atomic<quint64>> m_serial = std::make_shared<std::atomic<quint64>>(0);
    bool m_everyRow = false; ///< somebody has looked at the list
    int m_pending = 0;
    QString m_checkedModel; ///< path and hash of the model that the fits are for
    QString m_failure;
    std::stop_source m_quitting;
    app::Message m_with, m_without;
    QThreadPool m_worker; ///< one thread; last: waits at the end
};

} // namespace alcove::ui
