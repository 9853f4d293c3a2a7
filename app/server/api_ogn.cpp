#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "app/server/api.h"
#include "app/server/board_json.h"
#include "core/error.h"
#include "core/nearest.h"
#include "core/notation.h"
#include "core/ogn.h"

// The routes of api.h that read and write files of games.
namespace wari {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostTags = 64;
constexpr std::size_t kMostTagBytes = 1000;

bool is_tag_name(const std::string& name) {
  constexpr const char* kOfTheGame[] = {"Rules", "FEN", "Result", "Ended"};
  const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  return plain && !name.empty() && std::find(std::begin(kOfTheGame), std::end(kOfTheGame), name) == std::end(kOfTheGame);
}

Json read_json(const OgnGame& read) {
  Json tags = Json::object();
  for (const OgnTag& tag : read.tags) tags[tag.name] = tag.value;
  const std::string result = ogn_result(read);
  return {{"rules", rules_name(read.game.rules())},
          {"start", position_text(read.game.start())},
          {"moves", line_text(read.game)},
          {"tags", tags},
          {"ended", read.ended.empty() ? Json(nullptr) : Json(read.ended)},
          {"result", result == "*" ? Json(nullptr) : Json(result)}};
}

}  // namespace

Json Api::read_games(const HttpRequest& request) {
  Fields fields(request, kMostGamesBytes);
  const std::string text = fields.text("text", kMostGamesBytes);
  fields.done();
  Json games = Json::array();
  try {
    for (const OgnGame& read : read_ogn(text, "line", {}, kMostPlies)) games.push_back(read_json(read));
  } catch (const Error& error) {
    throw HttpError(400, error.what());
  }
  return {{"games", games}};
}

Json Api::write_game(const HttpRequest& request) {
  Fields fields(request);
  OgnGame written(read_game(fields));
  for (const auto& [name, value] : fields.text_map("tags", kMostTags, kMostTagBytes)) {
    if (!is_tag_name(name)) throw HttpError(400, fmt::format("tag {} cannot be given: key 'tags': use letters and digits; Rules, FEN, Result and Ended follow from the game", quote(name)));
    written.set_tag(name, value);
  }
  const bool agreed = fields.flag_or("agreed", false);
  fields.done();
  if (agreed) {
    if (written.game.is_over()) throw HttpError(400, "the rules ended this game: key 'agreed': leave it out");
    const Json stores = settled_json(written.game).at("stores");
    written.ended = "limit";
    written.result = fmt::format("{:g}-{:g}", stores.at(0).get<double>(), stores.at(1).get<double>());
  }
  try {
    return {{"text", ogn_text(written)}};
  } catch (const Error& error) {
    throw HttpError(400, error.what());
  }
}

}  // namespace wari
