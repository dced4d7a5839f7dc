// SPDX-License-Identifier: MIT
// Turns what a search has proven into claims that can be checked one by one, each following from
// the rules and from claims about successors alone. What the search did not store, or has removed,
// is proven again. States are those of the game itself: a certificate uses no symmetries.
//
// What a claim is depends on the players: certify_two.cpp has two, certify_many.cpp any number.
// Here is what they share: the states, the claims, and how they are put in order and written.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "probes/transposition_table.h"
#include "proofs/checker_search.h"
#include "search/search_graph.h"

namespace unbounded {

class Certifier {
  public:
    // The node of the search that stands for a state of these rules; no_node: there is none.
    using Locate = std::function<NodeId(State)>;

    struct Scores {
        bool claimed;  // worths have scores; else a win is a win, whatever scores the game declares
        bool bounded;  // the game bounds the scores that can still be reached
    };

    // What is to be certified, and how.
    struct Request {
        bool partial;                  // the bounds of a root that is not resolved; else its value
        std::uint32_t checker_search;  // successors that the checker may make for a claim; 0: none
    };

    // What a certifier is made of. The rules are those without symmetries; `locate` is for rules
    // that are not compiled.
    struct Parts {
        const SearchGraph& searched;
        TranspositionTable* table;  // what the search's probes have proven; null: none
        Rules& rules;
        Locate locate;
        Scores scores;
        Request request;
    };

    virtual ~Certifier() = default;
    Certifier(const Certifier&) = delete;
    Certifier& operator=(const Certifier&) = delete;

    enum class End { proven, stopped, impossible };
    // Finds claims that prove what the search has proven of its root, which is this state.
    End certify(State root, const Limits& limits, const Poll& poll);

    // The claims, one line per state, every state after those that it rests on; see
    // docs/certificates.md. `paths`: a state is given by the actions that lead to it, else by its
    // bytes.
    std::size_t lines() const { return order_.size(); }
    void write(std::size_t line, bool paths, std::string& out) const;
    // Whether some claims of an equilibrium are only about the player who moves.
    virtual bool claims_about_movers() const { return false; }
    // What is claimed of the root, without reasons; empty: nothing is proven of it.
    std::vector<std::string> root_claims() const;

  protected:
    // `row_players`: how many players' worths the table of the probes holds for a state, 0 for two
    // players, zero sum. `probes`: whether probes can prove what is claimed.
    Certifier(Parts parts, WorthScale scale, int row_players, bool probes);

    static constexpr std::uint32_t none = 0xffffffffu;
    static constexpr std::uint16_t all_actions = 0xffff;

    // Two players: the worth of the state for `side` is at least this much. More: these are the
    // worths of an equilibrium, one per player.
    struct Claim {
        NodeId state;
        std::uint32_t first_need;
        std::uint32_t needs;
        std::uint32_t next;      // the next claim about the same state
        std::size_t worths;      // in worths_
        std::uint32_t searched;  // successors that the checker makes to prove it; 0: it does not
        std::uint16_t witness;
        std::uint8_t side;
        bool wanted;
    };
    // What is known of a state before it is claimed.
    struct About {
        NodeId parent;
        std::uint16_t action;  // of the parent, by its place
        std::uint8_t player;
        bool terminal;
        std::uint32_t first_claim;
        std::uint32_t uses;
        std::array<Worth, 2> failed;  // two players: so much cannot be proven for this side
    };
    // A state for which a claim is being made.
    struct Frame {
        NodeId state;
        std::uint32_t count;     // of its actions
        std::size_t successors;  // in successors_
        std::uint32_t at;        // the action that is being looked at
        std::uint8_t side;
        bool guided;  // two players: the action was chosen by what is known
        bool open;    // more players: the worths are not known yet
        std::uint16_t witness;
        std::size_t worths;  // that are to be proven, in targets_
    };

    NodeId name(State state, NodeId parent, std::uint16_t action);
    NodeId find(State state) const { return states_.find(state, states_.hash(state)); }
    const std::byte* successor(const Frame& frame, std::uint32_t action) const {
        return successors_.data() + frame.successors + action * rules_.state_bytes;
    }
    std::uint64_t claim_bytes() const;
    NodeId locate(State state);
    State canonical(State state);
    void push(NodeId state, std::uint8_t side);
    void pop();
    void add_claim(const Frame& frame, const Worth* worths);
    void add_searched_claim(NodeId state, std::uint8_t side, const Worth* worths);
    void look(std::uint64_t work);
    const Rules& probed_rules() const { return symmetric_ != nullptr ? *symmetric_ : rules_; }
    // The evaluator that orders the actions of probes; null: none.
    Evaluator* ordering() const;

    // What the players decide.
    virtual End certify_root(NodeId root) = 0;
    // The claim, and the state, that a need of a claim stands for.
    virtual std::uint32_t needed_claim(const Claim& claim, std::uint32_t need) const = 0;
    virtual NodeId needed_state(std::uint32_t need) const = 0;
    virtual void write_worths(const Claim& claim, std::string& out) const = 0;

    void arrange(NodeId root);
    void want(std::uint32_t root_claim);
    void needs_of(NodeId state, std::vector<NodeId>& out) const;
    void write_state(NodeId state, bool paths, std::string& out) const;
    void write_worth(Worth worth, std::string& out) const;

    const SearchGraph& searched_;
    Rules& rules_;
    const Locate locate_;
    const Scores scores_;
    const Request request_;
    const WorthScale scale_;
    const int worths_per_claim_;
    const Rules* symmetric_ = nullptr;        // the search's rules, if they are compiled
    std::unique_ptr<CheckerSearch> checker_;  // null: claims are not left to the checker
    std::unique_ptr<TranspositionTable> own_table_;
    TranspositionTable* table_ = nullptr;  // of the probes; null: there are none
    Description description_;
    Expansion expansion_;
    Graph states_;  // only to give every state a number
    std::vector<About> about_;
    std::vector<Claim> claims_;
    std::vector<Worth> worths_;
    std::vector<std::uint32_t> needs_;  // states (two players), or claims
    std::vector<Frame> frames_;
    std::vector<std::byte> successors_;
    std::vector<Worth> targets_;
    std::vector<NodeId> order_;
    std::vector<std::byte> image_;
    std::uint64_t memory_ = UINT64_MAX;
    Watch* watch_ = nullptr;
};

// The certifier for the players of a search.
std::unique_ptr<Certifier> make_certifier(Certifier::Parts parts);
std::unique_ptr<Certifier> make_two_player_certifier(Certifier::Parts parts);
std::unique_ptr<Certifier> make_many_player_certifier(Certifier::Parts parts);

}  // namespace unbounded
