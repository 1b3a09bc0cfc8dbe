#pragma once

#include "app/engine/conversation_controller.h"
#include "ui/models/failure_text.h"

#include <QElapsedTimer>
#include <QObject>
#include <QtQml/qqmlregistration.h>

namespace alcove::ui {

/// The model button: which model answers, and whether it is loaded, in words. Lives on the window's
/// thread.
class ModelBarModel : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("made by the program")
    Q_PROPERTY(State state READ state NOTIFY changed FINAL)
    Q_PROPERTY(QString text READ text NOTIFY changed FINAL)
    Q_PROPERTY(QString name READ name NOTIFY changed FINAL)
    Q_PROPERTY(QString detail READ detail NOTIFY changed FINAL)
    Q_PROPERTY(double loadFraction READ loadFraction NOTIFY changed FINAL)
    Q_PROPERTY(QString actionText READ actionText NOTIFY changed FINAL)
    Q_PROPERTY(alcove::ui::Failure failure READ failure NOTIFY changed FINAL)

public:
    enum class State { None, Known, Loading, Ready, Failed, Away };
    Q_ENUM(State)

    ModelBarModel(app::ConversationController& controller, app::EngineService& engine,
                  QObject* parent = nullptr);

    State state() const;
    QString text() const; ///< name and state in one line
    QString name() const; ///< "SmolLM2 135M", or "Choose a model"
    QString
    detail() const; ///< "loads when you send", "Loading 43 %, about 4 s", "Q4_1, 4,096 tokens"
    double loadFraction() const { return m_controller.loadFraction(); }
    QString actionText()
        const; ///< of the button beside it: Load now, Cancel, Unload, Try again, Look again
    Failure failure() const;

    Q_INVOKABLE void act(); ///< what actionText says

Q_SIGNALS:
    void changed();

private:
    app::ConversationController& m_controller;
    app::EngineService& m_engine;
    QElapsedTimer m_loading;
};

} // namespace alcove::ui
