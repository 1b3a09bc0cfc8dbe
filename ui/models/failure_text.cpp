#include "ui/models/failure_text.h"

#include <QCoreApplication>

namespace alcove::ui {
namespace {

struct Texts {
    Q_DECLARE_TR_FUNCTIONS(Failures)
};

// The engine's sentence, closed with a full stop so that it can stand beside others.
QString sentence(const alcove::Error& error) {
    QString text = QString::fromStdString(error.message).trimmed();
    if (text.isEmpty())
        return text;
    if (!text.endsWith(QLatin1Char('.')) && !text.endsWith(QLatin1Char('?')))
        text += QLatin1Char('.');
    return text;
}

QString whatHappened(Attempt attempt, const QString& subject) {
    switch (attempt) {
    case Attempt::LoadModel:
        return Texts::tr("%1 could not be loaded.").arg(subject);
    case Attempt::AddModel:
        return Texts::tr("%1 was not added.").arg(subject);
    case Attempt::Answer:
        return Texts::tr("The answer could not be written.");
    case Attempt::Save:
        return Texts::tr("Your last change could not be saved.");
    }
    return {};
}

QString whyOfModel(alcove::Errc code) {
    switch (code) {
    case alcove::Errc::NotFound:
        return Texts::tr("The file is not there any more. It may have been moved, or its drive is "
                         "not connected.");
    case alcove::Errc::Io:
        return Texts::tr("The file could not be read.");
    case alcove::Errc::Format:
        return Texts::tr("The file is damaged, incomplete, or not a GGUF model.");
    case alcove::Errc::Unsupported:
        return Texts::tr("Alcove cannot run models of this kind yet.");
    case alcove::Errc::Model:
        return Texts::tr("The file contradicts itself; it may be damaged.");
    case alcove::Errc::Tokenizer:
        return Texts::tr("Its vocabulary cannot be used.");
    case alcove::Errc::Template:
        return Texts::tr("Its chat format could not be used.");
    case alcove::Errc::Memory:
        return Texts::tr("It needs more memory than is free.");
    default:
        return {};
    }
}

Failure answerFailure(const alcove::Error& error) {
    Failure failure;
    failure.canRetry = true;
    switch (error.code) {
    case alcove::Errc::ContextFull:
        failure.text = Texts::tr(
            "The model can see no more: this conversation is longer than its context. Start a new "
            "conversation, or edit an earlier message to make it shorter.");
        failure.canRetry = false;
        break;
    case alcove::Errc::Memory:
        failure.text =
            Texts::tr("Memory ran out while writing. Your text and the answer so far are saved.");
        break;
    case alcove::Errc::Template:
        failure.text = Texts::tr("This model's chat format could not be used.");
        failure.canChooseModel = true;
        break;
    case alcove::Errc::Numeric:
        failure.text =
            Texts::tr("The model stopped giving usable numbers. Its file may be damaged.");
        failure.canChooseModel = true;
        break;
    case alcove::Errc::Internal:
        failure.text = Texts::tr("The engine stopped unexpectedly. Your conversation is safe.");
        break;
    default:
        failure.text = whatHappened(Attempt::Answer, {});
        break;
    }
    return failure;
}

Failure saveFailure() {
    Failure failure;
    failure.text = Texts::tr("New messages cannot be saved, so sending is off. The disk may be "
                             "full: free at least 20 MB.");
    failure.canRetry = true;
    return failure;
}

} // namespace

Failure failureFor(Attempt attempt, const alcove::Error& error, const QString& subject) {
    if (error.code == alcove::Errc::Cancelled)
        return {};
    Failure failure;
    if (attempt == Attempt::Answer)
        failure = answerFailure(error);
    else if (attempt == Attempt::Save)
        failure = saveFailure();
    else {
        failure.text = whatHappened(attempt, subject);
        if (const QString why = whyOfModel(error.code); !why.isEmpty())
            failure.text += QLatin1Char(' ') + why;
        failure.canRetry = error.code == alcove::Errc::Io || error.code == alcove::Errc::NotFound ||
                           error.code == alcove::Errc::Memory;
        failure.canChooseModel = true;
    }
    failure.details = sentence(error);
    return failure;
}

} // namespace alcove::ui
