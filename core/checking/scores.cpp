// SPDX-License-Identifier: MIT
#include "checking/scores.h"

#include <locale.h>
#include <stdlib.h>

#include <cmath>
#include <cstdint>
#include <string>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

namespace unbounded::checking {

namespace {

// `D`, `D.D`, or one of these and an exponent; a minus may come first.
struct Decimal {
    bool negative = false;
    std::uint64_t digits = 0;  // all of them, also those after the point
    int exponent = 0;          // of ten
    int count = 0;             // of digits, zeros in front included
};

constexpr int most_digits = 40, most_exponent_digits = 3;

// Takes 1 to `most` digits off the front of a text; returns how many.
int take_digits(std::string_view& text, int most, std::uint64_t& number) {
    int taken = 0;
    while (!text.empty() && text[0] >= '0' && text[0] <= '9' && taken <= most) {
        number = 10 * number + static_cast<std::uint64_t>(text[0] - '0');
        text.remove_prefix(1);
        ++taken;
    }
    return taken <= most ? taken : 0;
}

bool take(std::string_view& text, char wanted) {
    if (text.empty() || text[0] != wanted) return false;
    text.remove_prefix(1);
    return true;
}

bool read_decimal(std::string_view text, Decimal& out) {
    out.negative = take(text, '-');
    out.count = take_digits(text, most_digits, out.digits);
    if (out.count == 0) return false;
    if (take(text, '.')) {
        const int after = take_digits(text, most_digits, out.digits);
        if (after == 0) return false;
        out.count += after;
        out.exponent = -after;
    }
    if (take(text, 'e')) {
        const bool down = take(text, '-');
        if (!down) take(text, '+');
        std::uint64_t exponent = 0;
        if (take_digits(text, most_exponent_digits, exponent) == 0) return false;
        out.exponent += down ? -static_cast<int>(exponent) : static_cast<int>(exponent);
    }
    return text.empty();
}

// Rounded correctly, whatever the locale of the program is.
double rounded(const std::string& text) {
#if defined(_WIN32)
    static const _locale_t plain = _create_locale(LC_ALL, "C");
    return _strtod_l(text.c_str(), nullptr, plain);
#else
    static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
    const locale_t before = uselocale(plain);
    const double number = strtod(text.c_str(), nullptr);
    uselocale(before);
    return number;
#endif
}

}  // namespace

bool read_score(std::string_view text, float& out) {
    static constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                        1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                        1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    constexpr int exact_digits = 15, exact_power = 22;
    Decimal decimal;
    if (!read_decimal(text, decimal)) return false;
    double number;
    if (decimal.count <= exact_digits && std::abs(decimal.exponent) <= exact_power) {
        // Both numbers are exact, so the one operation rounds correctly.
        number = static_cast<double>(decimal.digits);
        if (decimal.exponent < 0)
            number /= powers[-decimal.exponent];
        else
            number *= powers[decimal.exponent];
        if (decimal.negative) number = -number;
    } else {
        number = rounded(std::string(text));
    }
    out = static_cast<float>(number) + 0.0f;  // -0 is 0
    return std::isfinite(out);
}

}  // namespace unbounded::checking
