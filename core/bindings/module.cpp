// SPDX-License-Identifier: MIT
// Python bindings; all GIL and exception handling is in this folder, and no logic.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/border.h"
#include "bindings/py_search.h"
#include "search/algorithms.h"
#include "search/options.h"

namespace unbounded {

namespace {

void bind_options(nb::module_& m) {
    m.def("algorithms", algorithm_names);
    nb::enum_<ValueRule>(m, "ValueRule")
        .value("minimax", ValueRule::minimax)
        .value("resolved_completion", ValueRule::resolved_completion)
        .value("propagated_completion", ValueRule::propagated_completion);
    nb::enum_<Stop>(m, "Stop")
        .value("resolved", Stop::resolved)
        .value("window", Stop::window)
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
        .def_rw("leaves", &Options::leaves)
        .def_rw("hash_bits", &Options::hash_bits);
}

// The only place where C++ exceptions become Python ones.
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
    bind_checking(m);
    bind_search(m);
    bind_opponents(m);
    bind_networks(m);
    bind_self_play(m);
}

}  // namespace unbounded
