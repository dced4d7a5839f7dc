// SPDX-License-Identifier: MIT
// The numbers and arrays of a search that a checkpoint holds.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "bindings/py_search.h"

namespace unbounded {

using namespace nb::literals;

namespace {

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

}  // namespace

void bind_saving(nb::class_<PySearch>& search) {
    search
        .def(
            "saved", [](const PySearch& s) { return to_dict(s.readable().saved()); },
            nb::sig("def saved(self) -> dict[str, int]"))
        .def(
            "arrays",
            [](const PySearch& s, const nb::dict& numbers) {
                nb::list out;
                for (const SavedArray& array : s.readable().arrays(to_saved(numbers)))
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

}  // namespace unbounded
