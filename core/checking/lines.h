// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace unbounded::checking {

constexpr std::size_t longest_line = 1 << 20;  // with its newline

// The parts of a line about a state: `STATE USES CLAIM [CLAIM ...]`.
struct Line {
    std::string_view state;
    std::uint32_t uses;
    std::string_view claims;  // each with a space in front
};

// Refuses what is not such a line of a certificate of this version.
Line split(std::string_view text, int version);

// Reads lower-case hexadecimal digits, two for each byte.
void read_bytes(std::string_view digits, std::byte* out);

}  // namespace unbounded::checking
