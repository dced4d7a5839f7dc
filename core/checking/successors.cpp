// SPDX-License-Identifier: MIT
#include "checking/successors.h"

#include "checking/claims.h"

namespace unbounded::checking {

Successors::Successors(const Rules& rules)
    : rules_(rules), words_((rules.state_bytes + 7) / 8), listed_(rules) {}

void Successors::list(State state) {
    state_ = state;
    rules_.list_actions(state, listed_);
    made_.assign(listed_.count, false);
    if (states_.size() < listed_.count * words_) states_.resize(listed_.count * words_);
}

const std::uint64_t* Successors::at(int place) {
    if (place >= count())
        throw Refused("there is no action " + std::to_string(place) + " among " +
                      std::to_string(count()));
    std::uint64_t* const state = states_.data() + place * words_;
    if (!made_[place]) {
        rules_.successor(state_, listed_, place, reinterpret_cast<std::byte*>(state));
        made_[place] = true;
    }
    return state;
}

}  // namespace unbounded::checking
