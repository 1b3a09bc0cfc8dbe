#pragma once

#include "engine/result.h"

#include <QString>

#include <atomic>

namespace alcove::app {

/// SHA-256 of a file in lower-case hexadecimal digits, read piece by piece on the calling thread,
/// which it puts to the lowest priority meanwhile. Errc::Cancelled soon after `stop` becomes true,
/// Errc::Io if it cannot be read.
Result<QString> fileSha256(const QString& path, const std::atomic<bool>& stop);

} // namespace alcove::app
