// SPDX-License-Identifier: MIT
// The compiled checker of certificates.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <cstring>
#include <utility>

#include "bindings/border.h"
#include "checking/checker.h"

namespace unbounded {

using namespace nb::literals;
using namespace checking;

namespace {

using Worths = std::vector<std::pair<int, float>>;
constexpr const char* relations[] = {">=", "<=", "="};

Relation relation_of(const std::string& text) {
    for (int i = 0; i < 3; ++i)
        if (text == relations[i]) return static_cast<Relation>(i);
    throw std::invalid_argument("a relation is >=, <= or =");
}

class PyChecker {
  public:
    using Claims = std::vector<std::pair<std::string, Worths>>;

    PyChecker(const Rules& rules, int version, bool equilibrium, bool scores, bool paths,
              nb::bytes root, const Claims& claims, std::size_t sample_size, std::uint64_t seed,
              std::optional<std::uint64_t> most_searched)
        : checker_(checked(rules),
                   header({rules.players, equilibrium, scores, version}, paths, root, claims),
                   settings(sample_size, seed, most_searched)) {}

    std::size_t take(const nb::bytes& lines) {
        const Lock lock(busy_);
        const std::string_view text(lines.c_str(), lines.size());
        const nb::gil_scoped_release unlocked;
        return checker_.take(text);
    }

    // [(number, line, [(state, [(relation, [(outcome, score)])])])]
    nb::list drawn() const {
        nb::list lines;
        for (const Drawn& drawn : checker_.drawn()) {
            nb::list known;
            for (const Known& one : drawn.known) known.append(to_python(one));
            lines.append(nb::make_tuple(
                drawn.number, nb::bytes(drawn.line.data(), drawn.line.size()), std::move(known)));
        }
        return lines;
    }

    // [(digest, state, (relation, [(outcome, score)]))]
    nb::list leans_on() const {
        nb::list leans;
        for (const Lean& lean : checker_.leans_on())
            leans.append(nb::make_tuple(lean.digest,
                                        nb::bytes(lean.state.data(), lean.state.size()),
                                        to_python(lean.claim)));
        return leans;
    }

    const Checker& checker() const { return checker_; }

  private:
    static const Rules& checked(const Rules& rules) {
        if (!rules.native()) throw std::invalid_argument("the rules are not compiled");
        return rules;
    }

    static Header header(Form form, bool paths, const nb::bytes& root, const Claims& claims) {
        Header header{form, paths, std::vector<std::byte>(root.size()), {}};
        std::memcpy(header.root.data(), root.c_str(), root.size());
        for (const auto& [relation, worths] : claims) {
            Statement claim{relation_of(relation), {}};
            for (const auto& [outcome, score] : worths) claim.worths.push_back({outcome, score});
            header.claims.push_back(std::move(claim));
        }
        return header;
    }

    static Settings settings(std::size_t sample_size, std::uint64_t seed,
                             std::optional<std::uint64_t> most_searched) {
        Settings settings{sample_size, seed};
        if (most_searched) settings.most_searched = *most_searched;
        settings.poll = [] {
            const nb::gil_scoped_acquire locked;
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
        };
        return settings;
    }

    static nb::tuple to_python(const Known& known) {
        nb::list claims;
        for (const Statement& claim : known.claims) claims.append(to_python(claim));
        return nb::make_tuple(nb::bytes(known.state.data(), known.state.size()), claims);
    }

    static nb::tuple to_python(const Statement& claim) {
        nb::list worths;
        for (const Worth& worth : claim.worths)
            worths.append(nb::make_tuple(worth.outcome, worth.score));
        return nb::make_tuple(relations[static_cast<int>(claim.relation)], worths);
    }

    std::atomic<bool> busy_ = false;
    Checker checker_;
};

}  // namespace

void bind_checking(nb::module_& m) {
    nb::exception<Refused>(m, "Refused", PyExc_ValueError);
    nb::class_<PyChecker>(m, "CertificateChecker")
        .def(nb::init<const Rules&, int, bool, bool, bool, nb::bytes, const PyChecker::Claims&,
                      std::size_t, std::uint64_t, std::optional<std::uint64_t>>(),
             "rules"_a, "version"_a, "equilibrium"_a, "scores"_a, "paths"_a, "root"_a, "claims"_a,
             "sample_size"_a, "seed"_a, "most_searched"_a.none(), nb::keep_alive<1, 2>())
        .def("take", &PyChecker::take, "lines"_a)
        .def("finish", [](const PyChecker& self) { self.checker().finish(); })
        .def("drawn", &PyChecker::drawn,
             nb::sig("def drawn(self) -> list[tuple[int, bytes, list[tuple[bytes, list[tuple[str, "
                     "list[tuple[int, float]]]]]]]]"))
        .def("leans_on", &PyChecker::leans_on,
             nb::sig("def leans_on(self) -> list[tuple[str, bytes, tuple[str, list[tuple[int, "
                     "float]]]]]"))
        .def_prop_ro("lines", [](const PyChecker& self) { return self.checker().lines(); })
        .def_prop_ro("about",
                     [](const PyChecker& self) {
                         const std::string& about = self.checker().about();
                         return nb::bytes(about.data(), about.size());
                     })
        .def_prop_ro("states", [](const PyChecker& self) { return self.checker().states(); })
        .def_prop_ro("most_held", [](const PyChecker& self) { return self.checker().most_held(); })
        .def_prop_ro("searched", [](const PyChecker& self) { return self.checker().searched(); });
}

}  // namespace unbounded
