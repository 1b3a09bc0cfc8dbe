#include "engine/result.h"

#include <cstdio>
#include <cstdlib>

namespace alcove {

void check_failed(const char* condition, const char* why, const char* file, int line) {
    std::fprintf(stderr, "%s:%d: broken promise: %s (%s)\n", file, line, why, condition);
    std::abort();
}

} // namespace alcove
