// SPDX-License-Identifier: MIT
// Tests of the checker of certificates: it accepts proofs, refuses what proves nothing, and
// survives any text.
#include <cfloat>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "checking/checker.h"
#include "checking/scores.h"
#include "tests/checks.h"
#include "tests/native_game.h"

using namespace unbounded;
namespace c = unbounded::checking;

namespace {

// -- certificates of random games -----------------------------------------------------------------

using Lines = std::vector<std::string>;

std::string hexadecimal(std::uint32_t number) {
    std::string text;
    char digits[3];
    for (const std::byte byte : state_of(number)) {
        std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(byte));
        text += digits;
    }
    return text;
}

// Writes, from what every state is worth, a certificate of the first one.
class Writer {
  public:
    Writer(c::Form form, bool paths)
        : form_(form),
          paths_(paths),
          values_(backward_induction(game.table)),
          names_(values_.size()),
          users_(values_.size()) {
        names_[0] = ".";
        for (std::uint32_t s = 0; s < values_.size(); ++s) find_users(s);
    }

    c::Header header() const {
        c::Header made{form_, paths_, state_of(0), {}};
        for (int p = 0; p < 2; ++p) made.value.push_back(worth(0, p));
        return made;
    }

    Lines lines() const {
        Lines made;
        for (std::size_t s = values_.size(); s-- > 0;)
            if (s == 0 || !users_[s].empty()) made.push_back(line(static_cast<std::uint32_t>(s)));
        return made;
    }

  private:
    const TableState& row(std::uint32_t s) const { return game.table.states[s]; }

    c::Worth worth(std::uint32_t s, int player) const {
        const auto& [outcome, score] = values_[s];
        return {outcome[player], form_.scores ? score[player] : 0};
    }

    std::string text(std::uint32_t s, int player) const {
        char score[32];
        std::snprintf(score, sizeof score, ":%.9g", static_cast<double>(worth(s, player).score));
        return std::to_string(worth(s, player).outcome) + (form_.scores ? score : "");
    }

    std::size_t witness(std::uint32_t s) const {
        const auto& next = row(s).successors;
        std::size_t at = 0;
        while (worth(next[at], 0) != worth(s, 0) || worth(next[at], 1) != worth(s, 1)) ++at;
        return at;
    }

    void find_users(std::uint32_t s) {
        const auto& next = row(s).successors;
        if (next.empty() || (s > 0 && users_[s].empty())) return;
        const c::Worth mine = worth(s, row(s).player);
        const float best = form_.scores ? game.table.best_score[row(s).player] : 0;
        const bool all = !form_.equilibrium || mine.outcome < 1 || mine.score < best;
        const std::size_t chosen = witness(s);
        for (std::size_t i = 0; i < next.size(); ++i) {
            const std::string step = (s == 0 ? "." : names_[s] + ".") + std::to_string(i);
            if (names_[next[i]].empty()) names_[next[i]] = step;
            if (all || next[i] == next[chosen]) users_[next[i]].insert(s);
        }
    }

    std::string line(std::uint32_t s) const {
        std::string made = (paths_ ? names_[s] : hexadecimal(s)) + " ";
        made += std::to_string(users_[s].size());
        const bool over = row(s).successors.empty();
        const std::string chosen = over ? "" : "@" + std::to_string(witness(s));
        if (form_.equilibrium) return made + " =" + text(s, 0) + "," + text(s, 1) + chosen;
        made += " >=" + text(s, 0) + (row(s).player == 0 ? chosen : "");
        return made + " <=" + text(s, 0) + (row(s).player == 1 ? chosen : "");
    }

    const c::Form form_;
    const bool paths_;
    const std::vector<Value> values_;
    std::vector<std::string> names_;
    std::vector<std::set<std::uint32_t>> users_;
};

std::string joined(const Lines& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

// Why it is refused; empty: it is not.
std::string why_refused(const Rules& rules, const c::Header& header, const std::string& text) {
    c::Checker checker(rules, header, 3, 1);
    try {
        checker.take(text);
        checker.finish();
        return "";
    } catch (const c::Refused& refused) {
        return refused.what();
    } catch (const RuleFailure& failure) {
        return "rule " + failure.rule;
    }
}

const c::Form forms[] = {{2, false, false}, {2, false, true}, {2, true, false}, {2, true, true}};

template <class Function>
void for_random_certificates(std::uint64_t seed, int games, const Function& function) {
    Random random{seed};
    for (int number = 0; number < games; ++number) {
        game = random_game(random, 40);
        const NativeRules rules = native_rules();
        for (const c::Form& form : forms)
            for (const bool paths : {false, true}) {
                const Writer writer(form, paths);
                function(rules, writer.header(), writer.lines(), random);
            }
    }
}

void test_proofs_are_accepted() {
    for_random_certificates(
        1, 150, [](const Rules& rules, const c::Header& header, const Lines& lines, Random&) {
            CHECK(why_refused(rules, header, joined(lines)) == "");
            c::Checker checker(rules, header, 1000, 1);
            for (const std::string& line : lines)
                CHECK(checker.take(line + "\n") == line.size() + 1);
            checker.finish();
            CHECK(checker.states() == lines.size() && checker.lines() == lines.size() + 1);
            CHECK(checker.drawn().size() == lines.size());
            for (std::size_t i = 0; i < lines.size(); ++i)
                CHECK(checker.drawn()[i].line == lines[i] && checker.drawn()[i].number == i + 2);
        });
}

void test_other_values_are_refused() {
    for_random_certificates(
        2, 50, [](const Rules& rules, c::Header header, const Lines& lines, Random&) {
            const c::Header truth = header;
            for (int outcome = -1; outcome <= 1; ++outcome) {
                header.value[0].outcome = outcome;
                header.value[1].outcome = -outcome;
                const bool same = header.value == truth.value;
                CHECK((why_refused(rules, header, joined(lines)) == "") == same);
            }
        });
}

// -- any text -------------------------------------------------------------------------------------

void spoil_lines(Lines& lines, Random& random) {
    const std::size_t at = random.below(static_cast<std::uint32_t>(lines.size()));
    const std::size_t other = random.below(static_cast<std::uint32_t>(lines.size()));
    switch (random.below(3)) {
        case 0: lines.erase(lines.begin() + at); break;
        case 1: lines.insert(lines.begin() + other, std::string(lines[at])); break;
        default: std::swap(lines[at], lines[other]);
    }
}

void spoil_text(std::string& text, Random& random) {
    static const char* const pieces[] = {"@",    "=",  ">=", "<=", "1", "-1", "0",     ":",
                                         "1e99", ".5", ".",  " ",  ",", "\n", "99999", "\xff"};
    const std::size_t at = random.below(static_cast<std::uint32_t>(text.size()));
    if (random.below(2) == 0)
        text[at] = static_cast<char>(text[at] ^ 1 << random.below(8));
    else
        text.replace(at, random.below(3), pieces[random.below(std::size(pieces))]);
}

void test_what_is_spoiled_proves_nothing_false() {
    int accepted = 0, refused = 0;
    for_random_certificates(
        3, 25, [&](const Rules& rules, c::Header header, const Lines& lines, Random& random) {
            for (int k = 0; k < 40; ++k) {
                Lines spoiled = lines;
                if (random.below(2) == 0) spoil_lines(spoiled, random);
                std::string text = joined(spoiled);
                for (std::uint32_t i = random.below(3); i > 0 && !text.empty(); --i)
                    spoil_text(text, random);
                // The value is the true one: whatever still proves it may be accepted. No other is.
                (why_refused(rules, header, text) == "" ? accepted : refused)++;
                c::Header other = header;
                other.value[0].outcome = header.value[0].outcome == 1 ? 0 : 1;
                other.value[1].outcome = -other.value[0].outcome;
                CHECK(why_refused(rules, other, text) != "");
            }
        });
    CHECK(accepted > 100 && refused > 5000);
}

void test_after_a_refusal_everything_is_refused() {
    Random random{4};
    game = random_game(random, 20);
    const NativeRules rules = native_rules();
    const Writer writer({2, false, false}, false);
    c::Checker checker(rules, writer.header(), 0, 1);
    int refused = 0;
    const auto refuses = [&](const auto& act) {
        try {
            act();
        } catch (const c::Refused&) {
            ++refused;
        }
    };
    refuses([&] { checker.take("nonsense\n"); });
    refuses([&] { checker.take(joined(writer.lines())); });
    refuses([&] { checker.finish(); });
    CHECK(refused == 3);
}

void test_lines_have_a_longest_length() {
    game = {};
    game.table = countdown(1);
    const NativeRules rules = native_rules();
    const Writer writer({2, false, false}, false);
    for (const std::size_t size : {c::longest_line - 1, c::longest_line}) {
        const std::string why = why_refused(rules, writer.header(), std::string(size, '0') + "\n");
        CHECK(why == (size < c::longest_line
                          ? "this is not a line of a certificate"
                          : "this is no certificate, or it is cut off, or goes on"));
    }
    CHECK(why_refused(rules, writer.header(), joined(writer.lines()) + "end") != "");
    c::Checker checker(rules, writer.header(), 0, 1);
    const std::string text = joined(writer.lines());
    CHECK(checker.take(text + "end 3 and so on\nmore\n") == text.size());
}

// -- parts ----------------------------------------------------------------------------------------

void test_scores_are_rounded_as_they_should() {
    Random random{5};
    const auto digits = [&](std::uint32_t most) {
        std::string text;
        for (std::uint32_t i = 1 + random.below(most); i > 0; --i)
            text += static_cast<char>('0' + random.below(10));
        return text;
    };
    for (int k = 0; k < 200000; ++k) {
        std::string text = (random.below(2) ? "-" : "") + digits(random.below(4) ? 8 : 40);
        if (random.below(2)) text += "." + digits(random.below(4) ? 8 : 40);
        if (random.below(2))
            text += (random.below(2) ? "e-" : "e+") + digits(random.below(8) ? 2 : 3);
        const float wanted = static_cast<float>(std::strtod(text.c_str(), nullptr));
        float score = -1;
        CHECK(c::read_score(text, score) == std::isfinite(wanted));
        if (!std::isfinite(wanted)) continue;
        CHECK(score == wanted);
        CHECK(score != 0 || !std::signbit(score));
    }
    float score;
    for (const char* text : {"", "-", ".5", "5.", "1e", "1e+", "1e1000", "+1", "1 ", "nan", "inf",
                             "0x1", "1,5", "1e1.5", "--1", "1e39", "1e400"})
        CHECK(!c::read_score(text, score));
    const std::string forty(40, '9');
    CHECK(c::read_score("0." + forty, score) && score == 1);
    CHECK(!c::read_score("0." + forty + "9", score) && !c::read_score("0" + forty, score));
}

void test_states_are_found_until_they_are_forgotten() {
    Random random{6};
    for (const std::size_t words : {1, 2, 5}) {
        c::HeldStates held(words, 1);
        std::map<std::vector<std::uint64_t>, c::Held*> model;
        for (int k = 0; k < 100000; ++k) {
            std::vector<std::uint64_t> state(words);
            for (std::uint64_t& word : state) word = random.below(words == 1 ? 3000 : 8);
            const auto known = model.find(state);
            CHECK(held.find(state.data()) == (known == model.end() ? nullptr : known->second));
            if (known == model.end()) {
                c::Held& added = held.add(state.data(), 1, random.below(4));
                for (std::size_t i = 0; i < added.rows; ++i) held.worths(added)[i].outcome = 1;
                model[state] = &added;
            } else if (random.below(3) > 0) {
                held.forget(*known->second);
                model.erase(known);
            }
            CHECK(held.size() == model.size());
        }
    }
}

}  // namespace

int main() {
    return run_tests({
        {"proofs are accepted", test_proofs_are_accepted},
        {"other values are refused", test_other_values_are_refused},
        {"what is spoiled proves nothing false", test_what_is_spoiled_proves_nothing_false},
        {"after a refusal everything is refused", test_after_a_refusal_everything_is_refused},
        {"lines have a longest length", test_lines_have_a_longest_length},
        {"scores are rounded as they should", test_scores_are_rounded_as_they_should},
        {"states are found until they are forgotten",
         test_states_are_found_until_they_are_forgotten},
    });
}
