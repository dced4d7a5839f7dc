// SPDX-License-Identifier: MIT
// What all bindings share: bytes, garbage collection, the GIL and Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <stdexcept>

#include "rules/evaluator.h"

namespace unbounded {

namespace nb = nanobind;

inline nb::bytes to_bytes(State state, std::size_t size) {
    return nb::bytes(reinterpret_cast<const char*>(state), size);
}

// Shows Python's garbage collector the Python objects that a C++ object holds.
template <class T, nb::object T::*... members>
int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (!nb::inst_ready(self)) return 0;
    T* object = nb::inst_ptr<T>(self);
    int result = 0;
    (void)((result = (object->*members).is_valid() ? visit((object->*members).ptr(), arg) : 0) ||
           ...);
    return result;
}

template <class T, nb::object T::*... members>
int clear(PyObject* self) {
    if (nb::inst_ready(self)) ((nb::inst_ptr<T>(self)->*members).reset(), ...);
    return 0;
}

template <class T, nb::object T::*... members>
PyType_Slot* collectable() {
    static PyType_Slot slots[] = {
        {Py_tp_traverse, reinterpret_cast<void*>(traverse<T, members...>)},
        {Py_tp_clear, reinterpret_cast<void*>(clear<T, members...>)},
        {0, nullptr},
    };
    return slots;
}

struct Busy : std::runtime_error {
    Busy() : std::runtime_error("this search is running in another thread") {}
};

// Exclusive access: throws `Busy` if another thread has it.
class Lock {
  public:
    explicit Lock(std::atomic<bool>& busy) : busy_(busy) {
        if (busy_.exchange(true)) throw Busy();
    }
    ~Lock() { busy_ = false; }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

  private:
    std::atomic<bool>& busy_;
};

// Whether Ctrl-C was pressed. The run then ends in good order, so the exception is dropped.
inline bool interrupted(bool native) {
    if (!native) {
        const nb::gil_scoped_release let_others_run;
    }
    const nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() == 0) return false;
    if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) == 0) throw nb::python_error();
    PyErr_Clear();
    return true;
}

// rules.cpp
void bind_rules(nb::module_& m);
void bind_evaluators(nb::module_& m);
// search.cpp
void bind_node(nb::module_& m);
void bind_search(nb::module_& m);
// certificates.cpp
void bind_claims(nb::module_& m);
// checking.cpp
void bind_checking(nb::module_& m);
// opponents.cpp
void bind_opponents(nb::module_& m);
// networks.cpp
void bind_networks(nb::module_& m);
// self_play.cpp
void bind_self_play(nb::module_& m);

}  // namespace unbounded
