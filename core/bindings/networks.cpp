// SPDX-License-Identifier: MIT
// What networks are given: planes and movers of states.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <optional>

#include "bindings/border.h"
#include "networks/network_inputs.h"

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
           Planes& planes, Movers& movers) {
    const std::size_t count = states.shape(0) / self.state_bytes;
    if (states.shape(0) % self.state_bytes != 0 || planes.shape(0) < count ||
        planes.shape(1) != self.inputs || movers.shape(0) < count ||
        (images && images->shape(0) < count))
        throw std::invalid_argument("the arrays do not fit the states");
    const auto bytes = reinterpret_cast<State>(states.data());
    const nb::gil_scoped_release unlocked;
    if (images)
        self.write_images(bytes, count, images->data(), planes.data(), movers.data());
    else
        self.write(bytes, count, planes.data(), movers.data());
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
        .def("write", write, "states"_a, "images"_a.none(), "planes"_a, "movers"_a,
             nb::sig("def write(self, states: object, images: object | None, planes: object, "
                     "movers: object) -> None"));
}

}  // namespace unbounded
