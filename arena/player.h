#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arena/option_list.h"
#include "core/game.h"
#include "endgame/table.h"
#include "search/evaluator.h"
#include "search/settings.h"

// Whoever can choose a move. A player is asked for many games at once, so that a network sees full batches and slow players can spread over the cores.
namespace wari {

struct ThinkerSettings;

// What choose() may give in place of an action: the player lost that game otherwise than by the rules, or was asked to stop before it had chosen.
inline constexpr int kCrashed = -1, kOutOfTime = -2, kIllegalMove = -3, kNotChosen = -4;

class Player {
 public:
  virtual ~Player() = default;
  // As it was written: "alphabeta:depth=6". Names a row of the ratings.
  virtual std::string name() const = 0;
  // One legal action for each of the unfinished `games`. `keys[i]` stands for (match, game, ply): all that is random about the choice is a function of it,
  // so a choice depends neither on the other games of the batch nor on the number of threads.
  virtual std::vector<int> choose(std::span<const Game* const> games, std::span<const std::uint64_t> keys) = 0;
  // Games that it can think about at once; 0: any number.
  virtual int games_at_once() const { return 0; }
  // What its moves depend on beside its name and this program: a hash of its weights, what an engine calls itself. Stored with results.
  virtual std::string version() const { return version_; }
  void set_version(std::string version) { version_ = std::move(version); }

 private:
  std::string version_;
};

// Reads a checkpoint into something that judges positions. `precision` is "auto" unless the player says otherwise. Given by the program, since networks are
// not known to this room.
using EvaluatorFactory = std::function<std::unique_ptr<Evaluator>(const std::filesystem::path& checkpoint, const std::string& precision)>;

// What the machine offers to players.
struct PlayerEnvironment {
  int workers = 1;  // threads, at most
  int lanes = 256;  // positions searched at once, of all workers together
  std::uint64_t seed = 1;
  EvaluatorFactory load_evaluator;  // empty: players with a checkpoint are refused
  std::function<std::string(const std::filesystem::path& checkpoint)> checkpoint_version;  // a hash of the weights behind a path; empty: players have none
  std::function<bool()> stop_requested;    // asked by players that wait for long; empty: never
  EvaluatorFactory load_device_evaluator;  // for tree searches on a GPU, batches of `lanes`; empty: they run on the CPU
};

// A PLAYER of the command line, taken apart: "search:checkpoint=runs/a,visits=64".
struct PlayerDescription {
  std::string kind;
  OptionList options;
};
PlayerDescription parse_player(std::string_view text);  // throws Error with the nearest kind or option

// Throws Error where make_player() would, as far as can be told without reading a checkpoint or starting a program.
void check_player(std::string_view text);

std::unique_ptr<Player> make_player(std::string_view text, const PlayerEnvironment& environment);

std::unique_ptr<Player> make_random_player();
std::unique_ptr<Player> make_greedy_player();                           // most seeds now, ties at random
std::unique_ptr<Player> make_alphabeta_player(int depth, int workers);  // ties at random

// How a tree search plays for strength: PUCT without noise, less exploration than in self-play (0.7 to 1.0 beat 1.5 in 56 % of games), and all moves of the root
// looked at (a share of 0.7 beat none in 58 %): the policy learned from Gumbel targets is surer than it is right.
SearchSettings playing_search();
struct SearchPlayerSettings {
  int visits = 64;                           // simulations a move
  SearchSettings search = playing_search();  // noise is always off here
  EndgameTables tables;                      // looked up where one serves the rules
  TableSearch table_search = TableSearch::all;
  int lanes = 256;
  int workers = 1;
};
// Tree search with a judge that is in memory already: what a training loop uses for its newest network. A fresh tree each move.
std::unique_ptr<Player> make_search_player(std::string name, const SearchPlayerSettings& settings, const Evaluator& evaluator);
std::unique_ptr<Player> make_policy_player(std::string name, std::unique_ptr<Evaluator> evaluator);  // the move with the highest prior

// The search of the engine (search/thinker.h): many leaves of one tree at once. A fresh tree each move; `workers` games at a time.
std::unique_ptr<Player> make_think_player(std::string name, std::int64_t visits, const ThinkerSettings& settings, int workers, const Evaluator& evaluator);

struct UciSettings;
// Somebody else's program, a process for each worker. Throws Error where it does not start.
std::unique_ptr<Player> make_uci_player(std::string name, const UciSettings& settings, const PlayerEnvironment& environment);

// The legal actions of a game in ascending order; none when it is over.
std::vector<int> legal_list(const Game& game);

}  // namespace wari
