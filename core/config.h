#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Strict configuration: a struct per stage beside its user, with defaults; one field list drives load, save, print and compare.
//
//   struct TrainerSettings {
//     int batch = 2048;            // samples per optimiser step
//     double learning_rate = 5e-3;
//     template <class Visitor> void fields(Visitor& v) {
//       v.number("batch", batch, 1, 1 << 20, "samples per optimiser step");
//       v.number("learning_rate", learning_rate, 1e-8, 1.0, "peak of AdamW's learning rate");
//       v.choice("schedule", schedule, {"constant", "cosine"}, "...");   // std::string, or an enum with names in order of its values
//       v.flag("amp", amp, "...");
//       v.text("rules", rules, "...");
//       v.group("network", network_settings, "...");                     // nested struct
//       v.weights("rules", mix, "...");                                  // RULES or a map {RULES: weight}; std::vector<std::pair<std::string, int>>
//     }
//   };
//
// Unknown, duplicate, mistyped keys and numbers out of range throw Error with file:line, the key's path, what was expected and the nearest name.
namespace wari {

// A value as written, with its place ("configs/cpu.yaml:12" or "--set"), by dotted key. What a file or an override says, before a struct has checked it.
class ConfigSource {
 public:
  static ConfigSource from_file(const std::filesystem::path& file);
  static ConfigSource from_text(std::string_view text, const std::string& name);
  // "selfplay.lanes=64"; of one key given twice the last holds.
  void override_with(std::string_view assignment);

  struct Value {
    std::string text;                                                // scalar
    std::vector<std::pair<std::string, std::string>> map;            // for weights(): key, value; empty for scalars
    bool is_map = false;
    std::string place;                                               // file:line
  };
  const std::map<std::string, Value>& values() const { return values_; }
  const std::string& name() const { return name_; }

 private:
  std::map<std::string, Value> values_;                              // leaves by dotted key (a weights map is kept under its own key)
  std::map<std::string, std::string> groups_;                        // dotted key of each mapping -> place
  std::string name_;
};

}  // namespace wari

#include "core/config_visitors.h"
// Provided there:
//   template <class S> void load_config(S& settings, const ConfigSource& source);            // throws Error
//   template <class S> std::string config_yaml(S& settings, bool comments = true);            // resolved, with the comments
//   template <class S> std::vector<std::pair<std::string, std::string>> config_values(S& settings);  // dotted key, text; in order
