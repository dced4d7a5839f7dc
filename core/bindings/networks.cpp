// SPDX-License-Identifier: MIT
// What networks are given, planes and movers of states, and networks that the core evaluates.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <type_traits>

#include "bindings/border.h"
#include "networks/dense_network.h"
#include "networks/network_inputs.h"
#include "networks/ntuple_network.h"
#include "networks/ntuple_trainer.h"

namespace unbounded {

using namespace nb::literals;

namespace {

template <class Function>
void take(const nb::dict& addresses, const char* name, Function*& out) {
    if (addresses.contains(name))
        out = reinterpret_cast<Function*>(nb::cast<std::uintptr_t>(addresses[name]));
}

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class Number>
using Planes = nb::ndarray<Number, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Movers = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class Number>
auto write(const NetworkInputs& self, const Bytes& states, const std::optional<Bytes>& images,
           Planes<Number>& planes, Movers& movers, int threads) {
    const std::size_t count = states.shape(0) / self.state_bytes;
    if (states.shape(0) % self.state_bytes != 0 || planes.shape(0) < count ||
        planes.shape(1) != self.inputs || movers.shape(0) < count ||
        (images && images->shape(0) < count))
        throw std::invalid_argument("the arrays do not fit the states");
    const auto bytes = reinterpret_cast<State>(states.data());
    const std::uint8_t* const numbers = images ? images->data() : nullptr;
    const nb::gil_scoped_release unlocked;
    if constexpr (std::is_same_v<Number, std::uint8_t>)
        return self.write_bytes(bytes, count, numbers, planes.data(), movers.data(), threads);
    else
        self.write_in_threads(bytes, count, numbers, planes.data(), movers.data(), threads);
}

template <int dimensions>
using Floats = nb::ndarray<const float, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;
using Cells = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Array>
auto copied(const Array& array) {
    return std::vector(array.data(), array.data() + array.size());
}

constexpr int most_threads = 1024;

nb::object evaluate(Network& self, const Bytes& states, int threads) {
    const std::size_t size = self.inputs.state_bytes, count = states.shape(0) / size;
    const auto players = static_cast<std::size_t>(self.inputs.players);
    if (states.shape(0) % size != 0)
        throw std::invalid_argument("the bytes are not a whole number of states");
    if (threads < 1 || threads > most_threads) throw std::invalid_argument("threads: 1 to 1024");
    auto* out = new float[count * players + 1];
    const nb::capsule owner(out, [](void* p) noexcept { delete[] static_cast<float*>(p); });
    {
        const nb::gil_scoped_release unlocked;
        self.evaluate_in_threads(reinterpret_cast<State>(states.data()), count, out, threads);
    }
    return nb::cast(nb::ndarray<nb::numpy, float, nb::ndim<2>>(out, {count, players}, owner));
}

std::vector<DenseNetwork::Weights> layers_of(const std::vector<Floats<2>>& weights,
                                             const std::vector<Floats<1>>& biases) {
    std::vector<DenseNetwork::Weights> layers;
    if (weights.size() != biases.size())
        throw std::invalid_argument("a layer has no biases, or no weights");
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (weights[i].shape(0) != biases[i].shape(0))
            throw std::invalid_argument("a layer needs one bias per output");
        layers.push_back(
            {weights[i].data(), biases[i].data(), weights[i].shape(0), weights[i].shape(1)});
    }
    return layers;
}

// -- n-tuple networks -----------------------------------------------------------------------------

template <class Number>
using Numbers = nb::ndarray<Number, nb::c_contig, nb::device::cpu>;

template <class Number>
void check_head(const std::vector<Numbers<Number>>& weights, std::size_t outputs,
                std::size_t features) {
    const std::size_t width = outputs + features;
    const std::vector<std::size_t> sizes{width * features, width, outputs * width};
    if (weights.size() != (features > 0 ? 5 : 2))
        throw std::invalid_argument("the weights do not fit the features");
    for (std::size_t i = 2; i < weights.size(); ++i)
        if (weights[i].size() != sizes[i - 2])
            throw std::invalid_argument("the weights have another shape");
}

// Refuses arrays that are not tables and bias, and with features hidden, hidden_bias and output.
template <class Number>
NTupleNetwork::Shape checked_shape(const Cells& cells, std::size_t symbols, int outputs,
                                   const std::vector<Numbers<Number>>& weights) {
    NTupleNetwork::Shape shape{cells.shape(0), cells.shape(1), symbols, 0};
    if (weights.size() < 2 || weights[1].ndim() != 2 || outputs < 1 ||
        weights[1].shape(1) < static_cast<std::size_t>(outputs))
        throw std::invalid_argument("the bias has another shape");
    const std::size_t width = weights[1].shape(1);
    shape.features = width - outputs;
    check_head(weights, outputs, shape.features);
    return shape;
}

using Weights = std::vector<Numbers<const float>>;

NTupleNetwork::Weights ntuple_weights(const Weights& given) {
    NTupleNetwork::Weights out{
        given[0].data(), given[1].data(), given[0].size(), given[1].size(), {}};
    if (given.size() == 5) out.head = {given[2].data(), given[3].data(), given[4].data()};
    return out;
}

void bind_ntuple(nb::module_& m) {
    nb::class_<NTupleNetwork, Network>(m, "NTupleNetwork")
        .def(
            "__init__",
            [](NTupleNetwork* self, const NetworkInputs& inputs, const Cells& cells,
               const Weights& weights, std::size_t symbols, int outputs, float scale) {
                const auto shape = checked_shape(cells, symbols, outputs, weights);
                new (self) NTupleNetwork(inputs, shape, copied(cells), ntuple_weights(weights),
                                         outputs, scale);
            },
            "inputs"_a, "cells"_a, "weights"_a, "symbols"_a, "outputs"_a, "scale"_a,
            nb::keep_alive<1, 2>(),
            nb::sig("def __init__(self, inputs: NetworkInputs, cells: object, weights: "
                    "Sequence[object], symbols: int, outputs: int, scale: float) -> None"))
        .def(
            "set_weights",
            [](NTupleNetwork& self, const Weights& weights) {
                check_head(weights, self.outputs, self.shape.features);
                if (weights[1].ndim() != 2 ||
                    weights[1].shape(1) != self.outputs + self.shape.features)
                    throw std::invalid_argument("the weights have another shape");
                self.set_weights(ntuple_weights(weights));
            },
            "weights"_a, nb::sig("def set_weights(self, weights: Sequence[object]) -> None"));
}

// Its arrays belong to Python, and are changed in place.
struct PythonNTupleTrainer {
    std::vector<Numbers<float>> weights, moments;
    NTupleTrainer trainer;
    std::atomic<bool> busy = false;
};

NTupleTrainer::Parameters trained_arrays(const std::vector<Numbers<float>>& weights,
                                         const std::vector<Numbers<float>>& moments,
                                         std::size_t table_rows) {
    if (moments.size() != weights.size() || moments[0].size() != 2 * table_rows)
        throw std::invalid_argument("the moments do not fit the weights");
    for (std::size_t i = 1; i < weights.size(); ++i)
        if (moments[i].size() != 2 * weights[i].size())
            throw std::invalid_argument("the moments do not fit the weights");
    NTupleTrainer::Parameters out;
    NTupleTrainer::Trained* const each[] = {&out.tables, &out.bias, &out.hidden, &out.hidden_bias,
                                            &out.output};
    for (std::size_t i = 0; i < weights.size(); ++i)
        *each[i] = {weights[i].data(), moments[i].data()};
    return out;
}

double train(PythonNTupleTrainer& self, const Numbers<const std::uint8_t>& planes,
             const Bytes& movers, const Numbers<const float>& targets, const Floats<1>& weights,
             float rate, std::int64_t number) {
    const NTupleTrainer& trainer = self.trainer;
    const std::size_t count = movers.size();
    if (count == 0 || planes.size() != count * trainer.inputs ||
        targets.size() != count * trainer.outputs || weights.size() != count)
        throw std::invalid_argument("the arrays of a batch do not fit each other");
    if (number < 1) throw std::invalid_argument("steps are counted from 1");
    if (*std::max_element(movers.data(), movers.data() + count) >= trainer.players)
        throw std::invalid_argument("a mover is no player");
    const Lock lock(self.busy);
    const nb::gil_scoped_release unlocked;
    return self.trainer.step({count, planes.data(), movers.data(), targets.data(), weights.data()},
                             rate, number);
}

void bind_ntuple_trainer(nb::module_& m) {
    nb::class_<PythonNTupleTrainer>(m, "NTupleTrainer")
        .def(
            "__init__",
            [](PythonNTupleTrainer* self, const Cells& cells, std::size_t symbols, int outputs,
               std::size_t board, const std::vector<Numbers<float>>& weights,
               const std::vector<Numbers<float>>& moments, int threads) {
                if (threads < 1 || threads > most_threads)
                    throw std::invalid_argument("threads: 1 to 1024");
                const auto shape = checked_shape(cells, symbols, outputs, weights);
                const std::size_t players = weights[1].shape(0);
                const std::size_t rows = players * shape.tuples * shape.rows();
                if (weights[0].size() != rows * weights[1].shape(1))
                    throw std::invalid_argument("the tables do not fit the tuples");
                const auto parameters = trained_arrays(weights, moments, rows);
                new (self)
                    PythonNTupleTrainer{weights, moments,
                                        NTupleTrainer(shape, static_cast<int>(players), outputs,
                                                      board, copied(cells), parameters, threads)};
            },
            "cells"_a, "symbols"_a, "outputs"_a, "board"_a, "weights"_a.noconvert(),
            "moments"_a.noconvert(), "threads"_a,
            nb::sig("def __init__(self, cells: object, symbols: int, outputs: int, board: int, "
                    "weights: Sequence[object], moments: Sequence[object], threads: int) -> None"))
        .def("step", train, "planes"_a, "movers"_a, "targets"_a, "weights"_a, "rate"_a, "number"_a,
             nb::sig("def step(self, planes: object, movers: object, targets: object, weights: "
                     "object, rate: float, number: int) -> float"));
}

void bind_dense(nb::module_& m) {
    nb::class_<DenseNetwork, Network>(m, "DenseNetwork")
        .def(
            "__init__",
            [](DenseNetwork* self, const NetworkInputs& inputs,
               const std::vector<Floats<2>>& weights, const std::vector<Floats<1>>& biases,
               int outputs, float scale) {
                new (self) DenseNetwork(inputs, layers_of(weights, biases), outputs, scale);
            },
            "inputs"_a, "weights"_a, "biases"_a, "outputs"_a, "scale"_a, nb::keep_alive<1, 2>(),
            nb::sig("def __init__(self, inputs: NetworkInputs, weights: Sequence[object], biases: "
                    "Sequence[object], outputs: int, scale: float) -> None"))
        .def(
            "set_weights",
            [](DenseNetwork& self, const std::vector<Floats<2>>& weights,
               const std::vector<Floats<1>>& biases) {
                self.set_weights(layers_of(weights, biases));
            },
            "weights"_a, "biases"_a,
            nb::sig("def set_weights(self, weights: Sequence[object], biases: Sequence[object]) "
                    "-> None"));
}

}  // namespace

void bind_networks(nb::module_& m) {
    nb::class_<NetworkInputs>(m, "NetworkInputs")
        .def(
            "__init__",
            [](NetworkInputs* self, int players, std::size_t state_bytes, std::size_t inputs,
               int symmetries, const nb::dict& addresses) {
                NetworkInputs::Functions f;
                take(addresses, "encode", f.encode);
                take(addresses, "player", f.player);
                take(addresses, "symmetry", f.symmetry);
                new (self) NetworkInputs(players, state_bytes, inputs, symmetries, f);
            },
            "players"_a, "state_bytes"_a, "inputs"_a, "symmetries"_a, "addresses"_a,
            nb::sig("def __init__(self, players: int, state_bytes: int, inputs: int, symmetries: "
                    "int, addresses: dict[str, int]) -> None"))
        .def("write", write<float>, "states"_a, "images"_a.none(), "planes"_a.noconvert(),
             "movers"_a.noconvert(), "threads"_a = 1,
             nb::sig("def write(self, states: object, images: object | None, planes: object, "
                     "movers: object, threads: int = 1) -> None"))
        .def("write_bytes", write<std::uint8_t>, "states"_a, "images"_a.none(),
             "planes"_a.noconvert(), "movers"_a.noconvert(), "threads"_a = 1,
             nb::sig("def write_bytes(self, states: object, images: object | None, planes: object, "
                     "movers: object, threads: int = 1) -> bool"));
    nb::class_<Network, Evaluator>(m, "Network")
        .def("evaluate", evaluate, "states"_a, "threads"_a = 1,
             nb::sig("def evaluate(self, states: object, threads: int = 1) -> "
                     "numpy.typing.NDArray[numpy.float32]"));
    bind_ntuple(m);
    bind_ntuple_trainer(m);
    bind_dense(m);
}

}  // namespace unbounded
