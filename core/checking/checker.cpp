// SPDX-License-Identifier: MIT
#include "checking/checker.h"

#include <algorithm>
#include <cstring>

namespace unbounded::checking {

namespace {

constexpr std::size_t longest_about = 80, most_drawn_bytes = 1 << 16;
constexpr std::uint64_t most_drawn_search = 10000;  // the plain rules are slow
// Of two players a state has two rows, the strongest claim of each direction. These claim nothing.
constexpr std::size_t at_least = 0, at_most = 1;
constexpr Worth below_all{-2, 0}, above_all{2, 0};

}  // namespace

Checker::Checker(const Rules& rules, Header header, Settings settings)
    : rules_(rules),
      header_(std::move(header)),
      width_(header_.form.width()),
      root_((rules.state_bytes + 7) / 8),
      state_(root_.size()),
      described_(rules.players),
      successor_described_(rules.players),
      successors_(rules),
      claims_(header_.form),
      held_(root_.size(), width_),
      search_(rules, header_.form, std::move(settings.poll)),
      sample_(settings.sample_size, settings.seed),
      most_searched_(settings.most_searched) {
    const Form& form = header_.form;
    bool fits = header_.root.size() == rules.state_bytes && form.players == rules.players &&
                (form.equilibrium || form.players == 2) && !header_.claims.empty();
    for (const Statement& claim : header_.claims)
        fits &= claim.worths.size() == width_ &&
                (claim.relation == Relation::equal) == form.equilibrium;
    if (!fits) throw std::invalid_argument("the first line does not fit the rules");
    std::memcpy(root_.data(), header_.root.data(), rules.state_bytes);
}

std::size_t Checker::take(std::string_view text) {
    require_whole();
    whole_ = false;
    std::size_t taken = 0;
    while (taken < text.size()) {
        const std::size_t end = text.find('\n', taken);
        if (end == text.npos || end - taken >= longest_line)
            throw Refused("this is no certificate, or it is cut off, or goes on");
        const std::string_view line = text.substr(taken, end - taken);
        if (line.starts_with("end ")) break;
        ++lines_;
        about_ = line.substr(0, std::min(line.find(' '), longest_about));
        take_line(line);
        taken = end + 1;
    }
    whole_ = true;
    return taken;
}

void Checker::require_whole() const {
    if (!whole_) throw Refused("a line before was refused");
}

void Checker::take_line(std::string_view text) {
    const Line line = split(text, header_.form.version);
    read_state(line.state);
    if (proven_ || held_.find(state_.data()) != nullptr)
        throw Refused("there was a line about the same state, or the last one");
    const bool last = same(state_.data(), root_.data());
    if ((line.uses == 0) != last)
        throw Refused("nothing rests on this state, or something on the last");
    claims_.read(line.claims);
    check_claims();
    draw(text);
    count_uses();
    ++states_;
    if (last)
        proven_ = true;
    else
        hold(line.uses);
}

// -- states ---------------------------------------------------------------------------------------

void Checker::read_state(std::string_view text) {
    if (text.starts_with('.') != header_.paths) throw Refused("states are given in another way");
    if (header_.paths) return follow(text);
    if (text.size() != 2 * rules_.state_bytes) throw Refused("this is not a state of the game");
    read_bytes(text, reinterpret_cast<std::byte*>(state_.data()));
}

void Checker::follow(std::string_view path) {
    state_ = root_;
    if (path == ".") return;
    while (!path.empty()) {
        const std::size_t end = std::min(path.find('.', 1), path.size());
        std::int32_t place = 0;
        read_place(path.substr(1, end - 1), place);
        successors_.list(state());
        const std::uint64_t* const next = successors_.at(place);
        std::copy_n(next, state_.size(), state_.begin());
        path.remove_prefix(end);
    }
}

bool Checker::same(const std::uint64_t* one, const std::uint64_t* other) const {
    return std::memcmp(one, other, rules_.state_bytes) == 0;
}

// -- the rules of inference -----------------------------------------------------------------------

void Checker::check_claims() {
    rules_.describe(state(), described_);
    if (!described_.terminal) successors_.list(state());
    asked_before_ = asked_;
    for (const Claim& claim : claims_.all()) check_claim(claim);
}

void Checker::check_claim(const Claim& claim) {
    if (claim.has_digest())
        lean_on(claim);
    else if (described_.terminal)
        check_end(claim);
    else if (claim.has_search())
        check_by_search(claim);
    else if (!header_.form.equilibrium)
        check_bound(claim);
    else if (claim.relation == Relation::equal)
        check_equilibrium(claim);
    else
        check_least(claim);
}

// Rule 1.
void Checker::check_end(const Claim& claim) const {
    const auto worth = [&](std::size_t player) {
        return Worth{described_.outcome[player],
                     header_.form.scores ? described_.score[player] : 0};
    };
    if (header_.form.equilibrium && claim.relation != Relation::equal)
        throw Refused("the game is over here, and nobody moves");
    const Worth* const claimed = claims_.worths(claim);
    bool follows = !claim.has_witness() && !claim.has_search();
    for (std::size_t i = 0; i < width_; ++i) {
        if (claim.relation == Relation::at_least)
            follows &= worth(i) >= claimed[i];
        else if (claim.relation == Relation::at_most)
            follows &= worth(i) <= claimed[i];
        else
            follows &= worth(i) == claimed[i];
    }
    if (follows) return;
    std::string ends;
    for (int i = 0; i < rules_.players; ++i) {
        ends += (i > 0 ? "," : "") + std::to_string(worth(i).outcome);
        if (header_.form.scores) ends += ":" + std::to_string(worth(i).score);
    }
    throw Refused("the game is over here, and ends " + ends);
}

// Rules 2 and 3: the player for whom it is a claim needs one action that is good enough; where the
// other moves, every action must be.
void Checker::check_bound(const Claim& claim) {
    const bool least = claim.relation == Relation::at_least;
    const bool chooses = least == (described_.player == 0);
    if (chooses != claim.has_witness())
        throw Refused("a witness is needed where the player moves who claims, only there");
    const int first = chooses ? claim.witness : 0;
    const int end = chooses ? claim.witness + 1 : successors_.count();
    const Worth& claimed = *claims_.worths(claim);
    for (int place = first; place < end; ++place) {
        const Worth* const bounds = held_.worths(look_up(successors_.at(place)));
        if (least ? bounds[at_least] < claimed : bounds[at_most] > claimed)
            throw Refused("a successor is not known to be good enough");
    }
}

// Rule 4: one successor has the same worths, and no other can be better for the mover.
void Checker::check_equilibrium(const Claim& claim) {
    if (!claim.has_witness()) throw Refused("an action is needed as a witness");
    const Worth* const claimed = claims_.worths(claim);
    const std::uint64_t* const witness = successors_.at(claim.witness);
    if (!is_known(look_up(witness),
                  [&](const Worth* row) { return std::equal(row, row + width_, claimed); }))
        throw Refused("the witness has other worths");
    const int mover = described_.player;
    // Without scores, nothing is better than a win.
    if (!header_.form.scores && claimed[mover].outcome == 1) return;
    for (int place = 0; place < successors_.count(); ++place) {
        const std::uint64_t* const other = successors_.at(place);
        if (same(other, witness) || !matters(other, mover, claimed[mover])) continue;
        const Held& held = look_up(other);
        if (!is_known(held, [&](const Worth* row) { return row[mover] <= claimed[mover]; }) &&
            !leaves_nothing_better(held, other, mover, claimed[mover]))
            throw Refused("another action may be better for the mover");
    }
}

// Whether the worths of an equilibrium are known that fit.
template <class Fits>
bool Checker::is_known(const Held& held, const Fits& fits) const {
    const Worth* const rows = held_.worths(held);
    for (std::size_t row = 0; row + held.has_least < held.rows; ++row)
        if (fits(rows + row * width_)) return true;
    return false;
}

// Whether another player moves at a successor, and is known to have so much there that in a game
// with a single winner this one cannot have more than a worth.
bool Checker::leaves_nothing_better(const Held& held, const std::uint64_t* successor, int player,
                                    const Worth& worth) {
    if (!held.has_least || !rules_.single_winner()) return false;
    const int least = held_.worths(held)[(held.rows - 1) * width_].outcome;
    if (least < 0) return false;
    rules_.describe(reinterpret_cast<State>(successor), successor_described_);
    if (successor_described_.terminal || successor_described_.player == player) return false;
    Worth most{-least, 0};
    if (header_.form.scores)
        most.score = rules_.scored() ? best_score(successor, player) : static_cast<float>(-least);
    return most <= worth;
}

// Rule 7: one action is good enough for the mover.
void Checker::check_least(const Claim& claim) {
    if (!claim.has_witness()) throw Refused("an action is needed as a witness");
    const Worth least = *claims_.worths(claim);
    const int mover = described_.player;
    if (!is_known(look_up(successors_.at(claim.witness)),
                  [&](const Worth* row) { return row[mover] >= least; }))
        throw Refused("the witness is not known to be good enough for the mover");
}

// Rule 5.
void Checker::check_by_search(const Claim& claim) {
    asked_ += claim.most_searched;
    if (asked_ > most_searched_)
        throw Refused("it needs searches of more than " + std::to_string(most_searched_) +
                      " successors");
    const bool proven = search_.proves(state(), described_.player, claim.relation,
                                       claims_.worths(claim), claim.most_searched);
    searched_ += search_.made();
    if (!proven) throw Refused("a search below this state finds that the claim is false");
}

// Rule 6: whoever checks the files on which this one leans must find the claim proven.
void Checker::lean_on(const Claim& claim) {
    const char* const bytes = reinterpret_cast<const char*>(state_.data());
    leans_on_.push_back(
        {std::string(claim.digest), {bytes, bytes + rules_.state_bytes}, claims_.statement(claim)});
}

// Whether a successor might be better than this, by what the game declares.
bool Checker::matters(const std::uint64_t* successor, int player, const Worth& worth) {
    return worth.outcome < 1 || !(worth.score >= best_score(successor, player));
}

// The best score of a player below a successor that the game declares.
float Checker::best_score(const std::uint64_t* successor, int player) {
    if (!rules_.bounds_scores()) return rules_.best_score[player];
    const State state = reinterpret_cast<State>(successor);
    rules_.describe(state, successor_described_);
    return successor_described_.terminal ? rules_.best_score[player]
                                         : rules_.best_score_from(state, player);
}

const Held& Checker::look_up(const std::uint64_t* successor) {
    Held* const held = held_.find(successor);
    if (held == nullptr) throw Refused("a successor has not been proven before");
    if (!held->used) {
        held->used = 1;
        used_.push_back(held);
    }
    return *held;
}

// -- what is held ---------------------------------------------------------------------------------

// A line is one use of each state that it needs, and a state is forgotten after its last use.
void Checker::count_uses() {
    for (Held* const held : used_) {
        held->used = 0;
        if (--held->uses == 0) held_.forget(*held);
    }
    used_.clear();
}

void Checker::hold(std::uint32_t uses) {
    const std::vector<Claim>& claims = claims_.all();
    if (header_.form.equilibrium) {
        hold_equilibria(uses);
    } else {
        Worth* const bounds = held_.worths(held_.add(state_.data(), uses, 2));
        bounds[at_least] = below_all;
        bounds[at_most] = above_all;
        for (const Claim& claim : claims) {
            const Worth& worth = *claims_.worths(claim);
            if (claim.relation == Relation::at_least)
                bounds[at_least] = std::max(bounds[at_least], worth);
            else
                bounds[at_most] = std::min(bounds[at_most], worth);
        }
    }
    most_held_ = std::max(most_held_, held_.size());
}

// All equilibria that are claimed, then the strongest claim about the mover.
void Checker::hold_equilibria(std::uint32_t uses) {
    const std::vector<Claim>& claims = claims_.all();
    const auto is_least = [](const Claim& claim) { return claim.relation == Relation::at_least; };
    const auto leasts =
        static_cast<std::size_t>(std::count_if(claims.begin(), claims.end(), is_least));
    Held& held = held_.add(state_.data(), uses, claims.size() - leasts + (leasts > 0 ? 1 : 0));
    held.has_least = leasts > 0;
    Worth* rows = held_.worths(held);
    Worth least = below_all;
    for (const Claim& claim : claims) {
        if (is_least(claim))
            least = std::max(least, *claims_.worths(claim));
        else
            rows = std::copy_n(claims_.worths(claim), width_, rows);
    }
    if (held.has_least) *rows = least;
}

// A line that would take much memory, or much of the plain checker's time, is not drawn.
bool Checker::can_be_drawn(std::string_view line) const {
    std::size_t bytes = line.size();
    for (const Held* const held : used_)
        bytes += rules_.state_bytes + held->rows * width_ * sizeof(Worth);
    return bytes <= most_drawn_bytes && asked_ - asked_before_ <= most_drawn_search;
}

// Keeps a line with what it uses.
void Checker::draw(std::string_view line) {
    if (!can_be_drawn(line)) return;
    const auto place = sample_.next();
    if (!place) return;
    Drawn drawn{lines_, std::string(line), {}};
    for (const Held* const held : used_) drawn.known.push_back(known(*held));
    sample_.put(*place, std::move(drawn));
}

Known Checker::known(const Held& held) const {
    const char* const bytes = reinterpret_cast<const char*>(held_.state(held));
    Known known{{bytes, bytes + rules_.state_bytes}, {}};
    const Worth* const worths = held_.worths(held);
    for (std::size_t row = 0; row < held.rows; ++row) {
        const Worth* const first = worths + row * width_;
        const Relation relation = header_.form.equilibrium ? Relation::equal
                                  : row == at_least        ? Relation::at_least
                                                           : Relation::at_most;
        if (first->outcome < -1 || first->outcome > 1) continue;
        if (held.has_least && row + 1 == held.rows)
            known.claims.push_back({Relation::at_least, {*first}});
        else
            known.claims.push_back({relation, {first, first + width_}});
    }
    return known;
}

void Checker::finish() const {
    require_whole();
    if (!proven_ || held_.size() > 0)
        throw Refused("nothing rests on " + std::to_string(held_.size()) + " of the states");
    for (const Statement& claim : header_.claims)
        if (!claims_.contain(claim))
            throw Refused("the last line does not prove what the first line says");
}

}  // namespace unbounded::checking
