// SPDX-License-Identifier: MIT
// Short Descent: Descent, but an iteration ends after a few expansions. It lies between UBFM (one)
// and Descent (all the way to a resolved state). `reference/short_descent.py` says the same.
#include "search/algorithms.h"

namespace unbounded {

namespace {

constexpr int leaves = 4;  // that an iteration expands at most

template <class Values>
class ShortDescent final : public Iteration {
  public:
    using Iteration::Iteration;

    Progress iterate(Watch&) override {
        std::size_t to_back_up = 0;
        int left = leaves;
        walk.begin();
        for (NodeId id = walk.searched.root;;) {
            walk.enter(id);
            Node& node = graph.node(id);
            to_back_up = walk.line.path.size() - 1;
            if (node.is(terminal)) break;
            if (!node.is(expanded)) {
                if (walk.expand(id) == Stored::no_memory) {
                    walk.back_up_path<Values>(to_back_up);
                    walk.line.undo_visits();
                    return Progress::no_memory;
                }
                walk.back_up<Values>(id);
                if (--left == 0) break;
            }
            if (node.is(resolved)) break;
            const Choice choice = least_tried_best_child<Values>(graph, node);
            if (choice.child == nullptr) {  // ERRATA 1: all were resolved through other parents
                walk.back_up<Values>(id);
                break;
            }
            id = walk.follow(node, choice.position);
        }
        walk.back_up_path<Values>(to_back_up);
        return Progress::done;
    }
};

}  // namespace

constinit const Algorithm short_descent{"short_descent", make_iteration<ShortDescent>, leaves};

}  // namespace unbounded
