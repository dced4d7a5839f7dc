// SPDX-License-Identifier: MIT
// The search: its runs, its counts, and what it knows of a state.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <utility>
#include <vector>

#include "bindings/py_search.h"

namespace unbounded {

using namespace nb::literals;

namespace {

// A copy of a node, because nodes may move or be removed.
struct NodeCopy {
    int player;
    bool expanded, terminal, resolved;
    std::vector<float> value;
    std::vector<int> completion, tentative_completion;
};

NodeCopy copy_of(const Node& node, int width) {
    const auto numbers = [width](const auto* from) { return std::vector(from, from + width); };
    const std::int8_t* c = node.completion(width);
    const std::int8_t* t = node.tentative(width);
    return {node.player,
            node.is(expanded),
            node.is(terminal),
            node.is(resolved),
            numbers(node.values()),
            std::vector<int>(c, c + width),
            std::vector<int>(t, t + width)};
}

void bind_runs(nb::class_<PySearch>& search) {
    search.def(nb::init<nb::object, nb::object, Options>(), "rules"_a, "evaluator"_a, "options"_a)
        .def("run", &PySearch::run, "iterations"_a, "states"_a, "memory"_a, "seconds"_a,
             "report"_a = nb::none(), "every"_a = 0.0, "at_rest"_a = nb::none(),
             "window"_a = nb::none(),
             nb::sig("def run(self, iterations: int, states: int, memory: int, seconds: float, "
                     "report: collections.abc.Callable[[], bool] | None = None, every: float = "
                     "0.0, at_rest: collections.abc.Callable[[], object] | None = None, window: "
                     "tuple[tuple[int, float], tuple[int, float]] | None = None) -> Stop"))
        .def("resolve_all", &PySearch::resolve_all, "states"_a, "memory"_a, "seconds"_a,
             "report"_a = nb::none(), "every"_a = 0.0,
             nb::sig("def resolve_all(self, states: int, memory: int, seconds: float, "
                     "report: collections.abc.Callable[[], bool] | None = None, every: float = "
                     "0.0) -> Stop"));
}

void bind_results(nb::class_<PySearch>& search) {
    search
        .def(
            "count_by_ply",
            [](const PySearch& s) {
                nb::list out;
                for (const Ply& ply : s.readable().count_by_ply()) {
                    nb::list outcomes;
                    for (const auto& [lost, drawn, won] : ply.outcomes)
                        outcomes.append(nb::make_tuple(lost, drawn, won));
                    out.append(nb::make_tuple(ply.states, ply.terminal, outcomes));
                }
                return out;
            },
            nb::sig("def count_by_ply(self) -> list[tuple[int, int, list[tuple[int, int, int]]]]"))
        .def("prove_line", &PySearch::prove_line, "memory"_a, "seconds"_a);
}

void bind_control(nb::class_<PySearch>& search) {
    search.def("stop", &PySearch::stop)
        .def("clear_stop", &PySearch::clear_stop)
        .def_prop_ro("busy", &PySearch::busy)
        .def("set_root", &PySearch::set_root, "state"_a);
}

void bind_counts(nb::class_<PySearch>& search) {
    search.def_prop_ro("root", [](const PySearch& s) { return s.readable().root(); })
        .def_prop_ro("leaves", [](const PySearch& s) { return s.readable().options().leaves; })
        .def_prop_ro("iterations", [](const PySearch& s) { return s.readable().iterations(); })
        .def_prop_ro("expanded", [](const PySearch& s) { return s.readable().expansions(); })
        .def_prop_ro("resolved", [](const PySearch& s) { return s.readable().resolved_states(); })
        .def_prop_ro("walked", [](const PySearch& s) { return s.readable().walked_states(); })
        .def_prop_ro("compactions", [](const PySearch& s) { return s.readable().compactions(); })
        .def_prop_ro("probed", [](const PySearch& s) { return s.readable().probed_states(); })
        .def_prop_ro("states", [](const PySearch& s) { return s.graph().size(); })
        .def_prop_ro("edges", [](const PySearch& s) { return s.graph().edge_count(); })
        .def_prop_ro("path", [](const PySearch& s) { return s.readable().path(); })
        .def_prop_ro(
            "memory",
            [](const PySearch& s) {
                const Graph::Memory memory = s.graph().memory();
                nb::dict out;
                out["nodes"] = memory.nodes;
                out["states"] = memory.states;
                out["edges"] = memory.edges;
                out["table"] = memory.table;
                out["probes"] = s.readable().table_bytes();
                return out;
            },
            nb::sig("def memory(self) -> dict[str, int]"));
}

void bind_states(nb::class_<PySearch>& search) {
    search
        .def(
            "node",
            [](const PySearch& s, NodeId id) { return copy_of(s.node(id), s.graph().width); },
            "id"_a)
        .def(
            "outcome_bounds",
            [](const PySearch& s, NodeId id) {
                s.node(id);
                const Bounds bounds = s.readable().outcome_bounds(id);
                return nb::make_tuple(bounds.lo, bounds.hi);
            },
            "id"_a, nb::sig("def outcome_bounds(self, id: int) -> tuple[int, int]"))
        .def(
            "worth_bounds",
            [](const PySearch& s, NodeId id) {
                s.node(id);
                const Bounds bounds = s.readable().worth_bounds(id);
                const auto worth = [&scale = s.readable().searched().scale](Worth of) {
                    return nb::make_tuple(scale.outcome(of), scale.score(of));
                };
                return nb::make_tuple(worth(bounds.lo), worth(bounds.hi));
            },
            "id"_a,
            nb::sig("def worth_bounds(self, id: int) -> tuple[tuple[int, float], tuple[int, "
                    "float]]"))
        .def(
            "state",
            [](const PySearch& s, NodeId id) {
                s.node(id);
                return to_bytes(s.graph().state(id), s.graph().state_bytes);
            },
            "id"_a)
        .def(
            "find",
            [](const PySearch& s, nb::bytes state) -> std::optional<NodeId> {
                s.readable();
                const NodeId id = s.find(state);
                return id == no_node ? std::nullopt : std::optional(id);
            },
            "state"_a);
}

void bind_children(nb::class_<PySearch>& search) {
    search
        .def(
            "children",
            [](const PySearch& s, NodeId id) {
                const Node& node = s.node(id);
                nb::list out;
                if (!node.is(expanded)) return out;
                const Edge* edges = s.graph().edges(node);
                for (int i = 0; i < node.edge_count; ++i)
                    out.append(nb::make_tuple(edges[i].child, edges[i].visits));
                return out;
            },
            "id"_a, nb::sig("def children(self, id: int) -> list[tuple[int, int]]"))
        .def(
            "best_child",
            [](const PySearch& s, NodeId id) {
                s.node(id);
                return s.readable().best_child(id);
            },
            "id"_a)
        .def("snapshot", [](const PySearch& s) {
            const std::vector<std::byte> bytes = s.readable().snapshot();
            return to_bytes(bytes.data(), bytes.size());
        });
}

}  // namespace

void bind_node(nb::module_& m) {
    nb::class_<NodeCopy>(m, "Node")
        .def_ro("player", &NodeCopy::player)
        .def_ro("expanded", &NodeCopy::expanded)
        .def_ro("terminal", &NodeCopy::terminal)
        .def_ro("resolved", &NodeCopy::resolved)
        .def_ro("value", &NodeCopy::value)
        .def_ro("completion", &NodeCopy::completion)
        .def_ro("tentative_completion", &NodeCopy::tentative_completion);
}

void bind_search(nb::module_& m) {
    using Slots = nb::type_slots;
    nb::class_<PySearch> search(
        m, "Search", Slots(collectable<PySearch, &PySearch::rules, &PySearch::evaluator>()));
    bind_saving(search);
    bind_runs(search);
    bind_results(search);
    bind_certify(search);
    bind_control(search);
    bind_counts(search);
    bind_states(search);
    bind_children(search);
}

}  // namespace unbounded
