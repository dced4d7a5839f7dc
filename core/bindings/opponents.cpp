// SPDX-License-Identifier: MIT
// The opponents as Python classes. No logic here.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "bindings/border.h"
#include "opponents/depth_first.h"
#include "opponents/monte_carlo.h"

namespace unbounded {

using namespace nb::literals;
using namespace opponents;

namespace {

constexpr double most_megabytes = 1e9;

std::uint64_t to_bytes(double megabytes) {
    if (!(megabytes >= 0)) throw std::invalid_argument("memory is not negative");
    return static_cast<std::uint64_t>(std::min(megabytes, most_megabytes) * 1024 * 1024);
}

// An opponent and the Python objects that it needs. Calls from a second thread throw `Busy`.
template <class Opponent>
class Opposing {
  public:
    Opposing(nb::object rules, nb::object evaluator, bool native, std::unique_ptr<Opponent> core)
        : rules(std::move(rules)),
          evaluator(std::move(evaluator)),
          core(std::move(core)),
          state_bytes_(nb::cast<Rules&>(this->rules).state_bytes),
          native_(native) {}

    // Runs without the GIL if rules and evaluator are compiled.
    opponents::Choice choose(const nb::bytes& state, double seconds, std::uint64_t nodes,
                             std::uint64_t rounds) {
        const Lock lock(busy_);
        if (state.size() != state_bytes_)
            throw std::invalid_argument("a state of this game has another size");
        const Allowance allowance{seconds, nodes == 0 ? UINT64_MAX : nodes,
                                  rounds == 0 ? UINT64_MAX : rounds};
        const auto bytes = reinterpret_cast<State>(state.c_str());
        const Poll poll = [&] { return stop_ || interrupted(native_); };
        if (!native_) return core->choose(bytes, allowance, poll);
        const nb::gil_scoped_release unlocked;
        return core->choose(bytes, allowance, poll);
    }

    void stop() { stop_ = true; }
    void clear_stop() { stop_ = false; }
    const Opponent& readable() const {
        if (busy_) throw Busy();
        return *core;
    }

    nb::object rules;
    nb::object evaluator;
    const std::unique_ptr<Opponent> core;

  private:
    const std::size_t state_bytes_;
    const bool native_;
    std::atomic<bool> busy_ = false;
    std::atomic<bool> stop_ = false;
};

using PyDepthFirst = Opposing<DepthFirst>;
using PyMonteCarlo = Opposing<MonteCarlo>;

DepthFirstKind kind_of(const std::string& name) {
    constexpr std::pair<const char*, DepthFirstKind> kinds[] = {
        {"alpha_beta", DepthFirstKind::alpha_beta},
        {"max_n", DepthFirstKind::max_n},
        {"paranoid", DepthFirstKind::paranoid},
        {"best_reply", DepthFirstKind::best_reply},
    };
    for (const auto& [known, kind] : kinds)
        if (name == known) return kind;
    throw std::invalid_argument("unknown kind of depth-first search: " + name);
}

void bind_choice(nb::module_& m) {
    using opponents::Choice;
    nb::class_<Choice>(m, "Choice")
        .def_ro("index", &Choice::index)
        .def_ro("values", &Choice::values)
        .def_prop_ro(
            "proven",
            [](const Choice& choice) {
                std::vector<std::optional<int>> out;
                for (const std::int8_t outcome : choice.proven)
                    out.push_back(outcome == unproven ? std::nullopt : std::optional<int>(outcome));
                return out;
            })
        .def_ro("rounds", &Choice::rounds)
        .def_ro("nodes", &Choice::nodes)
        .def_ro("line", &Choice::line)
        .def_ro("stop", &Choice::stop);
}

template <class Opponent>
nb::class_<Opposing<Opponent>> bind(nb::module_& m, const char* name, const char* rounds) {
    using Py = Opposing<Opponent>;
    return nb::class_<Py>(m, name, nb::type_slots(collectable<Py, &Py::rules, &Py::evaluator>()))
        .def("choose", &Py::choose, "state"_a, "seconds"_a = -1.0, "nodes"_a = 0,
             nb::arg(rounds) = 0)
        .def("stop", &Py::stop)
        .def("clear_stop", &Py::clear_stop);
}

}  // namespace

void bind_opponents(nb::module_& m) {
    bind_choice(m);
    bind<DepthFirst>(m, "DepthFirst", "depth")
        .def(
            "__init__",
            [](PyDepthFirst* self, nb::object rules, nb::object evaluator, const std::string& kind,
               double table_megabytes) {
                Rules& game = nb::cast<Rules&>(rules);
                Evaluator& guess = nb::cast<Evaluator&>(evaluator);
                auto core = DepthFirst::make(kind_of(kind), game, guess, to_bytes(table_megabytes));
                const bool native = game.native() && guess.native();
                new (self)
                    PyDepthFirst(std::move(rules), std::move(evaluator), native, std::move(core));
            },
            "rules"_a, "evaluator"_a, "kind"_a, "table_megabytes"_a = 64.0,
            nb::sig("def __init__(self, rules: Rules, evaluator: Evaluator, kind: str, "
                    "table_megabytes: float = 64.0) -> None"))
        .def_prop_ro("memory", [](const PyDepthFirst& p) { return p.readable().table_bytes(); });
    bind<MonteCarlo>(m, "MonteCarlo", "simulations")
        .def(
            "__init__",
            [](PyMonteCarlo* self, nb::object rules, double c, int playouts, std::uint64_t seed,
               bool solver, double megabytes) {
                Rules& game = nb::cast<Rules&>(rules);
                auto core = std::make_unique<MonteCarlo>(
                    game, MonteCarloOptions{c, playouts, seed, solver, to_bytes(megabytes)});
                new (self)
                    PyMonteCarlo(std::move(rules), nb::none(), game.native(), std::move(core));
            },
            "rules"_a, "c"_a = 1.4, "playouts"_a = 1, "seed"_a = 0, "solver"_a = true,
            "megabytes"_a = 256.0,
            nb::sig("def __init__(self, rules: Rules, c: float = 1.4, playouts: int = 1, seed: int "
                    "= 0, solver: bool = True, megabytes: float = 256.0) -> None"))
        .def_prop_ro("memory", [](const PyMonteCarlo& p) { return p.readable().tree().bytes(); })
        .def_prop_ro("tree_nodes",
                     [](const PyMonteCarlo& p) { return p.readable().tree().nodes(); });
}

}  // namespace unbounded
