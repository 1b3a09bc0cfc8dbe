#pragma once

#include "app/store/database.h"

namespace alcove::app {

struct Salvaged {
    int conversations = 0;       ///< taken over
    int conversationsFound = -1; ///< in the damaged file as far as it says; −1: it does not
};

/// Copies into the empty `fresh` database every row of the damaged file `path` that can still be
/// read: each table from its begin and, past the first unreadable place, from its end. Rows whose
/// references are lost are repaired (a message without its parent becomes a first message) or left
/// out. Never fails: an unreadable file gives nothing.
Salvaged salvage(const QString& path, Database& fresh);

} // namespace alcove::app
