// SPDX-License-Identifier: MIT
// Claims of a certificate, as docs/certificates.md defines them. Nothing in this folder uses the
// search or the certifier: only the rules of a game.
#pragma once

#include <compare>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace unbounded::checking {

// A certificate proves nothing: why.
struct Refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The outcome comes first. In a certificate without scores, the score is 0.
struct Worth {
    std::int32_t outcome = 0;
    float score = 0;
    auto operator<=>(const Worth&) const = default;
};

// What the claims of a certificate look like.
struct Form {
    int players = 2;
    bool equilibrium = false;
    bool scores = false;
    int version = 3;

    int width() const { return equilibrium ? players : 1; }  // worths of a claim about the root
};

// Of an equilibrium, `at_least` is about the player who moves.
enum class Relation : std::uint8_t { at_least, at_most, equal };

struct Claim {
    Relation relation;
    std::int32_t witness = no_witness;  // the place of an action
    std::uint32_t most_searched = 0;    // successors that the checker may make; 0: no search
    std::string_view digest;            // of the certificate that proves it; empty: none
    std::size_t first = 0;              // of its worths

    static constexpr std::int32_t no_witness = -1;
    bool has_witness() const { return witness != no_witness; }
    bool has_search() const { return most_searched > 0; }
    bool has_digest() const { return !digest.empty(); }
};

// A claim without its reason.
struct Statement {
    Relation relation;
    std::vector<Worth> worths;
};

// The claims of one line.
class Claims {
  public:
    explicit Claims(const Form& form) : form_(form) {}

    // Reads the claims of a line, each with a space in front. Refuses the same claim twice. Digests
    // stay in the text.
    void read(std::string_view text);

    const std::vector<Claim>& all() const { return claims_; }
    const Worth* worths(const Claim& claim) const { return worths_.data() + claim.first; }
    int width(const Claim& claim) const {
        return claim.relation == Relation::equal ? form_.width() : 1;
    }
    // Whether there is exactly this claim, for any reason.
    bool contain(const Statement& wanted) const;
    Statement statement(const Claim& claim) const;

  private:
    void read_claim(std::string_view text);
    bool can_be(Relation relation) const;
    void refuse_the_same_twice();
    std::strong_ordering compare(const Claim& one, const Claim& other) const;

    const Form form_;
    std::vector<Claim> claims_;
    std::vector<Worth> worths_;
    std::vector<Claim> sorted_;
};

// Reads a number without zeros in front, of at most so many digits.
bool read_number(std::string_view text, std::size_t most_digits, std::uint32_t& out);
// Whether a text is the place of an action: a number of at most 5 digits.
bool read_place(std::string_view text, std::int32_t& out);

}  // namespace unbounded::checking
