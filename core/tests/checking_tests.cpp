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

using Row = std::vector<c::Worth>;

// The checker's own search, as docs/certificates.md has it, on the rows of a table.
class Below {
  public:
    Below(const Table& table, bool scores) : table_(table), scores_(scores) {}

    std::uint64_t made = 0;  // successors

    c::Worth end(std::uint32_t s, int player) const {
        const TableState& state = table_.states[s];
        return {state.outcome[player], scores_ ? state.score[player] : 0};
    }

    bool holds(std::uint32_t s, bool least, const c::Worth& bound) {
        const TableState& state = table_.states[s];
        const bool chooses = least == (state.player == 0);
        made += state.successors.size();
        for (const std::uint32_t next : state.successors)
            if (is_over(next) && (least ? end(next, 0) >= bound : end(next, 0) <= bound) == chooses)
                return chooses;
        for (const std::uint32_t next : state.successors)
            if (!is_over(next) && holds(next, least, bound) == chooses) return chooses;
        return !chooses;
    }

    std::set<Row> equilibria(std::uint32_t s) {
        const TableState& state = table_.states[s];
        if (is_over(s)) {
            Row row;
            for (int p = 0; p < table_.players; ++p) row.push_back(end(s, p));
            return {row};
        }
        made += state.successors.size();
        std::vector<std::set<Row>> below;
        for (const std::uint32_t next : state.successors) below.push_back(equilibria(next));
        std::set<Row> found;
        for (const std::set<Row>& rows : below)
            for (const Row& row : rows)
                if (std::all_of(below.begin(), below.end(), [&](const std::set<Row>& others) {
                        return std::any_of(others.begin(), others.end(), [&](const Row& other) {
                            return other[state.player] <= row[state.player];
                        });
                    }))
                    found.insert(row);
        return found;
    }

    bool is_over(std::uint32_t s) const { return table_.states[s].successors.empty(); }

  private:
    const Table& table_;
    const bool scores_;
};

// Writes, from what every state is worth, a certificate of the first one. With `searches`, the
// checker is to prove the claims about some states itself.
class Writer {
  public:
    Writer(c::Form form, bool paths, bool searches = false)
        : form_(form),
          paths_(paths),
          searches_(searches),
          values_(backward_induction(game.table)),
          names_(values_.size()),
          users_(values_.size()) {
        names_[0] = ".";
        for (std::uint32_t s = 0; s < values_.size(); ++s) find_users(s);
    }

    c::Header header() const {
        c::Header made{form_, paths_, state_of(0), {}};
        if (form_.equilibrium) {
            made.claims.push_back({c::Relation::equal, {worth(0, 0), worth(0, 1)}});
        } else {
            made.claims.push_back({c::Relation::at_least, {worth(0, 0)}});
            made.claims.push_back({c::Relation::at_most, {worth(0, 0)}});
        }
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
        if (next.empty() || (s > 0 && users_[s].empty()) || is_searched(s)) return;
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
        if (form_.equilibrium) {
            made += " =" + text(s, 0) + "," + text(s, 1);
            return made + (is_searched(s) ? search(s, c::Relation::equal) : chosen);
        }
        for (const int player : {0, 1}) {
            const auto relation = static_cast<c::Relation>(player);
            made += (player == 0 ? " >=" : " <=") + text(s, 0);
            if (is_searched(s))
                made += search(s, relation);
            else if (row(s).player == player)
                made += chosen;
        }
        return made;
    }

    bool is_searched(std::uint32_t s) const {
        // Not near the first one: the search does not know that lines meet again.
        return searches_ && s % 3 == 1 && 2 * s > values_.size() && !row(s).successors.empty();
    }

    std::string search(std::uint32_t s, c::Relation relation) const {
        Below below(game.table, form_.scores);
        if (form_.equilibrium)
            below.equilibria(s);
        else
            CHECK(below.holds(s, relation == c::Relation::at_least, worth(s, 0)));
        return "?" + std::to_string(below.made);
    }

    const c::Form form_;
    const bool paths_, searches_;
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
    c::Checker checker(rules, header, {3, 1});
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
                const Writer writer(form, paths, number % 2 == 1);
                function(rules, writer.header(), writer.lines(), random);
            }
    }
}

void test_proofs_are_accepted() {
    for_random_certificates(
        1, 150, [](const Rules& rules, const c::Header& header, const Lines& lines, Random&) {
            CHECK(why_refused(rules, header, joined(lines)) == "");
            c::Checker checker(rules, header, {1000, 1});
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
            const int truth = header.claims[0].worths[0].outcome;
            for (int outcome = -1; outcome <= 1; ++outcome) {
                for (c::Statement& claim : header.claims) claim.worths[0].outcome = outcome;
                CHECK((why_refused(rules, header, joined(lines)) == "") == (outcome == truth));
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
    static const char* const pieces[] = {"@",     "=",    ">=", "<=", "1", "-1", "0",
                                         ":",     "1e99", ".5", ".",  " ", ",",  "\n",
                                         "99999", "\xff", "?",  "?1", "%", "?9"};
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
                const int truth = header.claims[0].worths[0].outcome;
                for (c::Statement& claim : other.claims)
                    claim.worths[0].outcome = truth == 1 ? 0 : 1;
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
    c::Checker checker(rules, writer.header(), {});
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
    c::Checker checker(rules, writer.header(), {});
    const std::string text = joined(writer.lines());
    CHECK(checker.take(text + "end 3 and so on\nmore\n") == text.size());
}

// -- the checker's own search ---------------------------------------------------------------------

// A random game of so many players; its sums are anything.
Table table_of_any_sums(Random& random, int players) {
    Table table;
    table.players = players;
    table.best_score.assign(players, unknown_best_score);
    table.states.resize(4 + random.below(14));
    add_successors(random, table, true, 4, 5);
    for (TableState& state : table.states) {
        state.player = static_cast<int>(random.below(players));
        for (int p = 0; p < players; ++p) {
            state.outcome.push_back(static_cast<std::int8_t>(random.below(3)) - 1);
            state.score.push_back(random.below(3) * 0.5f - 0.5f);
        }
        if (players == 2) {
            state.outcome[1] = static_cast<std::int8_t>(-state.outcome[0]);
            state.score[1] = -state.score[0];
        }
    }
    return table;
}

// A certificate of one line: the claim about a state, with the successors that it asks for.
struct OneLine {
    const Rules& rules;
    c::Form form;
    std::uint32_t state;
    c::Statement claim;

    std::string text(std::uint64_t most) const {
        std::string made = hexadecimal(state) + " 0 ";
        made += claim.relation == c::Relation::at_least  ? ">="
                : claim.relation == c::Relation::at_most ? "<="
                                                         : "=";
        for (std::size_t i = 0; i < claim.worths.size(); ++i) {
            char score[32];
            std::snprintf(score, sizeof score, ":%.9g", static_cast<double>(claim.worths[i].score));
            if (i > 0) made += ",";
            made += std::to_string(claim.worths[i].outcome);
            if (form.scores) made += score;
        }
        return made + "?" + std::to_string(most) + "\n";
    }

    std::string why_refused(std::uint64_t most) const {
        return ::why_refused(rules, header(), text(most));
    }

    c::Header header() const { return {form, false, state_of(state), {claim}}; }
};

// Whether exactly so many successors are needed, and then prove it or not.
void check_search(const OneLine& one, bool holds, std::uint64_t needed) {
    const std::string not_so = "a search below this state finds that the claim is false";
    CHECK(one.why_refused(needed) == (holds ? "" : not_so));
    CHECK(one.why_refused(999999999) == (holds ? "" : not_so));
    if (needed > 1)
        CHECK(one.why_refused(needed - 1) ==
              "the search needs more than " + std::to_string(needed - 1) + " successors");
    if (!holds) return;
    c::Checker checker(one.rules, one.header(), {});
    checker.take(one.text(needed));
    CHECK(checker.searched() == needed && checker.states() == 1 && checker.leans_on().empty());
}

std::vector<c::Worth> worths(bool scores) {
    std::vector<c::Worth> made;
    for (int outcome = -1; outcome <= 1; ++outcome)
        for (int half = scores ? -1 : 0; half <= (scores ? 1 : 0); ++half)
            made.push_back({outcome, half * 0.5f});
    return made;
}

void check_bounds_below(const Table& table, bool scores, std::uint32_t s) {
    const TableRules rules(table);
    for (const c::Worth& bound : worths(scores))
        for (const bool least : {false, true}) {
            Below below(table, scores);
            const bool holds = below.holds(s, least, bound);
            const c::Statement claim{least ? c::Relation::at_least : c::Relation::at_most, {bound}};
            check_search({rules, {2, false, scores}, s, claim}, holds, below.made);
        }
}

void check_equilibria_below(const Table& table, bool scores, std::uint32_t s, Random& random) {
    const TableRules rules(table);
    const std::vector<c::Worth> all = worths(scores);
    Below below(table, scores);
    const std::set<Row> rows = below.equilibria(s);
    const c::Form form{table.players, true, scores};
    for (const Row& row : rows)
        check_search({rules, form, s, {c::Relation::equal, row}}, true, below.made);
    for (int k = 0; k < 4; ++k) {
        Row row = *rows.begin();
        row[random.below(table.players)] =
            all[random.below(static_cast<std::uint32_t>(all.size()))];
        const OneLine one{rules, form, s, {c::Relation::equal, row}};
        check_search(one, rows.count(row) > 0, below.made);
    }
}

void test_searches_make_exactly_what_is_specified() {
    Random random{7};
    game = {};  // states are four bytes
    for (int number = 0; number < 150; ++number) {
        const bool scores = random.below(2) == 0;
        const Table table = table_of_any_sums(random, 2 + static_cast<int>(random.below(3)));
        for (std::uint32_t s = 0; s < table.states.size(); ++s) {
            if (table.states[s].successors.empty()) continue;
            if (table.players == 2) check_bounds_below(table, scores, s);
            check_equilibria_below(table, scores, s, random);
        }
    }
}

void test_searches_have_a_deepest_depth() {
    game = {};
    const Table at_most = countdown(400), deeper = countdown(401);
    const TableRules fits(at_most), too_deep(deeper);
    for (const bool equilibrium : {false, true}) {
        const c::Statement claim = equilibrium ? c::Statement{c::Relation::equal, {{1, 0}, {-1, 0}}}
                                               : c::Statement{c::Relation::at_least, {{1, 0}}};
        const c::Form form{2, equilibrium, false};
        check_search({fits, form, 0, claim}, true, 400);
        CHECK((OneLine{too_deep, form, 0, claim}.why_refused(999999999)) ==
              "the search goes deeper than 400 states");
        check_search({too_deep, form, 1, claim}, true, 400);
    }
}

void test_searches_can_be_ended() {
    game = {};
    Table table = countdown(5);
    for (TableState& state : table.states)
        if (!state.successors.empty()) state.successors.resize(16, state.successors[0]);
    const TableRules rules(table);
    const OneLine one{rules, {2, true, false}, 0, {c::Relation::equal, {{1, 0}, {-1, 0}}}};
    CHECK(one.why_refused(1118480) == "");  // 16 + 16^2 + ... + 16^5
    struct Ended {};
    int polls = 0, ended = 0;
    c::Checker checker(rules, one.header(), {.poll = [&] {
                           if (++polls == 3) throw Ended();
                       }});
    try {
        checker.take(one.text(1118480));
    } catch (const Ended&) {
        ++ended;
    }
    CHECK(ended == 1 && polls == 3);
}

void test_limits_of_all_searches_are_added_up() {
    game = {};
    const Table table = countdown(3);
    const TableRules rules(table);
    const std::string line = hexadecimal(0) + " 0 >=0?70 >=1?40 <=1?3\n";
    c::Header header{{2, false, false}, false, state_of(0), {{c::Relation::at_least, {{1, 0}}}}};
    for (const std::uint64_t most : {0, 69, 70, 112, 113, 1000}) {
        c::Checker checker(rules, header, {.most_searched = most});
        bool refused = false;
        try {
            checker.take(line);
        } catch (const c::Refused&) {
            refused = true;
        }
        CHECK(refused == (most < 113));
        CHECK(refused || checker.searched() == 9);
    }
}

void test_short_searches_are_drawn() {
    game = {};
    const Table table = countdown(3);
    const TableRules rules(table);
    const c::Header header{
        {2, false, false}, false, state_of(0), {{c::Relation::at_least, {{1, 0}}}}};
    for (const auto& [claims, drawn] : std::vector<std::pair<std::string, std::size_t>>{
             {">=1?10000", 1}, {">=1?10001", 0}, {">=1?5000 >=0?5001", 0}}) {
        c::Checker checker(rules, header, {5, 1});
        checker.take(hexadecimal(0) + " 0 " + claims + "\n");
        checker.finish();
        CHECK(checker.drawn().size() == drawn);
    }
}

// -- other certificates ---------------------------------------------------------------------------

void test_what_is_leaned_on_is_told() {
    game = {};
    const Table table = countdown(2);
    const TableRules rules(table);
    const std::string one(64, '1'), other = "0123456789abcdef" + std::string(48, 'f');
    const c::Header header{
        {2, false, false}, false, state_of(0), {{c::Relation::at_least, {{0, 0}}}}};
    const std::string text = hexadecimal(2) + " 1 >=0%" + other + "\n" + hexadecimal(1) +
                             " 1 <=1?1 >=0@0\n" + hexadecimal(0) + " 0 >=0@0 >=-1%" + one + "\n";
    c::Checker checker(rules, header, {5, 1});
    checker.take(text);
    checker.finish();
    const std::vector<c::Lean>& leans = checker.leans_on();
    CHECK(leans.size() == 2 && checker.searched() == 1 && checker.drawn().size() == 3);
    CHECK(leans[0].digest == other && leans[1].digest == one);
    CHECK(leans[0].claim.relation == c::Relation::at_least &&
          leans[1].claim.worths[0].outcome == -1);
    CHECK(leans[0].state == std::string("\2\0\0\0", 4) && leans[1].state == std::string(4, '\0'));
    c::Header before = header;
    before.form.version = 1;
    CHECK(why_refused(rules, before, text) != "");
}

void test_reasons_are_read_strictly() {
    game = {};
    const Table table = countdown(2);
    const TableRules rules(table);
    const c::Header header{
        {2, false, false}, false, state_of(0), {{c::Relation::at_least, {{0, 0}}}}};
    const auto refused = [&](const std::string& reason) {
        return why_refused(rules, header, hexadecimal(0) + " 0 >=0" + reason + "\n") != "";
    };
    const std::string digest(64, 'a');
    CHECK(!refused("?2") && !refused("?999999999") && !refused("%" + digest));
    for (const std::string reason :
         {"?", "?0", "?02", "?1000000000", "?-2", "?+2", "?2@0", "@0?2", "?2?2", "%", "?a", "a",
          "?1", "%a", "??2", "?2%", "?0x2", "?2.0"})
        CHECK(refused(reason));
    for (const std::string& text : {digest.substr(1), digest + "a", "A" + digest.substr(1),
                                    "g" + digest.substr(1), digest.substr(1) + "-"})
        CHECK(refused("%" + text));
    CHECK(refused("%" + digest + "@0") && refused("?2%" + digest));
    // Where the game is over, nothing is searched.
    const c::Header over{{2, false, false}, false, state_of(2), header.claims};
    CHECK(why_refused(rules, over, hexadecimal(2) + " 0 >=0\n") == "");
    CHECK(why_refused(rules, over, hexadecimal(2) + " 0 >=0?9\n") != "");
    CHECK(why_refused(rules, over, hexadecimal(2) + " 0 >=0%" + digest + "\n") == "");
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
        {"searches make exactly what is specified", test_searches_make_exactly_what_is_specified},
        {"searches have a deepest depth", test_searches_have_a_deepest_depth},
        {"searches can be ended", test_searches_can_be_ended},
        {"limits of all searches are added up", test_limits_of_all_searches_are_added_up},
        {"short searches are drawn", test_short_searches_are_drawn},
        {"what is leaned on is told", test_what_is_leaned_on_is_told},
        {"reasons are read strictly", test_reasons_are_read_strictly},
        {"scores are rounded as they should", test_scores_are_rounded_as_they_should},
        {"states are found until they are forgotten",
         test_states_are_found_until_they_are_forgotten},
    });
}
