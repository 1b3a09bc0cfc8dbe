#include "app/cli/command.h"
#include "app/cli/data_folder.h"
#include "app/cli/files.h"
#include "app/store/conversation_store.h"
#include "app/store/message_store.h"

#include <QJsonDocument>

#include <fmt/format.h>

namespace alcove::cli {
namespace {

Json conversation_json(const app::Conversation& conversation) {
    return {{"id", conversation.id},
            {"title", utf8(conversation.title)},
            {"model",
             conversation.modelName.isEmpty() ? Json(nullptr) : Json(utf8(conversation.modelName))},
            {"created", iso_time(conversation.created)},
            {"used", iso_time(conversation.used)}};
}

Json facts_json(const app::AnswerFacts& facts) {
    const auto sampling =
        QJsonDocument(facts.sampling).toJson(QJsonDocument::Compact).toStdString();
    return {{"model", utf8(facts.modelName)},
            {"model_sha256",
             facts.modelSha256.isEmpty() ? Json(nullptr) : Json(utf8(facts.modelSha256))},
            {"adapters", Json::parse(utf8(app::adaptersToJson(facts.adapters)))},
            {"template_sha256", utf8(facts.templateSha256)},
            {"sampling", Json::parse(sampling, nullptr, false)},
            {"seed", facts.seed},
            {"prompt_tokens", facts.promptTokens},
            {"cached_tokens", facts.cachedTokens},
            {"generated_tokens", facts.generatedTokens},
            {"context_used", facts.contextUsed},
            {"context_size", facts.contextSize},
            {"prefill_tok_s", facts.prefillTokensPerSecond()},
            {"decode_tok_s", facts.decodeTokensPerSecond()},
            {"ttft_ms", facts.firstTokenSeconds * 1000},
            {"load_s", facts.loadSeconds},
            {"finish", utf8(facts.finish)},
            {"finish_detail", utf8(facts.finishDetail)}};
}

Json message_json(const app::Message& message) {
    return {{"id", message.id},
            {"parent", message.parentId > 0 ? Json(message.parentId) : Json(nullptr)},
            {"role", utf8(app::roleName(message.role))},
            {"content", utf8(message.text)},
            {"state", utf8(app::messageStateName(message.state))},
            {"created", iso_time(message.created)},
            {"facts", message.facts.has_value() ? facts_json(*message.facts) : Json(nullptr)}};
}

Result<int> list_chats(Invocation& invocation, bool json) {
    ALCOVE_ASSIGN_OR_RETURN(const DataFolder folder, open_data_folder(invocation));
    app::ConversationStore conversations(*folder.database);
    app::MessageStore messages(*folder.database);
    Json document = Json::array();
    std::string text;
    std::optional<app::ConversationCursor> after;
    for (;;) {
        ALCOVE_ASSIGN_OR_RETURN(const auto page, conversations.list(after, 500));
        if (page.isEmpty())
            break;
        for (const app::Conversation& conversation : page) {
            Json entry = conversation_json(conversation);
            ALCOVE_ASSIGN_OR_RETURN(entry["messages"], messages.count(conversation.id));
            text +=
                fmt::format("{}\t{}\t{}\n", conversation.id, iso_time(conversation.used),
                            conversation.title.isEmpty() ? "(untitled)" : utf8(conversation.title));
            document.push_back(std::move(entry));
        }
        after = app::ConversationCursor::after(page.back());
    }
    invocation.console.out(json           ? to_document(document)
                           : text.empty() ? "There are no conversations yet.\n"
                                          : text);
    return kDone;
}

Result<int> show_chat(Invocation& invocation, qint64 id, bool all, bool json) {
    ALCOVE_ASSIGN_OR_RETURN(const DataFolder folder, open_data_folder(invocation));
    app::ConversationStore conversations(*folder.database);
    app::MessageStore store(*folder.database);
    ALCOVE_ASSIGN_OR_RETURN(const app::Conversation conversation, conversations.get(id));
    ALCOVE_ASSIGN_OR_RETURN(const auto messages,
                            all ? store.all(id) : store.path(conversation.leafId));
    Json document = conversation_json(conversation);
    document["system"] = utf8(conversation.systemPrompt);
    document["messages"] = Json::array();
    std::string text = fmt::format(
        "# {}\n", conversation.title.isEmpty() ? "(untitled)" : utf8(conversation.title));
    if (!conversation.systemPrompt.isEmpty())
        text += fmt::format("\n[system]\n{}\n", utf8(conversation.systemPrompt));
    for (const app::Message& message : messages) {
        document["messages"].push_back(message_json(message));
        text += fmt::format("\n[{}]\n{}\n", utf8(app::roleName(message.role)), utf8(message.text));
    }
    invocation.console.out(json ? to_document(document) : text);
    return kDone;
}

struct ChatsOptions {
    qint64 id = 0;
    bool all = false, json = false;
};

} // namespace

CommandBody add_chats(CLI::App& command) {
    auto options = std::make_shared<ChatsOptions>();
    command.require_subcommand(1);
    auto* list = command.add_subcommand("list", "The conversations, last used first");
    list->add_flag("--json", options->json, "Print a JSON array");
    auto* show = command.add_subcommand("show", "The messages of one conversation");
    show->add_option("ID", options->id, "Its number in the list")->required();
    show->add_flag("--all", options->all, "Every branch, not only the chosen one");
    show->add_flag("--json", options->json, "Print one JSON document");
    return [options, list](Invocation& invocation) {
        return list->parsed() ? list_chats(invocation, options->json)
                              : show_chat(invocation, options->id, options->all, options->json);
    };
}

} // namespace alcove::cli
