#pragma once

#include "ui/models/blocks/block.h"
#include "ui/models/blocks/inline_source.h"

#include <vector>

namespace alcove::ui {

/// Parses one unit with md4c and appends its blocks. `like` gives what they share; sourceStart of
/// each is where its first character stands. Line breaks are kept, HTML and entities are shown as
/// typed, pictures as their address. A table of more than 20,000 cells is shown as text.
void parseMarkdownUnit(const InlineSource& source, const Block& like, std::vector<Block>* blocks);

} // namespace alcove::ui
