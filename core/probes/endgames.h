// SPDX-License-Identifier: MIT
// A table of exact scores for states near the end of the game, at places that the rules number.
// Probes that come to such a state look its score up. The table is filled where they ask for it, by
// a search of all actions that stops at what is in the table already: so no state is searched
// twice, and what no probe comes to is never searched.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "graph/memory.h"
#include "rules/compiler.h"
#include "rules/rules.h"

namespace unbounded {

// Shared by threads: an entry is a byte, and whoever fills it writes the same.
class EndgameTable {
  public:
    // By the sizes that the game declares; empty at first.
    explicit EndgameTable(std::vector<std::int32_t> sizes) : sizes_(std::move(sizes)) {}
    ~EndgameTable();
    EndgameTable(const EndgameTable&) = delete;
    EndgameTable& operator=(const EndgameTable&) = delete;

    // Covers states farther from the end the more nodes the probes have visited, within so many
    // bytes. One thread at a time.
    void grow(std::uint64_t nodes, std::uint64_t most_bytes);
    std::uint64_t bytes() const { return static_cast<std::uint64_t>(covered()); }

    // Numbers below this one are covered. It only becomes larger.
    std::int32_t covered() const { return covered_.load(std::memory_order_acquire); }
    bool covers(std::int32_t number) const { return number >= 0 && number < covered(); }
    void prefetch(std::int32_t number) const { unbounded::prefetch(entries_ + number); }
    // How many points the player to move gains from here on; of a number that is covered.
    static constexpr int most_gain = 127, unknown = -most_gain - 1;
    int gain(std::int32_t number) const {
        return entries_[number].load(std::memory_order_relaxed) + unknown;
    }
    void store(std::int32_t number, int gain) {
        const auto entry = static_cast<std::uint8_t>(gain - unknown);
        entries_[number].store(entry, std::memory_order_relaxed);
        found_.fetch_add(1, std::memory_order_relaxed);
    }
    // How many states were searched to fill it, and how many may be; what is not found then is
    // searched by probes, as any state.
    std::uint64_t found() const { return found_.load(std::memory_order_relaxed); }
    bool is_enough() const { return found() >= most_found_.load(std::memory_order_relaxed); }
    void allow(std::uint64_t most) { most_found_.store(most, std::memory_order_relaxed); }

  private:
    const std::vector<std::int32_t> sizes_;
    std::size_t next_size_ = 0;
    std::atomic<std::int32_t> covered_ = 0;
    std::atomic<std::uint8_t>* entries_ = nullptr;  // 0: unknown
    std::atomic<std::uint64_t> most_found_ = UINT64_MAX;
    alignas(cache_line) std::atomic<std::uint64_t> found_ = 0;  // others are read all the time
};

// Finds the scores that are not in the table yet.
class EndgameSearch {
  public:
    EndgameSearch(const Rules& rules, EndgameTable& table)
        : rules_(rules), table_(table), expansion_(rules) {}

    // How many points the player to move gains from a state on, whose number is covered; or
    // `EndgameTable::unknown`, if it is told to give up. What was found by then stays.
    int gain(State state, int player, Endgame endgame,
             const std::function<bool(std::uint64_t made)>& give_up);

  private:
    // A state that is being searched. Its successors follow those of the states before.
    struct Frame {
        Endgame endgame;
        std::uint32_t slot;
        std::uint32_t first_slot;
        std::uint32_t end_slot;
        std::uint32_t at;  // the successor that comes next
        float best;        // score of the player to move
        int player;
    };
    struct Successor {
        Endgame endgame;
        int player;
        bool terminal;
    };

    void enter(std::uint32_t slot, Successor entered);
    void add(Frame& frame, int index);
    void leave();
    void take(const Successor& successor, int gain);
    bool gives_up(const std::function<bool(std::uint64_t made)>& give_up);
    void check_cycle();
    std::byte* bytes(std::uint32_t slot) {
        return reinterpret_cast<std::byte*>(expansion_.kept(slot));
    }

    const Rules& rules_;
    EndgameTable& table_;
    Expansion expansion_;
    std::vector<Frame> frames_;
    std::vector<Successor> successors_;  // of all states of the line, one for each slot
    std::uint64_t made_ = 0;             // successors since the last look at the clock
    std::uint64_t entered_ = 0;
    std::uint64_t next_cycle_check_ = 0;
};

}  // namespace unbounded
