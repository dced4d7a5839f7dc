// SPDX-License-Identifier: MIT
// Certificates: the proof of a search as claims, and their text.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings/py_search.h"

namespace unbounded {

using namespace nb::literals;

void bind_certify(nb::class_<PySearch>& search) {
    search.def(
        "certify",
        [](PySearch& s, Rules& plain, nb::object locate, bool scores, bool bounds_scores,
           bool partial, std::uint32_t checker_search, nb::bytes root, std::uint64_t memory,
           double seconds, nb::object report, double every) {
            const auto ask = [locate, &s, bytes = plain.state_bytes](State state) {
                return s.find(nb::cast<nb::bytes>(locate(to_bytes(state, bytes))));
            };
            return s.certify(plain, ask, {scores, bounds_scores}, {partial, checker_search},
                             std::move(root), memory, seconds, std::move(report), every);
        },
        "rules"_a, "locate"_a.none(), "scores"_a, "bounds_scores"_a, "partial"_a,
        "checker_search"_a, "root"_a, "memory"_a, "seconds"_a, "report"_a = nb::none(),
        "every"_a = 0.0, nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>(),
        nb::sig("def certify(self, rules: Rules, locate: collections.abc.Callable[[bytes], "
                "bytes] | None, scores: bool, bounds_scores: bool, partial: bool, checker_search: "
                "int, root: bytes, memory: int, seconds: float, report: "
                "collections.abc.Callable[[], bool] | None = None, every: float "
                "= 0.0) -> Claims | None"));
}

void bind_claims(nb::module_& m) {
    nb::class_<Certifier>(m, "Claims")
        .def("__len__", &Certifier::lines)
        .def("of_root", &Certifier::root_claims)
        .def_prop_ro("about_movers", &Certifier::claims_about_movers)
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

}  // namespace unbounded
