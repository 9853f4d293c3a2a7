#include "app/server/rules_json.h"

#include "core/rules_files.h"
#include "core/rules_options.h"

namespace wari {
namespace {

using Json = nlohmann::ordered_json;

struct PresetText {
  const char* name;
  const char* also;
  const char* description;
};

// docs/rules.md has the whole.
constexpr PresetText kTexts[] = {
    {"abapa", "Oware (Ghana), Wari", "The common game: a move that would capture all of the opponent's seeds captures nothing."},
    {"wari", "Wari with the strict slam", "Capturing all of the opponent's seeds is forbidden unless there is no other move, and then ends the game."},
    {"warri", "Caribbean Warri (Antigua, Barbados)", "Who captures all of the opponent's seeds moves again, and must feed."},
    {"awale", "Awalé (Côte d'Ivoire)", "A capture may be declined."},
    {"two-lap", "Two-lap Wari", "If the last seed falls in a pit that holds seeds, they are lifted and sown once more."},
    {"relay", "Relay Wari, playable reading", "Sowing goes on until the last seed falls in an empty pit, or makes a capture."},
    {"relay-literal", "Relay Wari as written", "Sowing goes on until the last seed falls in an empty pit; nothing can ever be captured."},
    {"short", "Short Wari", "Six seeds in each pit at the start."},
    {"zillions", "Wari for Zillions of Games", "Who cannot feed an empty row may play any move; the game goes on."},
    {"awari", "the game solved by Romein and Bal (2002)", "The strict slam; a position's third occurrence ends the game and splits the rest."},
};

Json option_json(const RuleOption& option) {
  Json json = {{"key", option.key}, {"values", nullptr}, {"range", nullptr}, {"meaning", option.meaning}};
  if (option.words.empty()) json["range"] = option.range;
  else json["values"] = option.words;
  return json;
}

}  // namespace

Json rules_json() {
  Json presets = Json::array();
  for (const auto& [name, rules] : rule_presets()) {
    Json preset = {{"name", name}, {"also", ""}, {"description", ""}, {"options", rules_to_json(rules)}};
    for (const PresetText& text : kTexts) {
      if (name == text.name) preset.update({{"also", text.also}, {"description", text.description}});
    }
    presets.push_back(std::move(preset));
  }
  Json options = Json::array();
  for (const RuleOption& option : rule_options()) options.push_back(option_json(option));
  return {{"presets", presets}, {"options", options}};
}

}  // namespace wari
