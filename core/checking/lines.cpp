// SPDX-License-Identifier: MIT
#include "checking/lines.h"

#include <algorithm>
#include <array>

#include "checking/claims.h"

namespace unbounded::checking {

namespace {

constexpr std::uint8_t in_claim = 16, no_digit = 32, in_later_claim = 64;

// Of each character: its worth as a hexadecimal digit, and whether it occurs in claims of
// version 1, and of later ones.
constexpr std::array<std::uint8_t, 256> make_table() {
    std::array<std::uint8_t, 256> table{};
    table.fill(no_digit);
    for (int i = 0; i < 16; ++i)
        table[static_cast<unsigned char>("0123456789abcdef"[i])] = static_cast<std::uint8_t>(i);
    for (const char c : std::string_view("-+0123456789.:,e@<>="))
        table[static_cast<unsigned char>(c)] |= in_claim | in_later_claim;
    for (const char c : std::string_view("abcdf?%"))
        table[static_cast<unsigned char>(c)] |= in_later_claim;
    return table;
}
constexpr std::array<std::uint8_t, 256> table = make_table();

std::uint8_t about(char c) { return table[static_cast<unsigned char>(c)]; }

bool is_path(std::string_view text) {
    if (text == ".") return true;
    while (!text.empty()) {
        if (text[0] != '.') return false;
        const std::size_t end = std::min(text.find('.', 1), text.size());
        std::int32_t place;
        if (!read_place(text.substr(1, end - 1), place)) return false;
        text.remove_prefix(end);
    }
    return true;
}

bool is_state(std::string_view text) {
    if (text.empty()) return false;
    if (text[0] == '.') return is_path(text);
    return std::all_of(text.begin(), text.end(), [](char c) { return !(about(c) & no_digit); });
}

// Parts with one space in front of each.
bool are_claims(std::string_view text, int version) {
    const std::uint8_t allowed = version == 1 ? in_claim : in_later_claim;
    bool after_space = false;
    for (const char c : text) {
        if (c == ' ' ? after_space : !(about(c) & allowed)) return false;
        after_space = c == ' ';
    }
    return !after_space;
}

}  // namespace

Line split(std::string_view text, int version) {
    Line line{};
    const std::size_t state_end = std::min(text.find(' '), text.size());
    const std::size_t uses_end = std::min(text.find(' ', state_end + 1), text.size());
    line.state = text.substr(0, state_end);
    line.claims = text.substr(uses_end);
    if (line.claims.empty() || !is_state(line.state) || !are_claims(line.claims, version) ||
        !read_number(text.substr(state_end + 1, uses_end - state_end - 1), 9, line.uses))
        throw Refused("this is not a line of a certificate");
    return line;
}

void read_bytes(std::string_view digits, std::byte* out) {
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
        *out++ = static_cast<std::byte>((about(digits[i]) & 15) << 4 | (about(digits[i + 1]) & 15));
}

}  // namespace unbounded::checking
