#pragma once

#include <string>
#include <string_view>

namespace alcove::model {

/// The name to show for a model: its file's name without weight type, part number and separators
/// ("SmolLM2-135M-Instruct.Q4_1" is "SmolLM2 135M Instruct", "gemma-3-270m-q4_k_m" is "Gemma 3
/// 270M"), as people choose and know it. `general_name`, which is often the name of a training run,
/// where the file's name says nothing ("model", a hash).
std::string display_name(std::string_view file_stem, std::string_view general_name);

} // namespace alcove::model
