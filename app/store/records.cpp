#include "app/store/records.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <array>
#include <utility>

namespace alcove::app {

namespace {

constexpr std::array<std::pair<Role, const char*>, 3> kRoles{{
    {Role::System, "system"},
    {Role::User, "user"},
    {Role::Assistant, "assistant"},
}};

constexpr std::array<std::pair<MessageState, const char*>, 7> kStates{{
    {MessageState::Complete, "complete"},
    {MessageState::Writing, "writing"},
    {MessageState::Stopped, "stopped"},
    {MessageState::LengthLimit, "length"},
    {MessageState::ContextFull, "context"},
    {MessageState::Failed, "failed"},
    {MessageState::Interrupted, "interrupted"},
}};

template <class Table, class Value> QString nameOf(const Table& table, Value value) {
    for (const auto& [each, name] : table)
        if (each == value)
            return QString::fromLatin1(name);
    return {};
}

template <class Value, class Table>
std::optional<Value> valueOf(const Table& table, QStringView text) {
    for (const auto& [value, name] : table)
        if (text == QLatin1String(name))
            return value;
    return {};
}

} // namespace

QString roleName(Role role) {
    return nameOf(kRoles, role);
}
std::optional<Role> roleFromName(QStringView name) {
    return valueOf<Role>(kRoles, name);
}

QString messageStateName(MessageState state) {
    return nameOf(kStates, state);
}
std::optional<MessageState> messageStateFromName(QStringView name) {
    return valueOf<MessageState>(kStates, name);
}

bool canContinue(MessageState state) {
    return state == MessageState::Stopped || state == MessageState::LengthLimit ||
           state == MessageState::Interrupted || state == MessageState::Failed;
}

double AnswerFacts::prefillTokensPerSecond() const {
    return prefillSeconds > 0 ? (promptTokens - cachedTokens) / prefillSeconds : 0;
}

double AnswerFacts::decodeTokensPerSecond() const {
    return decodeSeconds > 0 && generatedTokens > 1 ? (generatedTokens - 1) / decodeSeconds : 0;
}

QString adaptersToJson(const QVector<AppliedAdapter>& adapters) {
    QJsonArray list;
    for (const AppliedAdapter& adapter : adapters)
        list.append(QJsonObject{{QStringLiteral("sha256"), adapter.sha256},
                                {QStringLiteral("name"), adapter.name},
                                {QStringLiteral("scale"), adapter.scale}});
    return QString::fromUtf8(QJsonDocument(list).toJson(QJsonDocument::Compact));
}

QVector<AppliedAdapter> adaptersFromJson(const QString& json) {
    QVector<AppliedAdapter> adapters;
    const QJsonArray list = QJsonDocument::fromJson(json.toUtf8()).array();
    for (const auto& entry : list) {
        const QJsonObject object = entry.toObject();
        adapters.append({object[QStringLiteral("sha256")].toString(),
                         object[QStringLiteral("name")].toString(),
                         object[QStringLiteral("scale")].toDouble()});
    }
    return adapters;
}

} // namespace alcove::app
