#pragma once

#include "ui/models/blocks/unit_scanner.h"

#include <vector>

namespace alcove::ui {

/// Appends the blocks of one unit. Their source ranges cover the unit from its start to its end. A
/// unit that shows nothing (the end of reasoning, say) adds its range to the block before, or gives
/// none.
void appendBlocks(QStringView source, const Unit& unit, Flavor flavor, bool final,
                  std::vector<Block>* blocks);

} // namespace alcove::ui
