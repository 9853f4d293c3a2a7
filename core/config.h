#pragma once

#include <filesystem>
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
//       v.text("device", device, "...");
//       v.list("opponents", opponents, "...");                           // std::vector<std::string>
//       v.group("network", network_settings, "...");                     // nested struct
//       v.weights("rules", mix, "...");                                  // RULES or a map {RULES: weight}; std::vector<std::pair<std::string, int>>
//     }
//   };
//
// Unknown, duplicate, mistyped keys and numbers out of range throw Error with file:line, the key's path, what was expected and the nearest name.
namespace wari {

// One value of a file as written, before a struct has checked it, with its place ("configs/cpu.yaml:12" or "--set").
struct ConfigNode {
  enum class Kind { empty, scalar, list, map };
  Kind kind = Kind::empty;
  std::string text;                                             // of a scalar
  bool in_quotes = false;                                       // a scalar in quotes is text, never a number
  std::string place;                                            // file:line
  std::vector<std::pair<std::string, ConfigNode>> children;     // of a map in order of the file; of a list with empty names
};

// What a configuration file and the overrides of the command line say.
class ConfigSource {
 public:
  static ConfigSource from_file(const std::filesystem::path& file);
  static ConfigSource from_text(std::string_view text, const std::string& name);
  // "selfplay.lanes=64", "rules={abapa: 3, warri: 1}"; of one key given twice the last holds.
  void override_with(std::string_view assignment);

  const ConfigNode& root() const { return root_; }
  const std::string& name() const { return name_; }

 private:
  ConfigNode root_;
  std::string name_;
};

}  // namespace wari

#include "core/config_visitors.h"
// Provided there:
//   template <class S> void load_config(S& settings, const ConfigSource& source);            // throws Error
//   template <class S> std::string config_yaml(S& settings, bool comments = true);            // resolved, with the comments
//   template <class S> std::vector<std::pair<std::string, std::string>> config_values(S& settings);  // dotted key, text; in order
//   template <class S> std::vector<ConfigField> config_fields(S& settings);                   // dotted key, comment, what is allowed; for documentation
