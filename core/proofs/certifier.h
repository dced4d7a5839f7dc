// SPDX-License-Identifier: MIT
// Turns what a search has proven into claims that anybody can check, each following from the rules
// and from claims about successors alone. What the search did not store, or has forgotten, is
// proven anew. States are those of the game itself: symmetries are no part of a certificate.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "probes/probe.h"
#include "probes/probe_many.h"
#include "search/search.h"

namespace unbounded {

class Certifier {
  public:
    // The node of the search that stands for a state of these rules; no_node: there is none.
    using Locate = std::function<NodeId(State)>;

    struct Scores {
        bool claimed;  // worths have scores; else a win is a win, whatever scores the game declares
        bool bounded;  // the game bounds the scores that can still be reached
    };

    // `rules` know no symmetries. `locate` is for rules that are not compiled.
    Certifier(const Search& search, Rules& rules, Locate locate, Scores scores);
    ~Certifier();

    enum class End { proven, stopped, impossible };
    // Finds claims that prove what the search has proven of its root, which is this state.
    End certify(State root, const Limits& limits, const Poll& poll);

    // The claims, one line per state, every state after those that it rests on; see
    // docs/certificates.md. `paths`: a state is told by the actions that lead to it, else by its
    // bytes.
    std::size_t lines() const { return order_.size(); }
    void write(std::size_t line, bool paths, std::string& out) const;

  private:
    static constexpr std::uint32_t none = 0xffffffffu;
    static constexpr std::uint16_t all_actions = 0xffff;

    // Two players: the worth of the state for `side` is at least this much. More: these are the
    // worths of an equilibrium, one per player.
    struct Claim {
        NodeId state;
        std::uint32_t first_need;
        std::uint32_t needs;
        std::uint32_t next;  // the next claim about the same state
        std::size_t worths;  // in worths_
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
    void look(std::uint64_t work);

    // certify_two.cpp
    End certify_two(NodeId root);
    bool prove(NodeId root, std::uint8_t side, Worth worth);
    enum class Answer { no, yes, begun };
    Answer begin(NodeId state, std::uint8_t side, Worth worth);
    Answer deliver(Frame& frame, bool good);
    Answer finish(const Frame& frame, bool proven);
    std::uint32_t claim_of(NodeId state, std::uint8_t side, Worth worth) const;
    Bounds known(State state);
    bool possible(State state, std::uint8_t side, Worth worth);
    void choose(Frame& frame);
    Worth target(const Frame& frame) const { return targets_[frame.worths]; }

    // certify_many.cpp
    End certify_many(NodeId root);
    using Row = std::vector<Worth>;
    void begin_many(NodeId state, const Worth* row);
    bool step_many();
    bool begin_rival(const Frame& frame, NodeId child);
    bool look_at_all(Frame& frame);
    bool find_witness(Frame& frame);
    bool matters(const Frame& frame, std::uint32_t action);
    std::uint32_t claim_equal(NodeId state, const Worth* row) const;
    std::uint32_t claim_below(NodeId state, const Frame& frame) const;
    void claim_many(const Frame& frame, NodeId witness);
    void row_of_end(Row& out) const;
    bool stored_row(State state, Row& out);
    bool probed_row(State state, Row& out);

    void arrange(NodeId root);
    void want(std::uint32_t root_claim);
    void needs_of(NodeId state, std::vector<NodeId>& out) const;
    void write_state(NodeId state, bool paths, std::string& out) const;
    void write_worth(Worth worth, std::string& out) const;

    const Search& search_;
    Rules& rules_;
    const Locate locate_;
    const Scores scores_;
    const bool two_;
    const WorthScale scale_;
    const Rules* symmetric_ = nullptr;  // the search's rules, for probes and to find states
    std::unique_ptr<TranspositionTable> own_table_;
    TranspositionTable* table_ = nullptr;
    std::unique_ptr<Prober> prober_;
    std::unique_ptr<ManyProber> many_prober_;
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

}  // namespace unbounded
