#pragma once

#include "engine/result.h"

#include <QObject>
#include <QString>
#include <QtQml/qqmlregistration.h>

namespace alcove::ui {

/// A failure as the window words it: what happened, why, and what can be done now. All wordings of
/// failures are in failure_text.cpp, by kind, so that they can be reviewed as a whole.
class Failure {
    Q_GADGET
    QML_VALUE_TYPE(failure)
    Q_PROPERTY(QString text MEMBER text FINAL)
    Q_PROPERTY(QString details MEMBER details FINAL)
    Q_PROPERTY(bool canRetry MEMBER canRetry FINAL)
    Q_PROPERTY(bool canChooseModel MEMBER canChooseModel FINAL)
    Q_PROPERTY(bool present READ present FINAL)

public:
    QString text;    ///< at most three short sentences; empty: no failure
    QString details; ///< the technical sentence, shown on demand
    bool canRetry = false;
    bool canChooseModel = false;

    bool present() const { return !text.isEmpty(); }
    bool operator==(const Failure&) const = default;
};

/// What was being done when it failed.
enum class Attempt { LoadModel, AddModel, Answer, Save };

/// `subject` is the model's or file's name as the person knows it.
Failure failureFor(Attempt attempt, const alcove::Error& error, const QString& subject);

} // namespace alcove::ui
