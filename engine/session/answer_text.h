#pragma once

#include "engine/text/tokenizer.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace alcove {

/// The text of an answer as it grows: whole characters only, and nothing that may yet turn out to
/// be the begin of a stop string. A stop string is found wherever it ends, across tokens.
class AnswerText {
public:
    AnswerText(std::shared_ptr<const Tokenizer> tokenizer, std::vector<std::string> stop);

    /// Text that can be shown after `id`; may be empty.
    std::string push(TokenId id);
    /// The rest, when the answer ends without a stop string.
    std::string flush();

    bool stopped() const { return matched_ >= 0; }
    const std::string& matched() const { return stop_[static_cast<std::size_t>(matched_)]; }

    const std::string& text() const { return text_; } ///< all that was given out
    /// Tokens pushed, up to the last one that lies wholly before the stop string.
    const std::vector<TokenId>& ids() const { return ids_; }

private:
    std::string release();
    std::string cut_at(std::size_t begin);

    TokenStream stream_;
    std::vector<std::string> stop_;
    std::string text_;
    std::string held_;              // follows text_; may begin a stop string
    std::vector<TokenId> ids_;      // with, for each,
    std::vector<std::size_t> ends_; // the length of text_ and held_ after it
    std::ptrdiff_t matched_ = -1;
};

} // namespace alcove
