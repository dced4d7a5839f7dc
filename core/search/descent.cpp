// SPDX-License-Identifier: MIT
// Descent: an iteration follows the best line of unresolved states, expanding every new state on
// the way, until a state is resolved. `reference/descent.py` is the same as the paper prints it.
#include "search/algorithms.h"

namespace unbounded {

namespace {

template <class Values>
class Descent final : public Iteration {
  public:
    using Iteration::Iteration;

    Progress iterate(Watch& watch) override {
        Progress progress = Progress::done;
        std::size_t to_back_up = 0;
        walk.begin();
        for (NodeId id = walk.searched.root;;) {
            walk.enter(id);
            Node& node = graph.node(id);
            // Unless it is left to go deeper, or has to be backed up as well.
            to_back_up = walk.line.path.size() - 1;
            if (node.is(terminal)) break;
            if (!node.is(expanded)) {
                progress = expand(id, watch);
                if (progress != Progress::done) break;
            }
            if (node.is(resolved)) break;
            const Choice choice = select(node);
            if (choice.child == nullptr) {  // ERRATA 1: all were resolved through other parents
                walk.back_up<Values>(id);
                break;
            }
            id = walk.follow(node, choice.position);
        }
        walk.back_up_path<Values>(to_back_up);
        if (progress == Progress::no_memory) walk.line.undo_visits();
        return progress;
    }

  private:
    // An iteration may be a whole game, so it checks the limits on its way; what has been found
    // until then is backed up as if the line ended here.
    Progress expand(NodeId id, Watch& watch) {
        if (walk.searched.expired(watch)) return Progress::expired;
        if (graph.size() >= walk.limits.states) return Progress::no_states;
        if (walk.expand(id) == Stored::no_memory) return Progress::no_memory;
        walk.back_up<Values>(id);
        return Progress::done;
    }

    Choice select(const Node& node) const {
        if (options.stop_at_draw)
            return choose<Values, Ties::least_visited>(graph, node, AllChildren{});
        return least_tried_best_child<Values>(graph, node);
    }
};

}  // namespace

constinit const Algorithm descent{"descent", make_iteration<Descent>, nullptr, UINT64_MAX};

}  // namespace unbounded
