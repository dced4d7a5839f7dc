// SPDX-License-Identifier: MIT
// The compiled checker of certificates.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "checking/claims.h"
#include "checking/held_states.h"
#include "checking/lines.h"
#include "checking/sample.h"
#include "checking/search_below.h"
#include "checking/successors.h"
#include "rules/rules.h"

namespace unbounded::checking {

// What the first line of a certificate says.
struct Header {
    Form form;
    bool paths = false;             // states are given by the actions that lead there from the root
    std::vector<std::byte> root;    // the state after the moves
    std::vector<Statement> claims;  // of it
};

// A claim that another certificate is to prove.
struct Lean {
    std::string digest;  // of that certificate
    std::string state;   // its bytes
    Statement claim;
};

// What a checker is told beside the rules and the first line.
struct Settings {
    std::size_t sample_size = 0;  // lines that are drawn, to be checked again
    std::uint64_t seed = 0;
    // The most successors that a certificate may ask the checker to make, in all.
    std::uint64_t most_searched = std::numeric_limits<std::uint64_t>::max();
    std::function<void()> poll = {};  // called in long searches; what it throws ends them
};

// Takes the lines one after the other; holds what later lines may still use. Once it has refused
// one, it refuses everything.
class Checker {
  public:
    Checker(const Rules& rules, Header header, Settings settings);

    // Takes whole lines, up to the last line of the certificate, and returns how many bytes.
    std::size_t take(std::string_view text);
    // Refuses a certificate that does not prove what it claims, or has more than it needs. What it
    // leans on is not known here.
    void finish() const;

    std::uint64_t lines() const { return lines_; }       // with the first one
    const std::string& about() const { return about_; }  // the state of the line, as it is written
    std::uint64_t states() const { return states_; }
    std::size_t most_held() const { return most_held_; }
    std::uint64_t searched() const { return searched_; }  // successors made by searches
    const std::vector<Lean>& leans_on() const { return leans_on_; }
    const std::vector<Drawn>& drawn() const { return sample_.all(); }

  private:
    using Words = std::vector<std::uint64_t>;

    void require_whole() const;
    void take_line(std::string_view text);
    void read_state(std::string_view text);
    void follow(std::string_view path);
    void check_claims();
    void check_claim(const Claim& claim);
    void check_end(const Claim& claim) const;
    void check_bound(const Claim& claim);
    void check_equilibrium(const Claim& claim);
    void check_least(const Claim& claim);
    template <class Fits>
    bool is_known(const Held& held, const Fits& fits) const;
    bool leaves_nothing_better(const Held& held, const std::uint64_t* successor, int player,
                               const Worth& worth);
    void check_by_search(const Claim& claim);
    void lean_on(const Claim& claim);
    bool matters(const std::uint64_t* successor, int player, const Worth& worth);
    float best_score(const std::uint64_t* successor, int player);
    const Held& look_up(const std::uint64_t* successor);
    bool same(const std::uint64_t* one, const std::uint64_t* other) const;
    bool can_be_drawn(std::string_view line) const;
    void draw(std::string_view line);
    Known known(const Held& held) const;
    void count_uses();
    void hold(std::uint32_t uses);
    void hold_equilibria(std::uint32_t uses);
    State state() const { return reinterpret_cast<State>(state_.data()); }

    const Rules& rules_;
    const Header header_;
    const std::size_t width_;  // worths of a claim
    Words root_, state_;       // the state that the line is about
    Description described_, successor_described_;
    Successors successors_;
    Claims claims_;
    HeldStates held_;
    SearchBelow search_;
    std::vector<Held*> used_;  // by the line
    Sample sample_;
    bool proven_ = false;  // the root, whose line is the last
    bool whole_ = true;    // false: a line is being checked, or was refused
    std::string about_;
    std::uint64_t lines_ = 1, states_ = 0;
    const std::uint64_t most_searched_;
    std::uint64_t asked_ = 0, searched_ = 0;  // the first: the limits of all searches, added up
    std::uint64_t asked_before_ = 0;          // the line
    std::vector<Lean> leans_on_;
    std::size_t most_held_ = 0;
};

}  // namespace unbounded::checking
