// SPDX-License-Identifier: MIT
// The core as a Python module. No logic here: only the border between the two worlds, which is the
// one place where Python objects, its lock and its exceptions meet the core.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <optional>
#include <thread>
#include <utility>

#include "bindings/border.h"
#include "proofs/certifier.h"
#include "rules/native_rules.h"
#include "rules/perft.h"
#include "search/search.h"

namespace unbounded {

using namespace nb::literals;

namespace {

// -- rules and evaluations that live in Python ------------------------------------------------

// Games on Python objects. A state is the number that `object_rules.py` gave the object; Python is
// called once for each expansion, and describes every state that it numbers. What it said is kept,
// under Python's lock.
class ObjectRules final : public Rules {
  public:
    using Number = std::uint32_t;

    ObjectRules(int players, int max_actions, std::vector<float> best_score, nb::object bridge,
                bool bounds_scores)
        : Rules(players, sizeof(Number), max_actions, std::move(best_score)),
          bridge(std::move(bridge)),
          bounds_scores_(bounds_scores) {}

    void initial(std::byte* out) const override {
        write(nb::cast<Number>(bridge.attr("initial")()), out);
    }

    void expand(State state, Expansion& out) const override {
        const nb::tuple answer = nb::cast<nb::tuple>(bridge.attr("successors")(read(state)));
        const auto successors = nb::cast<std::vector<Number>>(answer[0]);
        for (nb::handle about : nb::cast<nb::list>(answer[1])) remember(about);
        if (successors.size() > static_cast<std::size_t>(max_actions))
            fail("actions", state, "returned more than 65535 actions");
        out.count = static_cast<int>(successors.size());
        out.reserve(out.count);
        for (int i = 0; i < out.count; ++i) {
            write(successors[i], out.state(i));
            write_row(known(successors[i], out.state(i)), i, out);
        }
    }

    void describe(State state, Description& out) const override { out = known(read(state), state); }

    // In Python as a whole: the states on the way need no numbers, which would be kept.
    bool play_out(State state, std::uint32_t seed, Description& end) const override {
        const nb::object about = bridge.attr("play_out")(read(state), seed);
        end.terminal = true;
        end.outcome = nb::cast<std::vector<std::int8_t>>(about[0]);
        end.score = nb::cast<std::vector<float>>(about[1]);
        check(state, end);
        return true;
    }

    float best_score_from(State state, int player) const override {
        if (!bounds_scores_) return best_score[player];
        const Number number = read(state);
        if (number >= bounds_.size()) bounds_.resize(number + 1);
        std::vector<float>& bounds = bounds_[number];  // asked again and again while it is open
        if (bounds.empty())
            bounds = nb::cast<std::vector<float>>(bridge.attr("best_score_from")(number));
        return check_bound(state, player, bounds.at(player));
    }

    bool bounds_scores() const override { return bounds_scores_; }

    bool native() const override { return false; }

    nb::object bridge;

  private:
    static Number read(State state) {
        Number number;
        std::memcpy(&number, state, sizeof number);
        return number;
    }
    static void write(Number number, std::byte* out) { std::memcpy(out, &number, sizeof number); }

    const Description& known(Number number, State state) const {
        if (number >= known_.size() || !known_[number])
            remember(nb::object(bridge.attr("describe")(number)));
        check(state, *known_[number]);
        return *known_[number];
    }

    // Of actions only their places are known, which serve as labels.
    void write_row(const Description& about, int row, Expansion& out) const {
        out.actions[row] = row;
        out.action_counts[row] = about.action_count;
        out.players[row] = about.player;
        if (!about.terminal) return;
        std::copy(about.outcome.begin(), about.outcome.end(), out.outcomes.begin() + row * players);
        std::copy(about.score.begin(), about.score.end(), out.scores.begin() + row * players);
    }

    // (number, how many actions, player, outcome, score)
    void remember(nb::handle about) const {
        const Number number = nb::cast<Number>(about[0]);
        if (number >= known_.size()) known_.resize(number + 1);
        Description& description = known_[number].emplace(players);
        description.action_count = nb::cast<int>(about[1]);
        description.terminal = description.action_count == 0;
        description.player = nb::cast<int>(about[2]);
        if (!description.terminal) return;
        description.outcome = nb::cast<std::vector<std::int8_t>>(about[3]);
        description.score = nb::cast<std::vector<float>>(about[4]);
    }

    const bool bounds_scores_;
    mutable std::vector<std::optional<Description>> known_;
    mutable std::vector<std::vector<float>> bounds_;  // where they were asked for
};

// A Python function from the bytes of `count` states to an array of count x players numbers.
class PythonEvaluator final : public Evaluator {
  public:
    PythonEvaluator(int players, std::size_t state_bytes, nb::object function)
        : function(std::move(function)), players_(players), state_bytes_(state_bytes) {}

    void evaluate(State states, std::size_t count, float* out) override {
        using Rows = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
        const nb::object answer = function(to_bytes(states, count * state_bytes_));
        const Rows rows = nb::cast<Rows>(answer);
        if (rows.shape(0) != count || rows.shape(1) != static_cast<std::size_t>(players_))
            throw std::invalid_argument(
                "the evaluation must return one row per state and one "
                "column per player");
        std::memcpy(out, rows.data(), count * players_ * sizeof(float));
    }

    bool native() const override { return false; }

    nb::object function;

  private:
    int players_;
    std::size_t state_bytes_;
};

// -- the search -------------------------------------------------------------------------------

struct NotProvenAgain : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A search and the Python objects that it needs. One thread at a time: a second one is refused.
class PySearch {
  public:
    PySearch(nb::object rules, nb::object evaluator, Options options)
        : rules(std::move(rules)),
          evaluator(std::move(evaluator)),
          native_(nb::cast<Rules&>(this->rules).native() &&
                  nb::cast<Evaluator&>(this->evaluator).native()),
          search_(nb::cast<Rules&>(this->rules), nb::cast<Evaluator&>(this->evaluator), options) {}

    // A Python function without arguments that is called every so many seconds while a run goes on,
    // and may look at the search; it returns whether to stop.
    struct Report {
        nb::object function;
        double every;
    };

    Stop run(std::uint64_t iterations, std::uint64_t states, std::uint64_t memory, double seconds,
             nb::object report, double every, nb::object at_rest) {
        RestPoint& rest = search_.rest();
        rest.wanted = false;
        if (!at_rest.is_none()) rest.call = [this, &at_rest] { as_reporter([&] { at_rest(); }); };
        const struct Forget {
            RestPoint& rest;
            ~Forget() { rest.call = nullptr; }
        } forget{rest};
        return watched({std::move(report), every}, [&](const Poll& poll) {
            return search_.run({iterations, states, memory, seconds}, poll);
        });
    }
    Stop resolve_all(std::uint64_t states, std::uint64_t memory, double seconds, nb::object report,
                     double every) {
        return watched({std::move(report), every}, [&](const Poll& poll) {
            return search_.resolve_all({UINT64_MAX, states, memory, seconds}, poll);
        });
    }
    LineProof prove_line(std::uint64_t memory, double seconds) {
        return watched({nb::none(), 0}, [&](const Poll& poll) {
            return search_.prove_line({UINT64_MAX, UINT64_MAX, memory, seconds}, poll);
        });
    }

    // Proves again, claim by claim, what is proven of the root; null: it was stopped.
    std::unique_ptr<Certifier> certify(Rules& plain, Certifier::Locate locate,
                                       Certifier::Scores scores, nb::bytes root,
                                       std::uint64_t memory, double seconds, nb::object report,
                                       double every) {
        if (root.size() != plain.state_bytes)
            throw std::invalid_argument("a state of this game has another size");
        auto certifier =
            make_certifier({search_.searched(), search_.table(), plain, std::move(locate), scores});
        const auto state = reinterpret_cast<State>(root.c_str());
        const auto end = watched({std::move(report), every}, [&](const Poll& poll) {
            return certifier->certify(state, {UINT64_MAX, UINT64_MAX, memory, seconds}, poll);
        });
        if (end == Certifier::End::impossible)
            throw NotProvenAgain("what was proven could not be proven again");
        return end == Certifier::End::proven ? std::move(certifier) : nullptr;
    }

    void stop() { stop_ = true; }
    void clear_stop() { stop_ = false; }
    bool busy() const { return busy_; }

    void set_root(nb::bytes state) {
        const Lock lock(busy_);
        if (state.size() != search_.graph().state_bytes)
            throw std::invalid_argument("a state of this game has another size");
        search_.set_root(reinterpret_cast<State>(state.c_str()));
    }

    void want_rest() { search_.rest().wanted = true; }

    // Gives every array to the sink, as views of memory that are good only while it is called.
    void save(const nb::object& sink) {
        const auto give = [&](const void* data, std::size_t bytes) {
            show(sink, const_cast<void*>(data), bytes, PyBUF_READ);
        };
        if (busy_ && reporter_ == std::this_thread::get_id()) return search_.save(give);
        const Lock lock(busy_);
        search_.save(give);
    }

    void load(const Saved& saved, const nb::object& source, const nb::object& verify) {
        const Lock lock(busy_);
        search_.load(
            saved, [&](void* data, std::size_t bytes) { show(source, data, bytes, PyBUF_WRITE); },
            [&] { verify(); });
    }

    // The first of some stored states of which the rules say something else, and which rule does.
    std::optional<std::pair<NodeId, std::string>> disagreement(NodeId begin, NodeId end,
                                                               NodeId step) {
        const Lock lock(busy_);
        const auto found = search_.rule_check()(begin, std::min(end, search_.graph().size()), step);
        if (!found) return std::nullopt;
        return std::pair(found->id, found->rule);
    }

    const Search& look() const {
        if (busy_ && reporter_ != std::this_thread::get_id()) throw Busy();
        return search_;
    }

    const Graph& graph() const { return look().graph(); }

    NodeId find(const nb::bytes& state) const {
        const Graph& graph = search_.graph();
        if (state.size() != graph.state_bytes) return no_node;
        const State bytes = reinterpret_cast<State>(state.c_str());
        return graph.find(bytes, graph.hash(bytes));
    }

    const Node& node(NodeId id) const {
        if (id >= graph().size()) throw std::out_of_range("there is no such node");
        return graph().node(id);
    }

    nb::object rules;
    nb::object evaluator;

  private:
    // Does the work alone, and without Python's lock where it needs no Python.
    template <class Work>
    std::invoke_result_t<Work, const Poll&> watched(const Report& report, const Work& work) {
        using Clock = std::chrono::steady_clock;
        const Lock lock(busy_);
        const auto pause = std::chrono::duration_cast<Clock::duration>(
            std::chrono::duration<double>(std::min(report.every, 1e9)));
        auto next = Clock::now() + pause;
        const bool reports = !report.function.is_none();
        const Poll poll = [&] {
            if (stop_ || interrupted(native_)) return true;
            if (!reports || Clock::now() < next) return false;
            const bool enough = as_reporter([&] { return nb::cast<bool>(report.function()); });
            next = Clock::now() + pause;
            return enough;
        };
        if (!native_) return work(poll);
        const nb::gil_scoped_release unlocked;
        return work(poll);
    }

    // Calls Python, which may look at the search from this thread meanwhile.
    template <class Work>
    std::invoke_result_t<Work> as_reporter(const Work& work) {
        const nb::gil_scoped_acquire locked;
        reporter_ = std::this_thread::get_id();
        const struct Forget {
            std::atomic<std::thread::id>& reporter;
            ~Forget() { reporter = std::thread::id(); }
        } forget{reporter_};
        return work();
    }

    // Shows memory to a Python function, and takes the view away from whoever has kept it.
    static void show(const nb::object& function, void* data, std::size_t bytes, int access) {
        if (bytes == 0) return;
        const nb::object view = nb::steal(PyMemoryView_FromMemory(
            static_cast<char*>(data), static_cast<Py_ssize_t>(bytes), access));
        if (!view.is_valid()) throw nb::python_error();
        function(view);
        view.attr("release")();
    }

    const bool native_;
    std::atomic<bool> busy_ = false;
    std::atomic<bool> stop_ = false;
    std::atomic<std::thread::id> reporter_;  // the thread that may look though the search is busy
    Search search_;
};

template <class Function>
Function* function_at(const nb::dict& addresses, const char* name) {
    if (!addresses.contains(name)) return nullptr;
    return reinterpret_cast<Function*>(nb::cast<std::uintptr_t>(addresses[name]));
}

template <class Pointer>
void take(const nb::dict& addresses, const char* name, Pointer& out) {
    out = function_at<std::remove_pointer_t<Pointer>>(addresses, name);
}

void bind_rules(nb::module_& m) {
    nb::class_<Rules>(m, "Rules");
    nb::class_<NativeRules, Rules>(m, "NativeRules")
        .def(
            "__init__",
            [](NativeRules* self, int players, std::size_t state_bytes, int max_actions,
               std::vector<float> best_score, const nb::dict& addresses) {
                RuleFunctions f;
                take(addresses, "initial", f.initial);
                take(addresses, "expand", f.expand);
                take(addresses, "best_score_from", f.best_score_from);
                take(addresses, "canonical", f.canonical);
                new (self) NativeRules(players, state_bytes, max_actions, std::move(best_score), f);
            },
            "players"_a, "state_bytes"_a, "max_actions"_a, "best_score"_a, "addresses"_a,
            nb::sig("def __init__(self, players: int, state_bytes: int, max_actions: int, "
                    "best_score: Sequence[float], addresses: dict[str, int]) -> None"))
        .def(
            "canonical",
            [](const NativeRules& self, nb::bytes state) {
                if (state.size() != self.state_bytes)
                    throw std::invalid_argument("a state of this game has another size");
                std::vector<std::byte> image(self.state_bytes);
                std::memcpy(image.data(), state.c_str(), image.size());
                self.canonicalize(image.data());
                return to_bytes(image.data(), image.size());
            },
            "state"_a);
    nb::class_<ObjectRules, Rules>(m, "ObjectRules",
                                   nb::type_slots(collectable<ObjectRules, &ObjectRules::bridge>()))
        .def(nb::init<int, int, std::vector<float>, nb::object, bool>(), "players"_a,
             "max_actions"_a, "best_score"_a, "bridge"_a, "bounds_scores"_a);
    m.def(
        "perft",
        [](const Rules& rules, int depth) {
            if (depth < 0) throw std::invalid_argument("the depth is negative");
            if (!rules.native()) return perft(rules, depth);
            const nb::gil_scoped_release unlocked;
            return perft(rules, depth);
        },
        "rules"_a, "depth"_a);
}

void bind_evaluators(nb::module_& m) {
    nb::class_<Evaluator>(m, "Evaluator");
    nb::class_<ZeroEvaluator, Evaluator>(m, "ZeroEvaluator").def(nb::init<int>(), "players"_a);
    nb::class_<NativeEvaluator, Evaluator>(m, "NativeEvaluator")
        .def(
            "__init__",
            [](NativeEvaluator* self, std::size_t state_bytes, std::uintptr_t address) {
                new (self) NativeEvaluator(state_bytes,
                                           reinterpret_cast<NativeEvaluator::Function>(address));
            },
            "state_bytes"_a, "address"_a);
    nb::class_<PlayoutEvaluator, Evaluator>(m, "PlayoutEvaluator")
        .def(nb::init<const Rules&, int, std::uint64_t>(), "rules"_a, "playouts"_a, "seed"_a,
             nb::keep_alive<1, 2>());
    nb::class_<PythonEvaluator, Evaluator>(
        m, "PythonEvaluator",
        nb::type_slots(collectable<PythonEvaluator, &PythonEvaluator::function>()))
        .def(nb::init<int, std::size_t, nb::object>(), "players"_a, "state_bytes"_a, "function"_a);
}

void bind_options(nb::module_& m) {
    m.def("algorithms", algorithm_names);
    nb::enum_<ValueRule>(m, "ValueRule")
        .value("minimax", ValueRule::minimax)
        .value("resolved_completion", ValueRule::resolved_completion)
        .value("propagated_completion", ValueRule::propagated_completion);
    nb::enum_<Stop>(m, "Stop")
        .value("resolved", Stop::resolved)
        .value("iterations", Stop::iterations)
        .value("states", Stop::states)
        .value("memory", Stop::memory)
        .value("seconds", Stop::seconds)
        .value("interrupted", Stop::interrupted);
    nb::enum_<LineProof>(m, "LineProof")
        .value("complete", LineProof::complete)
        .value("stopped", LineProof::stopped);
    nb::class_<Options>(m, "Options")
        .def(nb::init<>())
        .def_rw("algorithm", &Options::algorithm)
        .def_rw("values", &Options::values)
        .def_rw("back_up_on_expansion", &Options::back_up_on_expansion)
        .def_rw("completion", &Options::completion)
        .def_rw("resolve_on_win", &Options::resolve_on_win)
        .def_rw("stop_at_draw", &Options::stop_at_draw)
        .def_rw("local_maximum", &Options::local_maximum)
        .def_rw("bounds", &Options::bounds)
        .def_rw("probes", &Options::probes)
        .def_rw("exact_score", &Options::exact_score)
        .def_rw("threads", &Options::threads)
        .def_rw("hash_bits", &Options::hash_bits);
}

// A copy of what is known of a state; never a pointer into the graph.
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

// The numbers of a saved search by their names.
constexpr std::pair<const char*, std::uint64_t Saved::*> saved_numbers[] = {
    {"root", &Saved::root},
    {"states", &Saved::states},
    {"edges", &Saved::edges},
    {"slots", &Saved::slots},
    {"iterations", &Saved::iterations},
    {"expanded", &Saved::expanded},
    {"resolved", &Saved::resolved},
    {"terminal", &Saved::terminal},
    {"walked", &Saved::walked},
    {"compactions", &Saved::compactions},
    {"layered", &Saved::layered},
    {"workers_layered", &Saved::workers_layered},
    {"probed", &Saved::probed},
    {"proven", &Saved::proven},
};

nb::dict to_dict(const Saved& saved) {
    nb::dict out;
    for (const auto& [name, number] : saved_numbers) out[name] = saved.*number;
    return out;
}

Saved to_saved(const nb::dict& numbers) {
    Saved saved;
    for (const auto& [name, number] : saved_numbers)
        saved.*number = nb::cast<std::uint64_t>(numbers[name]);
    return saved;
}

void bind_saving(nb::class_<PySearch>& search) {
    search
        .def(
            "saved", [](const PySearch& s) { return to_dict(s.look().saved()); },
            nb::sig("def saved(self) -> dict[str, int]"))
        .def(
            "arrays",
            [](const PySearch& s, const nb::dict& numbers) {
                nb::list out;
                for (const SavedArray& array : s.look().arrays(to_saved(numbers)))
                    out.append(
                        nb::make_tuple(array.name, array.item_bytes, array.rows, array.columns));
                return out;
            },
            "saved"_a,
            nb::sig("def arrays(self, saved: dict[str, int]) -> list[tuple[str, int, int, int]]"))
        .def("save", &PySearch::save, "sink"_a,
             nb::sig("def save(self, sink: collections.abc.Callable[[memoryview], None]) -> None"))
        .def(
            "load",
            [](PySearch& s, const nb::dict& numbers, const nb::object& source,
               const nb::object& verify) { s.load(to_saved(numbers), source, verify); },
            "saved"_a, "source"_a, "verify"_a,
            nb::sig("def load(self, saved: dict[str, int], "
                    "source: collections.abc.Callable[[memoryview], None], "
                    "verify: collections.abc.Callable[[], None]) -> None"))
        .def("disagreement", &PySearch::disagreement, "begin"_a, "end"_a, "step"_a)
        .def("want_rest", &PySearch::want_rest);
}

void bind_search(nb::module_& m) {
    using Slots = nb::type_slots;
    nb::class_<PySearch> search(
        m, "Search", Slots(collectable<PySearch, &PySearch::rules, &PySearch::evaluator>()));
    bind_saving(search);
    search.def(nb::init<nb::object, nb::object, Options>(), "rules"_a, "evaluator"_a, "options"_a)
        .def("run", &PySearch::run, "iterations"_a, "states"_a, "memory"_a, "seconds"_a,
             "report"_a = nb::none(), "every"_a = 0.0, "at_rest"_a = nb::none(),
             nb::sig("def run(self, iterations: int, states: int, memory: int, seconds: float, "
                     "report: collections.abc.Callable[[], bool] | None = None, every: float = "
                     "0.0, at_rest: collections.abc.Callable[[], object] | None = None) -> Stop"))
        .def("resolve_all", &PySearch::resolve_all, "states"_a, "memory"_a, "seconds"_a,
             "report"_a = nb::none(), "every"_a = 0.0,
             nb::sig("def resolve_all(self, states: int, memory: int, seconds: float, "
                     "report: collections.abc.Callable[[], bool] | None = None, every: float = "
                     "0.0) -> Stop"))
        .def(
            "count_by_ply",
            [](const PySearch& s) {
                nb::list out;
                for (const Ply& ply : s.look().count_by_ply()) {
                    nb::list outcomes;
                    for (const auto& [lost, drawn, won] : ply.outcomes)
                        outcomes.append(nb::make_tuple(lost, drawn, won));
                    out.append(nb::make_tuple(ply.states, ply.terminal, outcomes));
                }
                return out;
            },
            nb::sig("def count_by_ply(self) -> list[tuple[int, int, list[tuple[int, int, int]]]]"))
        .def("prove_line", &PySearch::prove_line, "memory"_a, "seconds"_a)
        .def(
            "certify",
            [](PySearch& s, Rules& plain, nb::object locate, bool scores, bool bounds_scores,
               nb::bytes root, std::uint64_t memory, double seconds, nb::object report,
               double every) {
                const auto ask = [locate, &s, bytes = plain.state_bytes](State state) {
                    return s.find(nb::cast<nb::bytes>(locate(to_bytes(state, bytes))));
                };
                return s.certify(plain, ask, {scores, bounds_scores}, std::move(root), memory,
                                 seconds, std::move(report), every);
            },
            "rules"_a, "locate"_a.none(), "scores"_a, "bounds_scores"_a, "root"_a, "memory"_a,
            "seconds"_a, "report"_a = nb::none(), "every"_a = 0.0, nb::keep_alive<0, 1>(),
            nb::keep_alive<0, 2>(),
            nb::sig("def certify(self, rules: Rules, locate: collections.abc.Callable[[bytes], "
                    "bytes] | None, scores: bool, bounds_scores: bool, root: bytes, memory: int, "
                    "seconds: "
                    "float, report: collections.abc.Callable[[], bool] | None = None, every: float "
                    "= 0.0) -> Claims | None"))
        .def("stop", &PySearch::stop)
        .def("clear_stop", &PySearch::clear_stop)
        .def_prop_ro("busy", &PySearch::busy)
        .def("set_root", &PySearch::set_root, "state"_a)
        .def_prop_ro("root", [](const PySearch& s) { return s.look().root(); })
        .def_prop_ro("iterations", [](const PySearch& s) { return s.look().iterations(); })
        .def_prop_ro("expanded", [](const PySearch& s) { return s.look().expansions(); })
        .def_prop_ro("resolved", [](const PySearch& s) { return s.look().resolved_states(); })
        .def_prop_ro("walked", [](const PySearch& s) { return s.look().walked_states(); })
        .def_prop_ro("compactions", [](const PySearch& s) { return s.look().compactions(); })
        .def_prop_ro("probed", [](const PySearch& s) { return s.look().probed_states(); })
        .def_prop_ro("states", [](const PySearch& s) { return s.graph().size(); })
        .def_prop_ro("edges", [](const PySearch& s) { return s.graph().edge_count(); })
        .def_prop_ro("path", [](const PySearch& s) { return s.look().path(); })
        .def_prop_ro(
            "memory",
            [](const PySearch& s) {
                const Graph::Memory memory = s.graph().memory();
                nb::dict out;
                out["nodes"] = memory.nodes;
                out["states"] = memory.states;
                out["edges"] = memory.edges;
                out["table"] = memory.table;
                out["probes"] = s.look().table_bytes();
                return out;
            },
            nb::sig("def memory(self) -> dict[str, int]"))
        .def(
            "node",
            [](const PySearch& s, NodeId id) { return copy_of(s.node(id), s.graph().width); },
            "id"_a)
        .def(
            "outcome_bounds",
            [](const PySearch& s, NodeId id) {
                s.node(id);
                const Bounds bounds = s.look().outcome_bounds(id);
                return nb::make_tuple(bounds.lo, bounds.hi);
            },
            "id"_a, nb::sig("def outcome_bounds(self, id: int) -> tuple[int, int]"))
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
                s.look();
                const NodeId id = s.find(state);
                return id == no_node ? std::nullopt : std::optional(id);
            },
            "state"_a)
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
                return s.look().best_child(id);
            },
            "id"_a)
        .def("snapshot", [](const PySearch& s) {
            const std::vector<std::byte> bytes = s.look().snapshot();
            return to_bytes(bytes.data(), bytes.size());
        });
}

void bind_claims(nb::module_& m) {
    nb::class_<Certifier>(m, "Claims")
        .def("__len__", &Certifier::lines)
        .def(
            "text",
            [](const Certifier& claims, std::size_t first, std::size_t count, bool paths) {
                std::string out;
                const std::size_t end = std::min(claims.lines(), first + count);
                for (std::size_t line = first; line < end; ++line) claims.write(line, paths, out);
                return nb::bytes(out.data(), out.size());
            },
            "first"_a, "count"_a, "paths"_a);
}

// Failures become Python exceptions here and nowhere else.
void bind_exceptions(nb::module_& m) {
    nb::exception<Busy>(m, "Busy", PyExc_RuntimeError);
    nb::exception<NotProvenAgain>(m, "NotProvenAgain", PyExc_RuntimeError);
    nb::exception<Damaged>(m, "Damaged", PyExc_ValueError);
    static PyObject* type = nb::exception<RuleFailure>(m, "RuleFailure").ptr();
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        try {
            std::rethrow_exception(thrown);
        } catch (const RuleFailure& failure) {
            nb::list states;
            for (const auto& state : failure.states)
                states.append(to_bytes(state.data(), state.size()));
            const nb::tuple about = nb::make_tuple(
                failure.rule, failure.what(), to_bytes(failure.state.data(), failure.state.size()),
                failure.action_index, states);
            PyErr_SetObject(type, about.ptr());
        }
    });
}

}  // namespace

NB_MODULE(_core, m) {
    m.doc() = "The native search of unbounded. Import it through unbounded.native only.";
    m.attr("version") = UNBOUNDED_VERSION;
    bind_exceptions(m);
    bind_rules(m);
    bind_evaluators(m);
    bind_options(m);
    bind_node(m);
    bind_claims(m);
    bind_search(m);
    bind_opponents(m);
}

}  // namespace unbounded
