// SPDX-License-Identifier: MIT
// Self-play: batches of states out, evaluations in, and what finished games teach.
#include "selfplay/self_play.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bindings/border.h"

namespace unbounded {

using namespace nb::literals;

namespace {

using Planes = nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Movers = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Values = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Gives a vector to NumPy without copying it.
template <class T, class Stored = T>
nb::object array_of(std::vector<T>&& from) {
    auto* const kept = new std::vector<T>(std::move(from));
    const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    auto* const data = reinterpret_cast<Stored*>(kept->data());
    return nb::cast(nb::ndarray<nb::numpy, Stored, nb::ndim<1>>(data, {kept->size()}, owner));
}

nb::dict arrays_of(Lessons&& lessons) {
    nb::dict out;
    out["states"] = array_of<std::byte, std::uint8_t>(std::move(lessons.states));
    out["values"] = array_of(std::move(lessons.values));
    out["plies"] = array_of(std::move(lessons.plies));
    out["kinds"] = array_of(std::move(lessons.kinds));
    out["counts"] = array_of(std::move(lessons.counts));
    out["moves"] = array_of(std::move(lessons.moves));
    out["actions"] = array_of(std::move(lessons.actions));
    out["results"] = array_of(std::move(lessons.results));
    out["by_ply"] = array_of(std::move(lessons.by_ply));
    return out;
}

std::vector<std::size_t> advance(SelfPlay& self, int group, const std::optional<Values>& current,
                                 const std::optional<Values>& past, float scale) {
    std::vector<SelfPlay::Answers> answers;
    for (const auto* values : {&current, &past}) {
        SelfPlay::Answers each;
        const std::size_t wanted = self.waiting(group, static_cast<int>(answers.size()));
        if (*values && (*values)->shape(0) < wanted)
            throw std::invalid_argument("there are fewer values than waiting states");
        const int players = self.inputs().players;
        const int outputs = *values ? static_cast<int>((*values)->shape(1)) : players;
        if (outputs != players && !(outputs == 1 && players == 2))
            throw std::invalid_argument("a state has a value per player, or one for two players");
        if (*values) each = {(*values)->data(), static_cast<int>((*values)->shape(1)), scale};
        answers.push_back(each);
    }
    const nb::gil_scoped_release unlocked;
    return self.advance(group, answers);
}

void bind_settings(nb::module_& m) {
    nb::enum_<Law>(m, "Law")
        .value("ordinal", Law::ordinal)
        .value("epsilon_greedy", Law::epsilon_greedy)
        .value("softmax", Law::softmax);
    nb::enum_<Score>(m, "Score")
        .value("game", Score::game)
        .value("outcome", Score::outcome)
        .value("depth", Score::depth)
        .value("multiplicative_depth", Score::multiplicative_depth)
        .value("mobility", Score::mobility)
        .value("presence", Score::presence);
    nb::enum_<Targets>(m, "Targets")
        .value("tree", Targets::tree)
        .value("root", Targets::root)
        .value("terminal", Targets::terminal);
    nb::class_<Exploration>(m, "Exploration")
        .def(nb::init<>())
        .def_rw("law", &Exploration::law)
        .def_rw("epsilon", &Exploration::epsilon)
        .def_rw("temperature", &Exploration::temperature);
    nb::class_<Scoring>(m, "Scoring")
        .def(nb::init<>())
        .def_rw("score", &Scoring::score)
        .def_rw("margin", &Scoring::margin)
        .def_rw("shortest", &Scoring::shortest)
        .def_rw("longest", &Scoring::longest)
        .def_rw("area", &Scoring::area);
    nb::class_<SelfPlaySettings>(m, "SelfPlaySettings")
        .def(nb::init<>())
        .def_rw("options", &SelfPlaySettings::options)
        .def_rw("states", &SelfPlaySettings::states)
        .def_rw("exploration", &SelfPlaySettings::exploration)
        .def_rw("scoring", &SelfPlaySettings::scoring)
        .def_rw("targets", &SelfPlaySettings::targets)
        .def_rw("opening", &SelfPlaySettings::opening)
        .def_rw("past", &SelfPlaySettings::past)
        .def_rw("per_ply", &SelfPlaySettings::per_ply)
        .def_rw("resolved_share", &SelfPlaySettings::resolved_share)
        .def_rw("terminal_share", &SelfPlaySettings::terminal_share)
        .def_rw("longest", &SelfPlaySettings::longest);
}

void bind_survey(nb::module_& m) {
    m.def(
        "survey",
        [](const Rules& rules, int games, std::uint64_t seed) {
            const Survey found = survey(rules, games, seed);
            nb::dict out;
            out["shortest"] = found.shortest;
            out["longest"] = found.longest;
            out["mean_plies"] = found.mean_plies;
            out["mean_actions"] = found.mean_actions;
            out["largest_score"] = found.largest_score;
            return out;
        },
        "rules"_a, "games"_a, "seed"_a,
        nb::sig("def survey(rules: Rules, games: int, seed: int) -> dict[str, float]"));
}

}  // namespace

void bind_self_play(nb::module_& m) {
    bind_settings(m);
    bind_survey(m);
    nb::class_<SelfPlay>(m, "SelfPlay")
        .def(
            "__init__",
            [](SelfPlay* self, const Rules& rules, const NetworkInputs& inputs,
               const SelfPlaySettings& settings, int games, int groups, int threads,
               std::uint64_t seed, Evaluator* current, Evaluator* past) {
                if (games < 1 || groups < 1 || groups > games || threads < 1)
                    throw std::invalid_argument("games, groups and threads must be at least 1");
                new (self) SelfPlay(rules, inputs, settings, games, groups, threads, seed,
                                    {current, past});
            },
            "rules"_a, "inputs"_a, "settings"_a, "games"_a, "groups"_a, "threads"_a, "seed"_a,
            "current"_a = nb::none(), "past"_a = nb::none(), nb::keep_alive<1, 2>(),
            nb::keep_alive<1, 3>(), nb::keep_alive<1, 9>(), nb::keep_alive<1, 10>())
        .def("advance", advance, "group"_a, "current"_a = nb::none(), "past"_a = nb::none(),
             "scale"_a = 1.0f,
             nb::sig("def advance(self, group: int, current: object | None = None, past: object | "
                     "None = None, scale: float = 1.0) -> list[int]"))
        .def(
            "encode",
            [](SelfPlay& self, int group, int network, Planes planes, Movers movers) {
                if (network < 0 || network >= SelfPlay::networks)
                    throw std::invalid_argument("there is no such network");
                if (planes.shape(1) != self.inputs().inputs || planes.shape(0) < movers.shape(0))
                    throw std::invalid_argument("the arrays do not fit the states");
                const std::size_t room = movers.shape(0);
                if (room < self.waiting(group, network))
                    throw std::invalid_argument("the arrays are too small");
                const nb::gil_scoped_release unlocked;
                self.encode(group, network, planes.data(), movers.data());
            },
            "group"_a, "network"_a, "planes"_a, "movers"_a,
            nb::sig("def encode(self, group: int, network: int, planes: object, movers: object) "
                    "-> None"))
        .def(
            "take_lessons",
            [](SelfPlay& self, int group) { return arrays_of(self.take_lessons(group)); },
            "group"_a, nb::sig("def take_lessons(self, group: int) -> dict[str, typing.Any]"))
        .def(
            "counts",
            [](const SelfPlay& self, int group) {
                const GameCounts counts = self.counts(group);
                nb::dict out;
                out["evaluated"] = counts.evaluated;
                out["expanded"] = counts.expanded;
                out["games"] = counts.games;
                out["moves"] = counts.moves;
                out["resolved_roots"] = counts.resolved_roots;
                return out;
            },
            "group"_a, nb::sig("def counts(self, group: int) -> dict[str, int]"))
        .def_prop_ro(
            "settings", [](SelfPlay& self) -> SelfPlaySettings& { return self.settings(); },
            nb::rv_policy::reference_internal);
}

}  // namespace unbounded
