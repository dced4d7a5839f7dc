// SPDX-License-Identifier: MIT
// What networks are given, planes and movers of states, and networks that the core evaluates.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bindings/border.h"
#include "networks/dense_network.h"
#include "networks/network_inputs.h"
#include "networks/ntuple_network.h"

namespace unbounded {

using namespace nb::literals;

namespace {

template <class Function>
void take(const nb::dict& addresses, const char* name, Function*& out) {
    if (addresses.contains(name))
        out = reinterpret_cast<Function*>(nb::cast<std::uintptr_t>(addresses[name]));
}

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Planes = nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Movers = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void write(const NetworkInputs& self, const Bytes& states, const std::optional<Bytes>& images,
           Planes& planes, Movers& movers, int threads) {
    const std::size_t count = states.shape(0) / self.state_bytes;
    if (states.shape(0) % self.state_bytes != 0 || planes.shape(0) < count ||
        planes.shape(1) != self.inputs || movers.shape(0) < count ||
        (images && images->shape(0) < count))
        throw std::invalid_argument("the arrays do not fit the states");
    const auto bytes = reinterpret_cast<State>(states.data());
    const std::uint8_t* const numbers = images ? images->data() : nullptr;
    const nb::gil_scoped_release unlocked;
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

void check_tables(const Floats<4>& tables, const Floats<2>& bias, const NTupleNetwork* like) {
    const bool fits = tables.shape(0) == bias.shape(0) && tables.shape(3) == bias.shape(1);
    if (!fits || (like && (tables.shape(1) != like->shape.tuples ||
                           bias.shape(1) != static_cast<std::size_t>(like->outputs))))
        throw std::invalid_argument("the weights have another shape");
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

void bind_ntuple(nb::module_& m) {
    nb::class_<NTupleNetwork, Network>(m, "NTupleNetwork")
        .def(
            "__init__",
            [](NTupleNetwork* self, const NetworkInputs& inputs, const Cells& cells,
               const Floats<4>& tables, const Floats<2>& bias, std::size_t symbols, float scale) {
                check_tables(tables, bias, nullptr);
                new (self) NTupleNetwork(inputs, {cells.shape(0), cells.shape(1), symbols},
                                         copied(cells), copied(tables), copied(bias),
                                         static_cast<int>(bias.shape(1)), scale);
            },
            "inputs"_a, "cells"_a, "tables"_a, "bias"_a, "symbols"_a, "scale"_a,
            nb::keep_alive<1, 2>(),
            nb::sig("def __init__(self, inputs: NetworkInputs, cells: object, tables: object, "
                    "bias: object, symbols: int, scale: float) -> None"))
        .def(
            "set_weights",
            [](NTupleNetwork& self, const Floats<4>& tables, const Floats<2>& bias) {
                check_tables(tables, bias, &self);
                self.set_weights(tables.data(), tables.size(), bias.data(), bias.size());
            },
            "tables"_a, "bias"_a,
            nb::sig("def set_weights(self, tables: object, bias: object) -> None"));
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
        .def("write", write, "states"_a, "images"_a.none(), "planes"_a, "movers"_a, "threads"_a = 1,
             nb::sig("def write(self, states: object, images: object | None, planes: object, "
                     "movers: object, threads: int = 1) -> None"));
    nb::class_<Network, Evaluator>(m, "Network")
        .def("evaluate", evaluate, "states"_a, "threads"_a = 1,
             nb::sig("def evaluate(self, states: object, threads: int = 1) -> "
                     "numpy.typing.NDArray[numpy.float32]"));
    bind_ntuple(m);
    bind_dense(m);
}

}  // namespace unbounded
