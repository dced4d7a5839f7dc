// SPDX-License-Identifier: MIT
#include "checking/claims.h"

#include <algorithm>

#include "checking/scores.h"

namespace unbounded::checking {

namespace {

constexpr std::size_t longest_quote = 80;

[[noreturn]] void refuse(std::string_view text, const char* what) {
    throw Refused("'" + std::string(text.substr(0, longest_quote)) + "' is not a " + what);
}

// Takes one of three relations off the front of a claim.
bool take_relation(std::string_view& text, Relation& out) {
    if (text.starts_with(">=") || text.starts_with("<=")) {
        out = text[0] == '>' ? Relation::at_least : Relation::at_most;
        text.remove_prefix(2);
        return true;
    }
    if (!text.starts_with("=")) return false;
    out = Relation::equal;
    text.remove_prefix(1);
    return true;
}

bool read_worth(std::string_view text, bool scores, Worth& out) {
    const bool negative = text.starts_with("-1");
    if (!negative && !text.starts_with("0") && !text.starts_with("1")) return false;
    out.outcome = negative ? -1 : text[0] - '0';
    text.remove_prefix(negative ? 2 : 1);
    out.score = 0;
    if (!scores) return text.empty();
    return text.starts_with(":") && read_score(text.substr(1), out.score);
}

bool is_digest(std::string_view text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

// Reads `@A`, `?N` or `%DIGEST`, or nothing.
bool read_reason(std::string_view text, int version, Claim& out) {
    if (text.empty()) return true;
    const std::string_view told = text.substr(1);
    if (text[0] == '@') return read_place(told, out.witness);
    if (version < 2) return false;
    if (text[0] == '?') return read_number(told, 9, out.most_searched) && out.has_search();
    out.digest = told;
    return text[0] == '%' && is_digest(told);
}

}  // namespace

bool read_number(std::string_view text, std::size_t most_digits, std::uint32_t& out) {
    if (text.empty() || text.size() > most_digits || (text[0] == '0' && text.size() > 1))
        return false;
    out = 0;
    for (const char digit : text) {
        if (digit < '0' || digit > '9') return false;
        out = 10 * out + static_cast<std::uint32_t>(digit - '0');
    }
    return true;
}

bool read_place(std::string_view text, std::int32_t& out) {
    std::uint32_t place;
    if (!read_number(text, 5, place)) return false;
    out = static_cast<std::int32_t>(place);
    return true;
}

void Claims::read(std::string_view text) {
    claims_.clear();
    worths_.clear();
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' ', 1), text.size());
        read_claim(text.substr(1, end - 1));
        text.remove_prefix(end);
    }
    if (claims_.size() > 1) refuse_the_same_twice();
}

void Claims::read_claim(const std::string_view text) {
    Claim claim{.relation = Relation::equal, .digest = {}, .first = worths_.size()};
    std::string_view left = text;
    if (!take_relation(left, claim.relation)) refuse(text, "claim");
    const std::size_t reason = std::min(left.find_first_of("@?%"), left.size());
    if (reason == 0 || !read_reason(left.substr(reason), form_.version, claim))
        refuse(text, "claim");
    if (!can_be(claim.relation)) refuse(text, "claim");
    const std::string_view worths = left.substr(0, reason);
    for (std::size_t from = 0; from <= worths.size();) {
        const std::size_t end = std::min(worths.find(',', from), worths.size());
        Worth worth;
        if (!read_worth(worths.substr(from, end - from), form_.scores, worth))
            refuse(worths, "worth");
        worths_.push_back(worth);
        from = end + 1;
    }
    if (worths_.size() - claim.first != static_cast<std::size_t>(width(claim)))
        refuse(text, "claim");
    claims_.push_back(claim);
}

bool Claims::can_be(Relation relation) const {
    if (!form_.equilibrium) return relation != Relation::equal;
    return relation == Relation::equal || (relation == Relation::at_least && form_.version >= 3);
}

std::strong_ordering Claims::compare(const Claim& one, const Claim& other) const {
    if (one.relation != other.relation) return one.relation <=> other.relation;
    for (int i = 0; i < width(one); ++i) {
        const Worth &a = worths(one)[i], &b = worths(other)[i];
        if (a < b) return std::strong_ordering::less;
        if (b < a) return std::strong_ordering::greater;
    }
    return std::strong_ordering::equal;
}

// Sorts them, because a line can have very many.
void Claims::refuse_the_same_twice() {
    sorted_ = claims_;
    std::sort(sorted_.begin(), sorted_.end(),
              [&](const Claim& one, const Claim& other) { return compare(one, other) < 0; });
    const auto twice = std::adjacent_find(
        sorted_.begin(), sorted_.end(),
        [&](const Claim& one, const Claim& next) { return compare(one, next) == 0; });
    if (twice != sorted_.end()) throw Refused("the same is claimed twice");
}

bool Claims::contain(const Statement& wanted) const {
    return std::any_of(claims_.begin(), claims_.end(), [&](const Claim& claim) {
        return claim.relation == wanted.relation &&
               std::equal(wanted.worths.begin(), wanted.worths.end(), worths(claim),
                          worths(claim) + width(claim));
    });
}

Statement Claims::statement(const Claim& claim) const {
    return {claim.relation, {worths(claim), worths(claim) + width(claim)}};
}

}  // namespace unbounded::checking
