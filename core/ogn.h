#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/game.h"

// Games as text in OGN, the notation of the Oware programs (Aualé): tags, numbered moves with the seeds that they capture, comments, the result. What it has no
// words for (rule sets, declined captures, a second move, how a program ended a game) stands in tags and marks that other programs pass over. docs/ogn.md.
namespace wari {

struct OgnTag {
  std::string name, value;
  bool operator==(const OgnTag&) const = default;
};

// What stands beside a move.
struct OgnNote {
  std::string annotation;  // "!", "?!", "$3"
  std::string comment;     // one line, without the braces
  std::string variations;  // "(...)" as written, never looked into
  bool operator==(const OgnNote&) const = default;
};

struct OgnGame {
  explicit OgnGame(Game played) : game(std::move(played)) {}

  Game game;                   // rules, first position and moves; tags of these (Rules, FEN) are not among `tags`
  std::vector<OgnTag> tags;    // in order of the file, unknown ones included; without Result and Ended
  std::string ended;           // "table", "resigned" or "limit": ended by a program before the rules did; empty: not so, or nobody knows
  std::string result;          // of a game that is not over by the rules, as written ("20-18", "1-0"); empty: none. Follows from the game otherwise
  std::string comment;         // before the first move
  std::vector<OgnNote> notes;  // [plies], or fewer

  int line = 0;  // of the file it was read from
  const std::string* tag(std::string_view name) const;  // null: not there
  void set_tag(const std::string& name, std::string value);
  OgnNote& note(int ply);                               // makes room for it
};

// All games of a text. `name` stands for it in messages. `rules`: of games that do not name theirs, or name them in words that mean nothing here; without it the
// first are read as abapa and the second are refused. Games of more than `most_plies` are refused. Throws Error with file:line at the first fault.
std::vector<OgnGame> read_ogn(std::string_view text, const std::string& name, const std::optional<Rules>& rules = {}, int most_plies = std::numeric_limits<int>::max());

// The same for somebody who wants to know all that is wrong: reading goes on with the game after each fault.
struct OgnCheck {
  std::int64_t games = 0;  // without a fault
  std::int64_t plies = 0;
  std::vector<std::string> faults;  // each with file:line
};
OgnCheck check_ogn(std::string_view text, const std::string& name, const std::optional<Rules>& rules = {});

// One game, ending in a newline. Files hold games with an empty line between them: ogn_text(a) + "\n" + ogn_text(b).
std::string ogn_text(const OgnGame& game);
std::string ogn_result(const OgnGame& game);  // "25-12", "24.5-23.5", "*"
std::string ogn_variant(const Rules& rules);  // "Oware Abapa"

}  // namespace wari
