#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "app/engine.h"
#include "app/engine_strength.h"
#include "app/terminal/style.h"
#include "core/game.h"
#include "core/ogn.h"

namespace wari {

enum class HumanSide { south, north, both };

struct SessionSettings {
  EngineSettings engine;
  HumanSide side = HumanSide::south;
  std::optional<std::int64_t> visits;  // of the engine's moves, hints and analyses; without: as many as `seconds` allow
  double seconds = 1;
  Strength strength;                   // of its moves alone
  std::string position;                // to begin from; empty: the start
  std::string load;                    // OGN file to go on with; empty: none
  std::string save;                    // OGN file that follows the game; empty: none
  bool evaluate = true;                // a bar below each board
  bool prompt = false;                 // somebody types
  std::uint64_t seed = 1;              // of moves that are drawn
  TerminalStyle style;
};

// A game against the engine, line by line: what is typed comes in, boards and answers go out. Knows nothing of terminals but their style.
class PlaySession {
 public:
  // `stop`: asked while the engine thinks. Throws Error where the engine or a file cannot be loaded.
  PlaySession(SessionSettings settings, std::function<void(std::string_view)> say, std::function<bool()> stop);

  void start();
  // False: enough played. What cannot be done is said, never thrown.
  bool handle(const std::string& line);

  const Game& game() const { return game_.game; }
  bool finished() const { return game().is_over() || agreed_; }
  std::string result() const { return ogn_result(game_); }
  std::string ended() const { return game_.ended; }

 private:
  bool obey(const std::string& command, const std::string& argument);
  void play_words(const std::string& line);
  void play(int action);
  void take_back();
  void begin(Game game);
  void load(const std::string& argument);
  void save(const std::string& argument);
  void set_rules(const std::string& argument);
  void load_rules(const Rules& rules);    // an engine for them
  void show_rules();
  void end_circling_game();
  void show_position(const std::string& argument);

  bool human_moves() const;
  void answer();                          // the engine's moves, then the board
  Thought think(const Strength& strength, bool short_look = false);
  void show();
  void offer_to_end();
  void follow();                          // the file of --save
  void write_followed();
  void set_aside();
  OgnGame tagged() const;
  void prompt();

  SessionSettings settings_;
  std::function<void(std::string_view)> say_;
  std::function<bool()> stop_;
  Engine engine_;
  OgnGame game_;
  std::string games_before_;              // as the file of --save has them
  bool agreed_ = false;                   // the game was ended before its rules did: it went in circles, or a file says so
  int offered_at_ = 0;                    // quiet plies when the end was last offered
};

}  // namespace wari
