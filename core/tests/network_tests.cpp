// SPDX-License-Identifier: MIT
// Tests of networks, made for the sanitizers: against the same sums written down plainly, with
// every build of the inner loops, and in several threads.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>

#include "networks/dense_kernels.h"
#include "networks/dense_network.h"
#include "networks/ntuple_kernels.h"
#include "networks/ntuple_network.h"
#include "networks/ntuple_trainer.h"
#include "tests/checks.h"

namespace unbounded {

namespace {

// A toy game: 3 players, a board of 7 cells with 2 planes. A state is the mover and the symbols.
constexpr int players = 3;
constexpr std::size_t board = 7, symbols = 3, state_bytes = board + 1;
constexpr std::size_t numbers = board * (symbols - 1);

std::int32_t encode(const void* states, std::int64_t count, double*, float* planes) {
    const auto* at = static_cast<const std::uint8_t*>(states);
    for (std::int64_t i = 0; i < count; ++i, at += state_bytes, planes += numbers) {
        std::fill(planes, planes + numbers, 0.0f);
        for (std::size_t cell = 0; cell < board; ++cell)
            if (at[1 + cell] > 0) planes[(at[1 + cell] - 1) * board + cell] = 1.0f;
    }
    return 0;
}

std::int32_t player(const void* state) { return *static_cast<const std::uint8_t*>(state); }

NetworkInputs toy_inputs() {
    NetworkInputs::Functions functions;
    functions.encode = encode;
    functions.player = player;
    return {players, state_bytes, numbers, 1, functions};
}

std::vector<std::byte> random_states(Random& random, std::size_t count) {
    std::vector<std::byte> states;
    for (std::size_t i = 0; i < count; ++i) {
        states.push_back(static_cast<std::byte>(random.below(players)));
        for (std::size_t cell = 0; cell < board; ++cell)
            states.push_back(static_cast<std::byte>(random.below(symbols)));
    }
    return states;
}

std::vector<float> random_numbers(Random& random, std::size_t count) {
    std::vector<float> out;
    for (std::size_t i = 0; i < count; ++i)
        out.push_back(static_cast<float>(random.below(2000)) / 1000.0f - 1.0f);
    return out;
}

bool close(float a, double b) { return std::abs(a - b) < 1e-5; }

bool refused(auto&& make) try {
    make();
    return false;
} catch (const std::invalid_argument&) {
    return true;
}

// -- n-tuple networks -----------------------------------------------------------------------------

struct Tuples {
    NTupleNetwork::Shape shape;
    std::size_t width;
    std::vector<std::int32_t> cells;
    std::vector<float> tables, bias, hidden, hidden_bias, output;

    explicit Tuples(Random& random, std::size_t features = 0)
        : shape{5, 3, symbols, features},
          width(players + features),
          tables(random_numbers(random, players * 5 * 27 * width)),
          bias(random_numbers(random, players * width)),
          hidden(random_numbers(random, width * features)),
          hidden_bias(random_numbers(random, width)),
          output(random_numbers(random, players * width)) {
        for (int i = 0; i < 15; ++i)
            cells.push_back(static_cast<std::int32_t>(random.below(board)));
    }

    NTupleNetwork network(const NetworkInputs& inputs) const {
        return {inputs, shape, cells, weights(), players, 2.0f};
    }

    NTupleNetwork::Weights weights() const {
        return {tables.data(),
                bias.data(),
                tables.size(),
                bias.size(),
                {hidden.data(), hidden_bias.data(), output.data()}};
    }

    // The sum of the bias and one row per table.
    double sum(const std::byte* state, std::size_t column) const {
        const auto mover = static_cast<std::size_t>(state[0]);
        double total = bias[mover * width + column];
        for (std::size_t t = 0; t < 5; ++t) {
            std::size_t index = 0, power = 1;
            for (std::size_t i = 0; i < 3; ++i, power *= symbols)
                index += static_cast<std::size_t>(state[1 + cells[t * 3 + i]]) * power;
            total += tables[((mover * 5 + t) * 27 + index) * width + column];
        }
        return total;
    }

    double value(const std::byte* state, int of) const {
        const int mover = static_cast<int>(state[0]), number = (of - mover + players) % players;
        double total = sum(state, number);
        for (std::size_t i = 0; shape.features > 0 && i < width; ++i) {
            double unit = hidden_bias[i];
            for (std::size_t f = 0; f < shape.features; ++f)
                unit += hidden[i * shape.features + f] * std::max(sum(state, players + f), 0.0);
            total += output[number * width + i] * std::max(unit, 0.0);
        }
        return 2.0 * std::tanh(total);
    }
};

void test_ntuple_networks() {
    Random random(1);
    const NetworkInputs inputs = toy_inputs();
    for (int round = 0; round < 20; ++round) {
        const Tuples tuples(random, std::vector<std::size_t>{0, 2, 5, 13}[round % 4]);
        NTupleNetwork network = tuples.network(inputs);
        const std::size_t count = random.below(100);
        const std::vector<std::byte> states = random_states(random, count);
        std::vector<float> out(count * players);
        network.evaluate(states.data(), count, out.data());
        for (std::size_t i = 0; i < count; ++i)
            for (int p = 0; p < players; ++p)
                CHECK(close(out[i * players + p], tuples.value(&states[i * state_bytes], p)));
    }
}

void test_ntuple_networks_refuse() {
    Random random(2);
    const NetworkInputs inputs = toy_inputs();
    for (int what = 0; what < 6; ++what) {
        Tuples wrong(random);
        if (what == 0) wrong.cells[3] = board;
        if (what == 1) wrong.cells[3] = -1;
        if (what == 2) wrong.cells.pop_back();
        if (what == 3) wrong.tables.pop_back();
        if (what == 4) wrong.bias.pop_back();
        if (what == 5) wrong.shape.length = 40;
        CHECK(refused([&] { wrong.network(inputs); }));
    }
    const Tuples tuples(random);
    NTupleNetwork network = tuples.network(inputs);
    CHECK(refused([&] {
        NTupleNetwork::Weights wrong = tuples.weights();
        --wrong.table_count;
        network.set_weights(wrong);
    }));
    CHECK(refused([&] { Tuples(random, NTupleHead::most_width).network(inputs); }));
}

// -- training of n-tuple networks -----------------------------------------------------------------

struct Lessons {
    std::vector<std::uint8_t> planes, movers;
    std::vector<float> targets, weights;

    Lessons(Random& random, std::size_t count)
        : planes(count * numbers), targets(random_numbers(random, count * players)) {
        for (std::size_t i = 0; i < count; ++i) {
            movers.push_back(static_cast<std::uint8_t>(random.below(players)));
            weights.push_back(static_cast<float>(random.below(3) + 1));
            for (std::size_t cell = 0; cell < board; ++cell)
                if (const auto symbol = random.below(symbols); symbol > 0)
                    planes[i * numbers + (symbol - 1) * board + cell] = 1;
        }
    }

    NTupleTrainer::Batch batch() const {
        return {movers.size(), planes.data(), movers.data(), targets.data(), weights.data()};
    }
};

// A network, its moments, and a trainer of both.
struct InTraining {
    Tuples tuples;
    std::vector<std::vector<float>> moments;
    NTupleTrainer trainer;

    InTraining(const Tuples& given, int threads)
        : tuples(given),
          moments{std::vector<float>(2 * given.tables.size() / given.width),
                  std::vector<float>(2 * given.bias.size()),
                  std::vector<float>(2 * given.hidden.size()),
                  std::vector<float>(2 * given.hidden_bias.size()),
                  std::vector<float>(2 * given.output.size())},
          trainer(given.shape, players, players, board, given.cells,
                  {{tuples.tables.data(), moments[0].data()},
                   {tuples.bias.data(), moments[1].data()},
                   {tuples.hidden.data(), moments[2].data()},
                   {tuples.hidden_bias.data(), moments[3].data()},
                   {tuples.output.data(), moments[4].data()}},
                  threads) {}
};

void test_training_lowers_the_loss_with_any_number_of_threads() {
    Random random(5);
    for (const std::size_t features : {std::size_t{0}, std::size_t{5}, std::size_t{6}}) {
        const Lessons lessons(random, 100);
        const Tuples tuples(random, features);
        std::vector<double> losses;
        for (const int threads : {1, 2, 7}) {
            InTraining training(tuples, threads);
            const double first = training.trainer.step(lessons.batch(), 0.01f, 1);
            double last = first;
            for (int i = 2; i <= 200; ++i) last = training.trainer.step(lessons.batch(), 0.01f, i);
            CHECK(last < 0.5 * first);
            losses.push_back(first);
            CHECK(std::abs(losses[0] - first) < 1e-6);
        }
    }
}

// -- dense networks -------------------------------------------------------------------------------

struct Layers {
    std::vector<std::size_t> wide;
    std::vector<std::vector<float>> weights, biases;

    Layers(Random& random, std::vector<std::size_t> hidden) : wide(std::move(hidden)) {
        wide.insert(wide.begin(), numbers + players);
        wide.push_back(players);
        for (std::size_t i = 0; i + 1 < wide.size(); ++i) {
            weights.push_back(random_numbers(random, wide[i] * wide[i + 1]));
            biases.push_back(random_numbers(random, wide[i + 1]));
        }
    }

    std::vector<DenseNetwork::Weights> given() const {
        std::vector<DenseNetwork::Weights> out;
        for (std::size_t i = 0; i < weights.size(); ++i)
            out.push_back({weights[i].data(), biases[i].data(), wide[i + 1], wide[i]});
        return out;
    }

    double value(const std::byte* state, int of) const {
        std::vector<double> x(wide[0]);
        for (std::size_t cell = 0; cell < board; ++cell)
            if (const int symbol = static_cast<int>(state[1 + cell]))
                x[(symbol - 1) * board + cell] = 1;
        const int mover = static_cast<int>(state[0]);
        x[numbers + mover] = 1;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            std::vector<double> y(biases[i].begin(), biases[i].end());
            for (std::size_t o = 0; o < y.size(); ++o) {
                for (std::size_t k = 0; k < x.size(); ++k)
                    y[o] += weights[i][o * wide[i] + k] * x[k];
                if (i + 1 < weights.size()) y[o] = std::max(y[o], 0.0);
            }
            x = y;
        }
        return std::tanh(x[(of - mover + players) % players]);
    }
};

void test_dense_networks() {
    Random random(3);
    const NetworkInputs inputs = toy_inputs();
    for (const std::vector<std::size_t>& hidden :
         {std::vector<std::size_t>{}, {1}, {63}, {64}, {65}, {8, 130, 5}}) {
        const Layers layers(random, hidden);
        DenseNetwork network(inputs, layers.given(), players, 1.0f);
        const std::vector<std::byte> states = random_states(random, 70);
        std::vector<float> out(70 * players);
        network.evaluate(states.data(), 70, out.data());
        for (std::size_t i = 0; i < 70; ++i)
            for (int p = 0; p < players; ++p)
                CHECK(close(out[i * players + p], layers.value(&states[i * state_bytes], p)));
    }
}

void test_dense_networks_refuse() {
    Random random(4);
    const NetworkInputs inputs = toy_inputs();
    const Layers layers(random, {9, 4}), other(random, {9, 5});
    CHECK(refused([&] { DenseNetwork(inputs, {}, players, 1.0f); }));
    CHECK(refused([&] { DenseNetwork(inputs, layers.given(), 1, 1.0f); }));
    std::vector<DenseNetwork::Weights> swapped = layers.given();
    std::swap(swapped[0], swapped[1]);
    CHECK(refused([&] { DenseNetwork(inputs, swapped, players, 1.0f); }));
    DenseNetwork network(inputs, layers.given(), players, 1.0f);
    CHECK(refused([&] { network.set_weights(other.given()); }));
}

void test_kernels() {
    Random random(5);
    for (std::size_t count = 0; count < 40; ++count) {
        const std::vector<float> weights = random_numbers(random, 40 * outputs_per_block);
        const std::vector<float> values = random_numbers(random, count);
        std::vector<std::uint32_t> rows;
        for (std::size_t i = 0; i < count; ++i) rows.push_back(random.below(40));
        std::vector<float> plain(outputs_per_block, 0.5f), fast = plain;
        plain_dense_kernels.add_block(weights.data(), rows.data(), values.data(), count,
                                      plain.data());
        dense_kernels().add_block(weights.data(), rows.data(), values.data(), count, fast.data());
        for (std::size_t i = 0; i < outputs_per_block; ++i) CHECK(close(fast[i], plain[i]));
        const std::size_t length = count * dot_multiple;
        const std::vector<float> a = random_numbers(random, length);
        const std::vector<float> b = random_numbers(random, length);
        double sum = 0;
        for (std::size_t i = 0; i < length; ++i) sum += static_cast<double>(a[i]) * b[i];
        for (const auto dot : {plain_dense_kernels.dot, dense_kernels().dot})
            CHECK(std::abs(dot(a.data(), b.data(), length) - sum) < 1e-4);
    }
}

void test_ntuple_kernels() {
    Random random(7);
    constexpr std::size_t tuples = 5, length = 3, states = 8, rows = 27;
    for (const std::size_t width : {1u, 3u, 8u, 11u, 16u})
        for (int round = 0; round < 5; ++round) {
            const NTupleKernels& plain = plain_ntuple_kernels(width);
            const NTupleKernels& fast = ntuple_kernels(width);
            std::vector<float> planes(numbers);
            for (float& number : planes) number = static_cast<float>(random.below(2));
            const std::vector<std::uint8_t> bytes(planes.begin(), planes.end());
            std::vector<std::uint8_t> first(board), second(board);
            plain.write_symbols(planes.data(), board, symbols, first.data());
            fast.write_symbols_of_bytes(bytes.data(), board, symbols, second.data());
            CHECK(first == second);
            fast.write_symbols(planes.data(), board, symbols, second.data());
            CHECK(first == second);

            std::vector<std::uint8_t> on_cells;
            std::vector<std::int32_t> cells;
            for (std::size_t i = 0; i < board * states; ++i)
                on_cells.push_back(static_cast<std::uint8_t>(random.below(symbols)));
            for (std::size_t i = 0; i < tuples * length; ++i)
                cells.push_back(static_cast<std::int32_t>(random.below(board)));
            std::vector<std::uint32_t> indices(tuples * states), again(tuples * states);
            plain.write_indices(on_cells.data(), cells.data(), tuples, length, symbols, states,
                                indices.data());
            fast.write_indices(on_cells.data(), cells.data(), tuples, length, symbols, states,
                               again.data());
            CHECK(indices == again);

            std::vector<float> tables = random_numbers(random, tuples * rows * width);
            std::vector<float> a(width, 0.5f), b = a;
            plain.sum_rows(tables.data(), rows * width, tuples, indices.data(), states, width,
                           a.data());
            fast.sum_rows(tables.data(), rows * width, tuples, indices.data(), states, width,
                          b.data());
            for (std::size_t j = 0; j < width; ++j) CHECK(close(a[j], b[j]));

            std::vector<float> sums(states * width), other = sums;
            plain.add_rows(tables.data(), indices.data(), states, width, sums.data());
            fast.add_rows(tables.data(), indices.data(), states, width, other.data());
            for (std::size_t j = 0; j < sums.size(); ++j) CHECK(close(sums[j], other[j]));

            std::vector<float> copy = tables, moments(2 * tuples * rows), more = moments;
            const std::vector<float> gradients = random_numbers(random, states * width);
            const std::vector<std::uint32_t> shared(states, 2);
            plain.update_rows(tables.data(), moments.data(), indices.data(), shared.data(),
                              gradients.data(), states, width, 0.1f);
            fast.update_rows(copy.data(), more.data(), indices.data(), shared.data(),
                             gradients.data(), states, width, 0.1f);
            for (std::size_t j = 0; j < copy.size(); ++j) CHECK(close(tables[j], copy[j]));
        }
}

// -- threads --------------------------------------------------------------------------------------

void test_threads() {
    Random random(6);
    const NetworkInputs inputs = toy_inputs();
    const Tuples tuples(random);
    NTupleNetwork ntuple = tuples.network(inputs);
    const Layers layers(random, {70, 70});
    DenseNetwork dense(inputs, layers.given(), players, 1.0f);
    constexpr std::size_t count = 300;
    const std::vector<std::byte> states = random_states(random, count);
    for (Network* network : {static_cast<Network*>(&ntuple), static_cast<Network*>(&dense)}) {
        std::vector<float> alone(count * players), together(count * players);
        network->evaluate(states.data(), count, alone.data());
        network->evaluate_in_threads(states.data(), count, together.data(), 4);
        CHECK(alone == together);
        std::vector<std::vector<float>> out(4, std::vector<float>(count * players));
        std::vector<std::thread> threads;
        for (std::vector<float>& mine : out)
            threads.emplace_back(
                [&, network] { network->evaluate(states.data(), count, mine.data()); });
        for (std::thread& thread : threads) thread.join();
        for (const std::vector<float>& mine : out) CHECK(mine == alone);
    }
}

// -- bytes ----------------------------------------------------------------------------------------

float encoded_number = 0;

std::int32_t encode_one_number(const void*, std::int64_t count, double*, float* planes) {
    std::fill(planes, planes + static_cast<std::size_t>(count) * numbers, 1.0f);
    planes[numbers - 1] = encoded_number;
    return 0;
}

void test_bytes_hold_whole_numbers_below_256() {
    NetworkInputs::Functions functions;
    functions.encode = encode_one_number;
    functions.player = player;
    const NetworkInputs inputs(players, state_bytes, numbers, 1, functions);
    const std::vector<std::byte> state(state_bytes);
    const auto fits = [&](float number, int expected) {
        encoded_number = number;
        std::vector<std::uint8_t> planes(numbers), movers(1);
        const bool held =
            inputs.write_bytes(state.data(), 1, nullptr, planes.data(), movers.data(), 1);
        CHECK(!held || planes[numbers - 1] == expected);
        CHECK(planes[0] == 1);
        return held;
    };
    CHECK(fits(0.0f, 0) && fits(-0.0f, 0) && fits(1.0f, 1) && fits(255.0f, 255));
    for (const float number :
         {-1.0f, 0.5f, 255.5f, 256.0f, 1e30f, -1e30f, std::numeric_limits<float>::infinity(),
          std::numeric_limits<float>::quiet_NaN()})
        CHECK(!fits(number, 0));
}

std::int32_t failing_encode(const void*, std::int64_t, double*, float*) { return -1; }

void test_a_broken_rule_is_reported_from_any_thread() {
    Random random(7);
    NetworkInputs::Functions functions;
    functions.encode = failing_encode;
    functions.player = player;
    const NetworkInputs inputs(players, state_bytes, numbers, 1, functions);
    const Layers layers(random, {});
    DenseNetwork network(inputs, layers.given(), players, 1.0f);
    const std::vector<std::byte> states = random_states(random, 50);
    std::vector<float> out(50 * players);
    for (int threads = 1; threads <= 3; ++threads) {
        bool told = false;
        try {
            network.evaluate_in_threads(states.data(), 50, out.data(), threads);
        } catch (const RuleFailure&) {
            told = true;
        }
        CHECK(told);
    }
}

}  // namespace

}  // namespace unbounded

int main() {
    using namespace unbounded;
    return run_tests({
        {"n-tuple networks", test_ntuple_networks},
        {"n-tuple networks refuse", test_ntuple_networks_refuse},
        {"training lowers the loss with any number of threads",
         test_training_lowers_the_loss_with_any_number_of_threads},
        {"dense networks", test_dense_networks},
        {"dense networks refuse", test_dense_networks_refuse},
        {"kernels", test_kernels},
        {"n-tuple kernels", test_ntuple_kernels},
        {"threads", test_threads},
        {"bytes hold whole numbers below 256", test_bytes_hold_whole_numbers_below_256},
        {"a broken rule is reported from any thread",
         test_a_broken_rule_is_reported_from_any_thread},
    });
}
