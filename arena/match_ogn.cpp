#include <fmt/format.h>

#include "arena/match.h"
#include "core/ogn.h"

namespace wari {
namespace {

const char* forfeit_name(int forfeit) { return forfeit == kCrashed ? "crash" : forfeit == kOutOfTime ? "out of time" : "illegal move"; }

}  // namespace

std::string match_ogn(std::span<const PlayedGame> games, const std::string& a, const std::string& b) {
  std::string text;
  for (std::size_t number = 0; number < games.size(); ++number) {
    const PlayedGame& played = games[number];
    OgnGame game(played.game);
    game.set_tag("Event", fmt::format("{} - {}", a, b));
    game.set_tag("Round", fmt::format("{}.{}", number / 2 + 1, number % 2 + 1));
    game.set_tag("South", played.a_is_south ? a : b);
    game.set_tag("North", played.a_is_south ? b : a);
    if (played.forfeit != 0) {
      game.ended = "resigned";
      game.result = north_moves(played.game.position()) ? "1-0" : "0-1";
      game.set_tag("Termination", forfeit_name(played.forfeit));
    }
    text += (text.empty() ? "" : "\n") + ogn_text(game);
  }
  return text;
}

}  // namespace wari
