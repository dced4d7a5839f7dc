// SPDX-License-Identifier: MIT
// One iteration of Descent: follow the best line of unresolved states, expanding every new state on
// the way, until a state is resolved. `reference/descent.py` is the same as the paper prints it.
#include "search/search.h"

namespace unbounded {

template <class Values>
Search::Progress Search::iterate_descent(Watch& watch) {
    Progress progress = Progress::done;
    std::size_t to_back_up = 0;
    begin_path();
    for (NodeId id = root_;;) {
        enter(id);
        Node& node = graph_.node(id);
        to_back_up = path_.size() - 1;  // unless it is left to go deeper, or has to be as well
        if (node.is(terminal)) break;
        if (!node.is(expanded)) {
            // An iteration may be a whole game, so it looks at the clock on its way; what has been
            // found until then is backed up as if the line ended here.
            progress = expired(watch)                   ? Progress::expired
                       : graph_.size() >= states_limit_ ? Progress::no_states
                       : expand(id)                     ? Progress::done
                                                        : Progress::no_memory;
            if (progress != Progress::done) break;
            back_up<Values>(id);
        }
        if (node.is(resolved)) break;
        const Choice choice = options_.stop_at_draw ? choose<Values, Among::all, true>(graph_, node)
                                                    : least_tried_best_child<Values>(graph_, node);
        if (choice.child == nullptr) {  // ERRATA 1: all were resolved through other parents
            back_up<Values>(id);
            break;
        }
        id = follow(node, choice.position);
    }
    back_up_path<Values>(to_back_up);
    if (progress == Progress::no_memory) forget_visits();
    return progress;
}

template Search::Progress Search::iterate_descent<Minimax>(Watch&);
template Search::Progress Search::iterate_descent<ResolvedCompletion>(Watch&);
template Search::Progress Search::iterate_descent<PropagatedCompletion>(Watch&);

}  // namespace unbounded
