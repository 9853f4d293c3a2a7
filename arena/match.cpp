#include "arena/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/error.h"
#include "core/random.h"

namespace wari {
namespace {

constexpr int kGamesAtOnceWithTest = 256;  // what was begun beyond the decision is lost, so not all at once

double points_of_south(const Game& game) {
  const SideStores stores = side_stores(game);
  const int south_lead = stores.south_half_seeds - stores.north_half_seeds;
  return south_lead > 0 ? 1.0 : south_lead < 0 ? 0.0 : 0.5;
}

bool a_moves(const PlayedGame& played) { return played.a_is_south != north_moves(played.game.position()); }

std::size_t games_at_once(const MatchSettings& settings, const Player& a, const Player& b) {
  int most = settings.games_at_once > 0 ? settings.games_at_once : settings.sprt ? kGamesAtOnceWithTest : settings.games;
  for (const Player* player : {&a, &b}) {
    if (player->games_at_once() > 0) most = std::min(most, player->games_at_once());
  }
  return static_cast<std::size_t>(most);
}

// The games of a match, begun in order of number, a bounded number at once. In each round everyone moves in all of those where it is their turn.
class Games {
 public:
  Games(const MatchSettings& settings, std::size_t at_once) : settings_(settings), at_once_(at_once) {
    for (const Game& opening : match_openings(settings)) {
      played_.push_back({opening, true, 0.5});
      played_.push_back({opening, false, 0.5});
    }
    if (settings.sprt) test_.emplace(*settings.sprt);
  }

  // One move of each player in each game begun. False where nothing is left to play.
  bool move(Player& a, Player& b) {
    while (active_.size() < at_once_ && begun_ < played_.size()) active_.push_back(begun_++);
    if (active_.empty()) return false;
    move(a, true);
    move(b, false);
    std::erase_if(active_, [this](std::size_t number) { return played_[number].is_over(); });
    look_at_pairs();
    return true;
  }

  bool decided() const { return test_ && test_->decision() != SprtDecision::none; }

  MatchProgress progress() const {
    MatchProgress progress;
    progress.games = static_cast<int>(played_.size());
    progress.finished = finished_.games();
    progress.so_far = finished_;
    progress.share = share_done();
    progress.sprt = test_;
    return progress;
  }

  // What the result is made of, in order of number: all games; of a match that was stopped the finished pairs; with a test the pairs that it has seen.
  std::vector<PlayedGame> counted() const {
    std::vector<PlayedGame> counted;
    const std::size_t end = test_ ? 2 * seen_pairs_ : played_.size();
    for (std::size_t first = 0; first < end; first += 2) {
      if (played_[first].is_over() && played_[first + 1].is_over()) counted.insert(counted.end(), {played_[first], played_[first + 1]});
    }
    return counted;
  }

  const std::optional<SequentialTest>& test() const { return test_; }

 private:
  void move(Player& player, bool is_a) {
    waiting_.clear();
    keys_.clear();
    numbers_.clear();
    for (const std::size_t number : active_) {
      const PlayedGame& played = played_[number];
      if (played.is_over() || a_moves(played) != is_a) continue;
      waiting_.push_back(&played.game);
      keys_.push_back(random_bits(settings_.seed, number, static_cast<std::uint32_t>(played.game.plies()), Purpose::player_tie, 0));
      numbers_.push_back(number);
    }
    if (waiting_.empty()) return;
    const std::vector<int> actions = player.choose(waiting_, keys_);
    if (actions.size() != numbers_.size())
      throw Error(fmt::format("player '{}' gave {} moves for {} games: this is a fault of the player", player.name(), actions.size(), numbers_.size()),
                  ErrorKind::system);
    for (std::size_t i = 0; i < numbers_.size(); ++i) play(played_[numbers_[i]], actions[i]);
  }

  void play(PlayedGame& played, int action) {
    if (action == kNotChosen) return;
    if (action >= 0) {
      played.game.play(action);
      if (!played.game.is_over()) return;
      const double south = points_of_south(played.game);
      played.a_points = played.a_is_south ? south : 1 - south;
    } else {
      played.forfeit = action;
      played.a_points = a_moves(played) ? 0 : 1;
    }
    (played.a_points > 0.75 ? finished_.wins : played.a_points < 0.25 ? finished_.losses : finished_.draws) += 1;
    finished_plies_ += played.game.plies();
  }

  // Pairs go to the test in order of number: in the order in which they finish, short games would decide.
  void look_at_pairs() {
    while (test_ && !decided() && 2 * seen_pairs_ < begun_) {
      const PlayedGame &one = played_[2 * seen_pairs_], &other = played_[2 * seen_pairs_ + 1];
      if (!one.is_over() || !other.is_over()) return;
      test_->add(one.a_points + other.a_points);
      ++seen_pairs_;
    }
  }

  // Unfinished games count by the plies that they have against the mean of the finished ones.
  double share_done() const {
    constexpr double kUsualPlies = 110;
    const int finished = finished_.games();
    // Short games end first: their mean says something about the others only where many more have ended than are going on.
    const double usual = finished > 2 * static_cast<int>(active_.size()) ? static_cast<double>(finished_plies_) / finished : kUsualPlies;
    double done = static_cast<double>(finished_plies_), left = usual * static_cast<double>(played_.size() - begun_);
    for (const std::size_t number : active_) {
      const int plies = played_[number].game.plies();
      done += plies;
      left += usual / 3 + std::max(0.0, usual - plies) * 2 / 3;  // a game that is long already goes on for a while
    }
    return done + left > 0 ? done / (done + left) : 0;
  }

  const MatchSettings& settings_;
  std::size_t at_once_;
  std::vector<PlayedGame> played_;    // by number; 2 i and 2 i + 1 are a pair
  std::vector<std::size_t> active_;   // begun and not over, in order
  std::size_t begun_ = 0;
  GameCounts finished_;               // from A's side
  std::int64_t finished_plies_ = 0;
  std::optional<SequentialTest> test_;
  std::size_t seen_pairs_ = 0;        // by the test
  std::vector<const Game*> waiting_;
  std::vector<std::uint64_t> keys_;
  std::vector<std::size_t> numbers_;
};

}  // namespace

void check_match(const MatchSettings& settings) {
  if (settings.games < 2 || settings.games % 2 != 0) {
    throw Error(fmt::format("the number of games must be even: '{}': each opening is played from both seats", settings.games));
  }
  if (settings.opening_plies < 0) throw Error(fmt::format("opening plies out of range: '{}': give 0 or more", settings.opening_plies));
  if (settings.rules.quiet_plies == 0) {
    throw Error("a game might never end: quiet_plies=0: matches need a limit of quiet plies, 'quiet_plies=400' for instance");
  }
}

MatchResult play_match(const MatchSettings& settings, Player& a, Player& b, const std::function<bool(const MatchProgress&)>& watch,
                       std::vector<PlayedGame>* games) {
  check_match(settings);
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  Games play(settings, games_at_once(settings, a, b));
  bool stopped = false;
  while (!stopped && !play.decided() && play.move(a, b)) {
    if (!watch) continue;
    MatchProgress progress = play.progress();
    progress.seconds = seconds();
    stopped = !watch(progress) && progress.finished < progress.games && !play.decided();
  }
  std::vector<PlayedGame> counted = play.counted();
  MatchResult result = summarise_match(counted);
  result.sprt = play.test();
  result.complete = !stopped;
  result.seconds = seconds();
  if (games != nullptr) *games = std::move(counted);
  return result;
}

}  // namespace wari
