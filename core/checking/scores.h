// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace unbounded::checking {

// Reads a score: as a 64-bit float, then rounded to a 32-bit one. False: it is not written as one,
// or it is not finite.
bool read_score(std::string_view text, float& out);

}  // namespace unbounded::checking
