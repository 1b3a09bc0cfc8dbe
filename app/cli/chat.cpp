#include "app/cli/adapter_options.h"
#include "app/cli/command.h"
#include "app/cli/files.h"
#include "app/cli/model_options.h"
#include "app/cli/sampling_options.h"
#include "engine/format/gguf_writer.h"
#include "engine/format/memory_map.h"

#include <fmt/format.h>

namespace alcove::cli {
namespace {

struct ChatCommandOptions {
    ModelOptions model;
    SamplingOptions sampling;
    std::string system, once, messages;
    std::string think = "auto";
    bool show_prompt = false;
    bool json = false;
};

constexpr const char* kHelp =
    "/reset       forget the conversation (the system text stays)\n"
    "/save FILE   write the messages as JSON\n"
    "/load FILE   read such a file and go on from there\n"
    "/adapter     the adapters in use; /adapter FILE:SCALE adds one or changes its\n"
    "             strength, /adapter none removes them\n"
    "/stats       speed and context of the last answer\n"
    "/quit        leave\n";

/// The messages of a file: an array, or an object with "messages" whose further keys are variables
/// of the template.
struct Conversation {
    Json messages = Json::array();
    Json variables = Json::object();
};

Result<Conversation> read_conversation(const std::string& path) {
    ALCOVE_ASSIGN_OR_RETURN(Json document, read_json(path));
    Conversation conversation;
    if (document.is_object() && document.contains("messages")) {
        for (const auto& [key, value] : document.items()) {
            if (key != "messages")
                conversation.variables[key] = value;
        }
        document = Json(document.at("messages"));
    }
    if (!document.is_array())
        return Error{Errc::Format, fmt::format("{}: a JSON {}, expected an array of messages",
                                               display_path(path), document.type_name())};
    for (std::size_t i = 0; i < document.size(); ++i) {
        const Json& message = document[i];
        if (!message.is_object() || !message.contains("role") || !message.at("role").is_string())
            return Error{Errc::Format, fmt::format("{}: message {} is not an object with a role",
                                                   display_path(path), i)};
    }
    conversation.messages = std::move(document);
    return conversation;
}

class Chat {
public:
    Chat(Invocation& invocation, const ChatCommandOptions& options,
         std::shared_ptr<const Model> model, std::unique_ptr<Session> session,
         std::vector<AdapterUse> uses, GenerateRequest request)
        : invocation_(invocation), console_(invocation.console), options_(options),
          uses_(std::move(uses)), model_(std::move(model)), session_(std::move(session)),
          request_(std::move(request)) {
        if (options_.think != "auto") { // the two names that templates use
            conversation_.variables["enable_thinking"] = options_.think == "on";
            conversation_.variables["thinking"] = options_.think == "on";
        }
        reset();
    }

    Status take(Conversation conversation) {
        if (conversation.messages.empty())
            return Error{Errc::Format, "there are no messages to answer"};
        if (!options_.system.empty() && conversation.messages[0].at("role") != "system")
            conversation.messages.insert(conversation.messages.begin(),
                                         Json{{"role", "system"}, {"content", options_.system}});
        conversation_.messages = std::move(conversation.messages);
        conversation_.variables.update(conversation.variables);
        return ok();
    }

    /// Answers the conversation as it stands and appends the answer, also one that was cut short.
    Status answer() {
        ChatOptions chat;
        chat.extra = conversation_.variables.empty() ? nullptr : &conversation_.variables;
        ALCOVE_ASSIGN_OR_RETURN(ChatPrompt prompt,
                                model_->render_chat(conversation_.messages, chat));
        for (const std::string& warning : prompt.warnings)
            console_.warning(warning);
        if (options_.show_prompt)
            show(prompt);
        request_.prompt = std::move(prompt.tokens);
        GenerateCallbacks callbacks;
        if (!options_.json) {
            callbacks.on_text = [this](std::string_view piece, TokenId) {
                console_.out(piece);
                console_.flush();
            };
        }
        callbacks.on_progress = [this](const GenerateStats& stats) {
            if (stats.generated_tokens == 0)
                console_.progress(fmt::format("Reading {} of {} tokens",
                                              stats.cached_tokens + stats.prefilled_tokens,
                                              stats.prompt_tokens));
            else
                console_.progress({});
        };
        ALCOVE_ASSIGN_OR_RETURN(last_,
                                session_->generate(request_, callbacks, console_.stop_token()));
        console_.progress({});
        if (last_.finish == FinishReason::Error)
            return Error{Errc::Numeric, last_.finish_detail};
        conversation_.messages.push_back({{"role", "assistant"}, {"content", last_.text}});
        return ok();
    }

    /// One answer, for --once and --messages.
    Result<int> answer_once() {
        ALCOVE_RETURN_IF_ERROR(answer());
        if (options_.json)
            console_.out(to_line(answer_json(last_, request_.sampling.seed)));
        else
            console_.out("\n");
        console_.flush();
        if (last_.finish == FinishReason::Context)
            console_.note(last_.finish_detail);
        return console_.interrupted() ? kInterrupted : kDone;
    }

    void ask(const std::string& text) {
        conversation_.messages.push_back({{"role", "user"}, {"content", text}});
    }

    Result<int> loop() {
        const bool interactive = console_.input_is_terminal();
        if (interactive)
            console_.note(fmt::format(
                "{} is ready. /help lists the commands, Ctrl+C stops an answer, Ctrl+D leaves.",
                model_->info().name));
        for (;;) {
            if (interactive)
                console_.progress("> ");
            const auto line = console_.read_line();
            if (!line.has_value())
                return console_.interrupted() ? kInterrupted : kDone;
            if (line->find_first_not_of(" \t") == std::string::npos)
                continue;
            if (line->front() == '/') {
                if (*line == "/quit" || *line == "/exit")
                    return kDone;
                ALCOVE_RETURN_IF_ERROR(forgive(command(*line)));
                console_.flush();
                continue;
            }
            ask(*line);
            const auto answered = answer();
            if (!answered) {
                conversation_.messages.erase(conversation_.messages.size() -
                                             1); // the question can be put again
                ALCOVE_RETURN_IF_ERROR(forgive(answered));
                continue;
            }
            if (options_.json)
                console_.out(to_line(answer_json(last_, request_.sampling.seed)));
            else
                console_.out("\n");
            console_.flush();
            if (console_.reader_gone())
                return kDone;
            if (last_.finish == FinishReason::Context)
                console_.note(last_.finish_detail + "; /reset begins anew");
            if (console_.interrupted()) {
                if (!interactive)
                    return kInterrupted;
                console_.note("(stopped; the answer so far is kept)");
                console_.rearm();
            }
        }
    }

private:
    void reset() {
        conversation_.messages = Json::array();
        if (!options_.system.empty())
            conversation_.messages.push_back({{"role", "system"}, {"content", options_.system}});
    }

    /// In a conversation at a terminal a failure is told and the conversation goes on; in a script
    /// it ends it.
    Status forgive(Status status) {
        if (status || !console_.input_is_terminal() || status.error().code == Errc::Cancelled)
            return status;
        console_.note(status.error().message);
        return ok();
    }

    void show(const ChatPrompt& prompt) {
        std::string text;
        for (const TextSegment& segment : prompt.segments)
            text += segment.text;
        console_.note(text);
    }

    Status command(const std::string& line) {
        const std::size_t space = line.find(' ');
        const std::string name = line.substr(0, space);
        const std::size_t begin = line.find_first_not_of(' ', space);
        const std::string argument =
            space == std::string::npos || begin == std::string::npos ? "" : line.substr(begin);
        if (name == "/help") {
            console_.out(kHelp);
        } else if (name == "/reset") {
            reset();
        } else if (name == "/adapter") {
            return adapter(argument);
        } else if (name == "/stats") {
            print_stats();
        } else if (name == "/save" || name == "/load") {
            if (argument.empty())
                return Error{Errc::InvalidArgument,
                             fmt::format("{} needs the name of a file", name)};
            return name == "/save" ? save(argument) : load(argument);
        } else {
            return Error{Errc::InvalidArgument,
                         fmt::format("there is no command {}; /help lists them", name)};
        }
        return ok();
    }

    Status save(const std::string& path) {
        const std::string text =
            to_document({{"model", model_->info().name}, {"messages", conversation_.messages}});
        return write_file_atomically(path, std::as_bytes(std::span(text.data(), text.size())));
    }

    Status load(const std::string& path) {
        ALCOVE_ASSIGN_OR_RETURN(Conversation conversation, read_conversation(path));
        conversation_.messages = std::move(conversation.messages);
        return ok();
    }

    /// Shows, adds, changes or removes adapters; the next answer reads the conversation anew.
    Status adapter(const std::string& argument) {
        std::vector<AdapterUse> uses = uses_;
        if (argument == "none") {
            uses.clear();
        } else if (!argument.empty()) {
            ALCOVE_ASSIGN_OR_RETURN(const AdapterSpec spec, parse_adapter(argument));
            ALCOVE_ASSIGN_OR_RETURN(AdapterUse use, load_adapter(invocation_, spec, model_));
            const std::string& sha256 = use.adapter->info().sha256;
            std::erase_if(uses, [&](const AdapterUse& other) {
                return other.adapter->info().sha256 == sha256;
            });
            uses.push_back(std::move(use));
        }
        ALCOVE_RETURN_IF_ERROR(session_->set_adapters(uses));
        uses_ = std::move(uses);
        for (const AdapterUse& use : uses_)
            console_.out(fmt::format("{} at {}\n", use.adapter->info().name, use.scale));
        if (uses_.empty())
            console_.out("no adapters\n");
        return ok();
    }

    void print_stats() {
        const GenerateStats& stats = last_.stats;
        const MemoryEstimate memory = session_->memory();
        constexpr double kMiB = 1024.0 * 1024;
        console_.out(fmt::format(
            "Read        {} tokens at {:.1f} tok/s ({} kept from before)\n"
            "Written     {} tokens at {:.1f} tok/s, the first after {:.0f} ms\n"
            "Context     {} of {} tokens\n"
            "Memory      weights {:.0f} MiB, context {:.0f} MiB, work {:.0f} MiB\n"
            "Loading     {:.2f} s\n",
            stats.prefilled_tokens, stats.prefill_tokens_per_second(), stats.cached_tokens,
            stats.generated_tokens, stats.decode_tokens_per_second(),
            stats.first_token_seconds * 1000, session_->tokens().size(), session_->n_ctx(),
            static_cast<double>(memory.weights_bytes) / kMiB,
            static_cast<double>(memory.kv_bytes) / kMiB,
            static_cast<double>(memory.work_bytes) / kMiB, model_->load_seconds()));
    }

    Invocation& invocation_;
    Console& console_;
    const ChatCommandOptions& options_;
    std::vector<AdapterUse> uses_;
    std::shared_ptr<const Model> model_;
    std::unique_ptr<Session> session_;
    GenerateRequest request_;
    Conversation conversation_;
    GenerateResult last_;
};

Result<int> chat(Invocation& invocation, const ChatCommandOptions& options, bool once) {
    ALCOVE_ASSIGN_OR_RETURN(GenerateRequest request, generate_request(options.sampling));
    Conversation given;
    if (!options.messages.empty()) {
        ALCOVE_ASSIGN_OR_RETURN(given, read_conversation(options.messages));
    }
    ALCOVE_ASSIGN_OR_RETURN(auto model, load_model(invocation, options.model, Use::Chat));
    ALCOVE_ASSIGN_OR_RETURN(auto uses, load_adapters(invocation, options.model, model));
    ALCOVE_ASSIGN_OR_RETURN(auto session, Session::create(model, session_options(options.model)));
    ALCOVE_RETURN_IF_ERROR(session->set_adapters(uses));
    Chat conversation(invocation, options, std::move(model), std::move(session), std::move(uses),
                      std::move(request));
    if (!options.messages.empty()) {
        ALCOVE_RETURN_IF_ERROR(conversation.take(std::move(given)));
        return conversation.answer_once();
    }
    if (once) {
        conversation.ask(options.once);
        return conversation.answer_once();
    }
    return conversation.loop();
}

} // namespace

CommandBody add_chat(CLI::App& command) {
    auto options = std::make_shared<ChatCommandOptions>();
    add_model_options(command, options->model);
    command.add_option("--system", options->system, "System text");
    command
        .add_option("--think", options->think,
                    "Whether the model may think aloud first: on, off or auto")
        ->check(CLI::IsMember({"on", "off", "auto"}))
        ->capture_default_str();
    auto* once = command.add_option("--once", options->once, "One question, one answer");
    command
        .add_option("--messages", options->messages, "JSON file with a list of messages to answer")
        ->excludes(once);
    add_sampling_options(command, options->sampling);
    command.add_flag("--show-prompt", options->show_prompt,
                     "Show the rendered prompt on standard error");
    command.add_flag("--json", options->json, "Print one JSON document per answer");
    return [options, once](Invocation& invocation) {
        return chat(invocation, *options, once->count() > 0);
    };
}

} // namespace alcove::cli
