#pragma once

#include <cstddef>

namespace alcove {

/// Keeps the process alive when a mapped model file is truncated by another program: a SIGBUS
/// inside one of MemoryMap's mappings puts zero bytes in the missing page, marks the mapping as
/// changed and continues; any other SIGBUS goes to the handler that was there before. To be called
/// once by a program's main function, before the first mapping; further calls do nothing. The
/// engine never calls it: a library does not take signals on its own.
void install_mapping_guard();

namespace mapping_guard {

/// Registers [begin, begin + bytes). −1 if the table (256 mappings) is full: that mapping is then
/// unguarded.
int add(const void* begin, std::size_t bytes) noexcept;
void remove(int slot) noexcept;
/// True if a page of the mapping was missing and has been replaced.
bool was_hit(int slot) noexcept;

} // namespace mapping_guard
} // namespace alcove
