#pragma once

#include "app/cli/console.h"
#include "engine/result.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace alcove::cli {

using Json = nlohmann::ordered_json;

/// The whole of a file; "-" is standard input. The sentence of a failure names the file.
Result<std::string> read_text(const std::string& path);

/// `value` as one line of JSON in ASCII, so that no reader takes U+2028 or U+0085 in it for the
/// line's end; what is not UTF-8 becomes U+FFFD.
std::string to_line(const Json& value);
/// The same, indented, for people and documents of some length.
std::string to_document(const Json& value);

/// JSON of a whole file. A failure says where in the file it stands.
Result<Json> read_json(const std::string& path);

/// Reads JSON Lines from `path` and writes one line for each line that is not blank: what `answer`
/// makes of it. A line that is not a JSON object, or for which `answer` fails or throws a JSON
/// exception, gives {"error": sentence}; the run goes on. Fails only if the file cannot be read, or
/// with Cancelled.
Result<int> answer_cases(Console& console, const std::string& path,
                         const std::function<Result<Json>(const Json& line)>& answer);

/// Integers in decimal, separated by white space or commas. `what` begins the sentence of a
/// failure.
Result<std::vector<std::int32_t>> parse_ids(std::string_view text, std::string_view what);

/// "[1,2,3]"
std::string ids_text(std::span<const std::int32_t> ids);

} // namespace alcove::cli
