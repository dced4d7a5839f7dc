// SPDX-License-Identifier: MIT
// Counting what is true and what is not. Only the main thread checks.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

inline int failures = 0;
inline int checks = 0;

#define CHECK(condition)                                                          \
    do {                                                                          \
        ++checks;                                                                 \
        if (!(condition) && ++failures <= 50)                                     \
            std::printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
    } while (false)

using Test = std::pair<const char*, void (*)()>;

// Runs every test and says how it went; the exit status of the program.
inline int run_tests(const std::vector<Test>& tests) {
    std::size_t failed = 0;
    for (const auto& [name, test] : tests) {
        const int before = failures;
        const auto start = std::chrono::steady_clock::now();
        test();
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        failed += failures != before;
        std::printf("%s %5.1f s  %s\n", failures == before ? "ok    " : "FAILED", took.count(),
                    name);
        std::fflush(stdout);
    }
    std::printf("%d checks\n", checks);
    std::printf("%zu passed, %zu failed\n", tests.size() - failed, failed);
    return failed == 0 ? 0 : 1;
}
