#include "ui/models/model_bar_model.h"

#include "ui/models/format.h"

namespace alcove::ui {

using app::ConversationController;

ModelBarModel::ModelBarModel(ConversationController& controller, app::EngineService& engine,
                             QObject* parent)
    : QObject(parent), m_controller(controller), m_engine(engine) {
    connect(&controller, &ConversationController::modelStateChanged, this, [this] {
        if (state() != State::Loading)
            m_loading.invalidate();
        else if (!m_loading.isValid())
            m_loading.start();
        Q_EMIT changed();
    });
    connect(&controller, &ConversationController::conversationChanged, this,
            &ModelBarModel::changed);
    connect(&engine, &app::EngineService::modelChanged, this, &ModelBarModel::changed);
}

ModelBarModel::State ModelBarModel::state() const {
    switch (m_controller.modelState()) {
    case app::ModelState::None:
        return State::None;
    case app::ModelState::Known:
        return State::Known;
    case app::ModelState::Loading:
        return State::Loading;
    case app::ModelState::Ready:
        return State::Ready;
    case app::ModelState::Failed:
        return State::Failed;
    case app::ModelState::Away:
        return State::Away;
    }
    return State::None;
}

QString ModelBarModel::name() const {
    return state() == State::None ? tr("Choose a model") : m_controller.model().name;
}

QString ModelBarModel::detail() const {
    switch (state()) {
    case State::None:
        return {};
    case State::Known:
        return tr("loads when you send");
    case State::Loading: {
        const double fraction = loadFraction();
        const QString percent = tr("Loading %1").arg(formatPercent(fraction));
        // A first tenth is too little to tell the rest from.
        if (!m_loading.isValid() || fraction < 0.1)
            return percent;
        const double left = double(m_loading.elapsed()) / 1000.0 * (1 - fraction) / fraction;
        return tr("%1, about %2", "Loading 43 %, about 4 s").arg(percent, formatDuration(left));
    }
    case State::Ready: {
        const auto& model = m_engine.model();
        return model ? tr("%1, ready", "kind of weights").arg(model->quantization) : tr("ready");
    }
    case State::Failed:
        return tr("could not be loaded");
    case State::Away:
        return tr("drive not connected");
    }
    return {};
}

QString ModelBarModel::text() const {
    const QString state = detail();
    return state.isEmpty() ? name() : tr("%1, %2", "model, its state").arg(name(), state);
}

QString ModelBarModel::actionText() const {
    switch (state()) {
    case State::None:
        return {};
    case State::Known:
        return tr("Load now");
    case State::Loading:
        return tr("Cancel");
    case State::Ready:
        return tr("Unload");
    case State::Failed:
        return tr("Try again");
    case State::Away:
        return tr("Look again");
    }
    return {};
}

Failure ModelBarModel::failure() const {
    return state() == State::Failed ? failureFor(Attempt::LoadModel, m_controller.modelError(),
                                                 m_controller.model().name)
                                    : Failure{};
}

void ModelBarModel::act() {
    switch (state()) {
    case State::None:
        break;
    case State::Loading:
        m_controller.cancelLoad();
        break;
    case State::Ready:
        m_controller.unload();
        break;
    case State::Known:
    case State::Failed:
    case State::Away:
        m_controller.loadNow();
        break;
    }
}

} // namespace alcove::ui
