#pragma once

#include "engine/engine.h"
#include "engine/model/loaded_model.h"
#include "engine/text/chat_prompt.h"
#include "engine/text/grammar.h"

#include <memory>
#include <mutex>

namespace alcove {

/// The Model that Model::load makes.
class EngineModel final : public Model {
public:
    /// See Model::load. May throw.
    static Result<std::shared_ptr<const Model>> load(const std::filesystem::path& path,
                                                     const LoadOptions& options,
                                                     const std::stop_token& stop);

    const ModelInfo& info() const override { return info_; }
    const Tokenizer& tokenizer() const override { return *tokenizer_; }
    std::shared_ptr<const Tokenizer> shared_tokenizer() const override { return tokenizer_; }
    double load_seconds() const override { return load_seconds_; }
    Result<ChatPrompt> render_chat(const nlohmann::ordered_json& messages,
                                   const ChatOptions& options) const override;

    const model::LoadedModel& loaded() const { return loaded_; }
    const LogSink& log() const { return log_; }
    /// Made at the first call (some ten milliseconds), from any thread.
    std::shared_ptr<const GrammarVocabulary> grammar_vocabulary() const;

private:
    model::LoadedModel loaded_;
    std::shared_ptr<const Tokenizer> tokenizer_;
    std::shared_ptr<const ChatFormat> chat_format_;
    ModelInfo info_;
    LogSink log_;
    double load_seconds_ = 0;
    mutable std::once_flag grammar_vocabulary_once_;
    mutable std::shared_ptr<const GrammarVocabulary> grammar_vocabulary_;
};

/// Facts of an open file as its header claims them; runnable and reason are left as they are.
ModelInfo describe(const GgufFile& file);
/// Puts the checked numbers in place of the claimed ones.
void adopt(ModelInfo& info, const model::LoadedModel& loaded);

/// The tokenizer of `file`, which must not know more tokens than the model has embeddings.
Result<std::shared_ptr<const Tokenizer>> load_tokenizer(const GgufFile& file,
                                                        const model::HParams& hparams);

} // namespace alcove
