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

constexpr const char* kEveryGames[] = {"Variant", "Event", "Site", "Date", "Round", "South", "North"};  // tags that any game has when it was written once
constexpr std::size_t kMostTags = 200;                                                              // besides these
constexpr std::size_t kMostTagBytes = 4000;

bool is_tag_name(const std::string& name) {
  constexpr const char* kOfTheGame[] = {"Rules", "FEN", "Result", "Ended"};
  const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  return plain && !name.empty() && std::find(std::begin(kOfTheGame), std::end(kOfTheGame), name) == std::end(kOfTheGame);
}

// What cannot be saved again is not loaded: nobody should lose tags by opening a file.
void check_tags(const OgnGame& read) {
  const auto is_own = [](const OgnTag& tag) { return std::find(std::begin(kEveryGames), std::end(kEveryGames), tag.name) == std::end(kEveryGames); };
  const auto count = static_cast<std::size_t>(std::count_if(read.tags.begin(), read.tags.end(), is_own));
  if (count > kMostTags) throw HttpError(400, fmt::format("the game has {} tags: line {}: leave at most {}", count, read.line, kMostTags));
  for (const OgnTag& tag : read.tags) {
    if (std::max(tag.name.size(), tag.value.size()) > kMostTagBytes)
      throw HttpError(400, fmt::format("tag {} is too long: line {}: leave at most {} bytes", quote(tag.name), read.line, kMostTagBytes));
  }
}

Json notes_json(const OgnGame& read) {
  Json notes = Json::array();
  for (std::size_t i = 0; i < read.notes.size(); ++i) {
    const OgnNote& note = read.notes[i];
    if (!(note == OgnNote{})) notes.push_back({{"ply", i + 1}, {"annotation", note.annotation}, {"comment", note.comment}, {"variations", note.variations}});
  }
  return notes;
}

void take_notes(Fields& fields, OgnGame& written) {
  written.comment = fields.text_or("comment", "", kMostGamesBytes);
  for (Fields& given : fields.objects("notes", kMostPlies)) {
    OgnNote& note = written.note(static_cast<int>(given.whole("ply", 1, written.game.plies())) - 1);
    note.annotation = given.text_or("annotation", "", kMostGamesBytes);
    note.comment = given.text_or("comment", "", kMostGamesBytes);
    note.variations = given.text_or("variations", "", kMostGamesBytes);
    given.done();
  }
}

void take_end(Fields& fields, OgnGame& written) {
  const bool agreed = fields.flag_or("agreed", false), over = written.game.is_over();
  written.ended = fields.text_or("ended", "", 20);
  written.result = fields.text_or("result", "", 20);
  if (over && !written.result.empty() && written.result != ogn_result(written))
    throw HttpError(400, fmt::format("the result is {}: key 'result': leave it out, it follows from the game", ogn_result(written)));
  if (!agreed) return;
  if (over) throw HttpError(400, "the rules ended this game: key 'agreed': leave it out");
  if (!written.ended.empty() || !written.result.empty()) throw HttpError(400, "the game has two ends: key 'agreed': leave out either it or 'ended' and 'result'");
  const Json stores = settled_json(written.game).at("stores");
  written.ended = "limit";
  written.result = fmt::format("{:g}-{:g}", stores.at(0).get<double>(), stores.at(1).get<double>());
}

// Notes and results may hold any text: what would be read as something else is refused.
std::string checked_text(const OgnGame& written) {
  const std::string text = ogn_text(written);
  std::string reason = "it would be read as another game";
  try {
    const std::vector<OgnGame> games = read_ogn(text, "line", {}, kMostPlies);
    const auto same = [&](const OgnGame& read) {
      return std::ranges::equal(read.game.actions(), written.game.actions()) && read.ended == written.ended && ogn_result(read) == ogn_result(written);
    };
    if (games.size() == 1 && same(games.front())) return text;
  } catch (const Error& error) {
    reason = error.what();
  }
  throw HttpError(400, fmt::format("this cannot be written: {}: give 'ended', 'result', 'comment' and 'notes' as /api/ogn/read gives them", reason));
}

Json read_json(const OgnGame& read) {
  check_tags(read);
  Json tags = Json::object();
  for (const OgnTag& tag : read.tags) tags[tag.name] = tag.value;
  const std::string result = ogn_result(read);
  return {{"rules", rules_name(read.game.rules())},
          {"start", position_text(read.game.start())},
          {"moves", line_text(read.game)},
          {"tags", tags},
          {"ended", read.ended.empty() ? Json(nullptr) : Json(read.ended)},
          {"result", result == "*" ? Json(nullptr) : Json(result)},
          {"comment", read.comment},
          {"notes", notes_json(read)}};
}

}  // namespace

Json Api::read_games(const HttpRequest& request) {
  Fields fields(request, kMostGamesBytes);
  const std::string text = fields.text("text", kMostGamesBytes);
  fields.done();
  if (text.find('\0') != std::string::npos) throw HttpError(400, "a NUL is in the text: key 'text': send a file of games, not of a program");
  Json games = Json::array();
  try {
    for (const OgnGame& read : read_ogn(text, "line", {}, kMostPlies)) {
      if (request.client_left && request.client_left()) throw nobody_waits();
      games.push_back(read_json(read));
    }
  } catch (const Error& error) {
    throw HttpError(400, error.what());
  }
  return {{"games", games}};
}

Json Api::write_game(const HttpRequest& request) {
  Fields fields(request, kMostGamesBytes);
  OgnGame written(read_game(fields));
  for (const auto& [name, value] : fields.text_map("tags", kMostTags + std::size(kEveryGames), kMostTagBytes)) {
    if (!is_tag_name(name)) throw HttpError(400, fmt::format("tag {} cannot be given: key 'tags': use letters and digits; Rules, FEN, Result and Ended follow from the game", quote(name)));
    written.set_tag(name, value);
  }
  take_notes(fields, written);
  take_end(fields, written);
  fields.done();
  try {
    return {{"text", checked_text(written)}};
  } catch (const Error& error) {
    throw HttpError(400, error.what());
  }
}

}  // namespace wari
