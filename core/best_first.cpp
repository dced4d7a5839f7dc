// SPDX-License-Identifier: MIT
// One iteration of UBFM: follow the best line of unresolved states to its end and expand that.
// `reference/best_first.py` is the same as the paper prints it.
#include "search.h"

namespace unbounded {

template <class Values>
Search::Progress Search::iterate_best_first(Watch&) {
    for (NodeId id = root_;;) {
        enter(id);
        Node& node = graph_.node(id);
        if (node.is(terminal)) break;  // only when completion is off
        if (!node.is(expanded)) {
            if (!expand(id)) {
                forget_selections();
                return Progress::no_memory;
            }
            if (options_.back_up_on_expansion) back_up<Values>(id);
            break;
        }
        const Choice choice = least_tried_best_child<Values>(graph_, node);
        if (choice.child == nullptr) {  // all were resolved through other parents
            back_up<Values>(id);
            break;
        }
        id = follow(node, choice.position);
    }
    back_up_path<Values>(path_.size() - 1);
    return Progress::done;
}

template Search::Progress Search::iterate_best_first<Minimax>(Watch&);
template Search::Progress Search::iterate_best_first<ResolvedCompletion>(Watch&);
template Search::Progress Search::iterate_best_first<PropagatedCompletion>(Watch&);

}  // namespace unbounded
