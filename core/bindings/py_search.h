// SPDX-License-Identifier: MIT
// A search with the Python objects that it needs, and all its handling of the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include "bindings/border.h"
#include "proofs/certifier.h"
#include "search/search.h"

namespace unbounded {

struct NotProvenAgain : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A search and the Python objects that it needs. Calls from a second thread throw `Busy`.
class PySearch {
  public:
    PySearch(nb::object rules, nb::object evaluator, Options options)
        : rules(std::move(rules)),
          evaluator(std::move(evaluator)),
          // Several threads take the GIL in turn, for an evaluation in Python.
          native_(nb::cast<Rules&>(this->rules).native() &&
                  (nb::cast<Evaluator&>(this->evaluator).native() || options.threads > 1)),
          search_(nb::cast<Rules&>(this->rules), nb::cast<Evaluator&>(this->evaluator), options) {}

    // A Python function without arguments, called every `every` seconds during a run. It may read
    // the search, and returns whether to stop.
    struct Report {
        nb::object function;
        double every;
    };

    using OutcomeAndScore = std::pair<int, double>;
    using Window = std::optional<std::pair<OutcomeAndScore, OutcomeAndScore>>;
    Stop run(std::uint64_t iterations, std::uint64_t states, std::uint64_t memory, double seconds,
             nb::object report, double every, nb::object at_rest, const Window& window) {
        RestPoint& rest = search_.rest();
        rest.wanted = false;
        if (!at_rest.is_none()) rest.call = [this, &at_rest] { as_reporter([&] { at_rest(); }); };
        const struct Forget {
            RestPoint& rest;
            ~Forget() { rest.call = nullptr; }
        } forget{rest};
        return watched({std::move(report), every}, [&](const Poll& poll) {
            return search_.run({iterations, states, memory, seconds, worths_in(window)}, poll);
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

    // Proves again, claim by claim, what is proven of the root. Returns null if it was stopped.
    std::unique_ptr<Certifier> certify(Rules& plain, Certifier::Locate locate,
                                       Certifier::Scores scores, Certifier::Request request,
                                       nb::bytes root, std::uint64_t memory, double seconds,
                                       nb::object report, double every) {
        if (root.size() != plain.state_bytes)
            throw std::invalid_argument("a state of this game has another size");
        auto certifier = make_certifier(
            {search_.searched(), search_.table(), plain, std::move(locate), scores, request});
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
    void restart_probes() {
        const Lock lock(busy_);
        search_.restart_probes();
    }

    void want_rest() { search_.rest().wanted = true; }

    // Calls the sink with every array, as views of memory that are valid only during the call.
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

    // The first of the given stored states that the rules contradict, and the name of that rule.
    std::optional<std::pair<NodeId, std::string>> disagreement(NodeId begin, NodeId end,
                                                               NodeId step) {
        const Lock lock(busy_);
        const auto found = search_.rule_check()(begin, std::min(end, search_.graph().size()), step);
        if (!found) return std::nullopt;
        return std::pair(found->id, found->rule);
    }

    // The search, unless another thread is running it.
    const Search& readable() const {
        if (busy_ && reporter_ != std::this_thread::get_id()) throw Busy();
        return search_;
    }

    const Graph& graph() const { return readable().graph(); }

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
    std::optional<Bounds> worths_in(const Window& window) const {
        if (!window) return std::nullopt;
        const auto worth = [this](const OutcomeAndScore& given) {
            return search_.searched().scale.of(given.first, static_cast<float>(given.second));
        };
        return Bounds{worth(window->first), worth(window->second)};
    }

    // Does the work with exclusive access, without the GIL if the work takes it where it is needed.
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
            bool enough = false;
            search_.undisturbed(
                [&] { enough = as_reporter([&] { return nb::cast<bool>(report.function()); }); });
            next = Clock::now() + pause;
            return enough;
        };
        if (!native_) return work(poll);
        const nb::gil_scoped_release unlocked;
        return work(poll);
    }

    // Calls Python, which may read the search from this thread during the call.
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

    // Calls a Python function with a view of memory, which is invalid after the call.
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
    std::atomic<std::thread::id> reporter_;  // the thread that may read the busy search
    Search search_;
};

void bind_certify(nb::class_<PySearch>& search);  // certificates.cpp
void bind_saving(nb::class_<PySearch>& search);   // checkpoints.cpp

}  // namespace unbounded
