#pragma once

#include "engine/result.h"

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

struct pcre2_real_code_8;
struct pcre2_real_match_data_8;

namespace alcove {

struct EncodeScratch;

/// Cuts text into the words that byte-level BPE works on, by the regular expressions that belong to
/// a value of `tokenizer.ggml.pre`. Several expressions apply one after the other, each to the
/// pieces of the one before; what an expression does not match stays a piece of its own. Immutable,
/// safe to use from several threads.
class PreTokenizer {
public:
    struct Rule; // a row of the table of names

    /// The pre-tokenizer called `name`; one that is not known gives the default.
    static Result<PreTokenizer> create(std::string_view name);
    static bool is_known(std::string_view name) noexcept;

    /// Pieces of `text` (valid UTF-8, not empty) as [begin, end) ranges, in `scratch.splits`.
    void split(std::string_view text, EncodeScratch& scratch) const;

    bool normalizes_to_nfc() const noexcept;
    /// A piece that is a token as a whole is taken without merging.
    bool ignores_merges() const noexcept;
    /// BOS is added where the file does not say.
    bool adds_bos() const noexcept;

private:
    struct Expression {
        std::shared_ptr<const pcre2_real_code_8> code;
        bool jit = false;
    };
    static std::pair<std::size_t, std::size_t> search(const Expression& expression,
                                                      std::string_view text, std::size_t from,
                                                      pcre2_real_match_data_8* match);

    const Rule* rule_ = nullptr;
    std::vector<Expression> expressions_;
};

} // namespace alcove
