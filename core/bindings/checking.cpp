// SPDX-License-Identifier: MIT
// The compiled checker of certificates.
#include <nanobind/stl/pair.h>
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

class PyChecker {
  public:
    PyChecker(const Rules& rules, bool equilibrium, bool scores, bool paths, nb::bytes root,
              const Worths& value, std::size_t sample_size, std::uint64_t seed)
        : checker_(checked(rules), header({rules.players, equilibrium, scores}, paths, root, value),
                   sample_size, seed) {}

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

    const Checker& checker() const { return checker_; }

  private:
    static const Rules& checked(const Rules& rules) {
        if (!rules.native()) throw std::invalid_argument("the rules are not compiled");
        return rules;
    }

    static Header header(Form form, bool paths, const nb::bytes& root, const Worths& value) {
        Header header{form, paths, std::vector<std::byte>(root.size()), {}};
        std::memcpy(header.root.data(), root.c_str(), root.size());
        for (const auto& [outcome, score] : value) header.value.push_back({outcome, score});
        return header;
    }

    static nb::tuple to_python(const Known& known) {
        constexpr const char* relations[] = {">=", "<=", "="};
        nb::list rows;
        for (const Known::Row& row : known.rows) {
            nb::list worths;
            for (const Worth& worth : row.worths)
                worths.append(nb::make_tuple(worth.outcome, worth.score));
            rows.append(nb::make_tuple(relations[static_cast<int>(row.relation)], worths));
        }
        return nb::make_tuple(nb::bytes(known.state.data(), known.state.size()), rows);
    }

    std::atomic<bool> busy_ = false;
    Checker checker_;
};

}  // namespace

void bind_checking(nb::module_& m) {
    nb::exception<Refused>(m, "Refused", PyExc_ValueError);
    nb::class_<PyChecker>(m, "CertificateChecker")
        .def(nb::init<const Rules&, bool, bool, bool, nb::bytes, const Worths&, std::size_t,
                      std::uint64_t>(),
             "rules"_a, "equilibrium"_a, "scores"_a, "paths"_a, "root"_a, "value"_a,
             "sample_size"_a, "seed"_a, nb::keep_alive<1, 2>())
        .def("take", &PyChecker::take, "lines"_a)
        .def("finish", [](const PyChecker& self) { self.checker().finish(); })
        .def("drawn", &PyChecker::drawn,
             nb::sig("def drawn(self) -> list[tuple[int, bytes, list[tuple[bytes, list[tuple[str, "
                     "list[tuple[int, float]]]]]]]]"))
        .def_prop_ro("lines", [](const PyChecker& self) { return self.checker().lines(); })
        .def_prop_ro("about",
                     [](const PyChecker& self) {
                         const std::string& about = self.checker().about();
                         return nb::bytes(about.data(), about.size());
                     })
        .def_prop_ro("states", [](const PyChecker& self) { return self.checker().states(); })
        .def_prop_ro("most_held", [](const PyChecker& self) { return self.checker().most_held(); });
}

}  // namespace unbounded
