#include <yaml-cpp/yaml.h>

#include <fstream>
#include <sstream>

#include "core/config.h"
#include "core/error.h"
#include "core/nearest.h"

namespace wari {

namespace {

constexpr int kDeepest = 16;         // nesting; also stops a mapping that contains itself through an alias
constexpr int kMostNodes = 100'000;  // stops a few aliases that expand to millions of values
constexpr std::size_t kLongestFile = 1 << 20;

// Copies what yaml-cpp read into nodes that carry their place, and finds keys given twice, which yaml-cpp passes over.
class Reader {
 public:
  explicit Reader(std::string name) : name_(std::move(name)) {}

  ConfigNode read(const YAML::Node& node, int line, int depth = 0) {
    if (depth > kDeepest || ++nodes_ > kMostNodes)
      throw Error("nested too deeply or too large: " + place(line) + ": a configuration needs no more than a few levels");
    ConfigNode result;
    if (node.Mark().line >= 0 && node.IsDefined() && !node.IsNull()) line = node.Mark().line + 1;
    result.place = place(line);
    if (node.IsScalar()) {
      result.kind = ConfigNode::Kind::scalar;
      result.text = node.Scalar();
      result.in_quotes = node.Tag() == "!";
    } else if (node.IsSequence()) {
      result.kind = ConfigNode::Kind::list;
      for (const YAML::Node& item : node) result.children.emplace_back("", read(item, line, depth + 1));
    } else if (node.IsMap()) {
      result.kind = ConfigNode::Kind::map;
      for (const auto& entry : node) add_entry(result, entry.first, entry.second, line, depth);
    }
    return result;
  }

 private:
  void add_entry(ConfigNode& map, const YAML::Node& key, const YAML::Node& value, int line, int depth) {
    const int key_line = key.Mark().line >= 0 ? key.Mark().line + 1 : line;
    if (!key.IsScalar()) throw Error("a key must be a word: " + place(key_line) + ": write 'key: value'");
    for (const auto& [name, node] : map.children) {
      if (name == key.Scalar())
        throw Error("key " + quote(name) + " is given twice: " + place(key_line) + ": it stands at " + node.place + " already; keep one");
    }
    ConfigNode child = read(value, key_line, depth + 1);
    child.place = place(key_line);
    map.children.emplace_back(key.Scalar(), std::move(child));
  }

  std::string place(int line) const { return line > 0 ? name_ + ":" + std::to_string(line) : name_; }

  std::string name_;
  int nodes_ = 0;
};

ConfigNode parse(std::string_view text, const std::string& name, bool with_lines) {
  if (text.find('\0') != std::string_view::npos) throw Error("not a text file (it contains zero bytes): " + name + ": give a YAML file");
  std::vector<YAML::Node> documents;
  try {
    documents = YAML::LoadAll(std::string(text));
  } catch (const YAML::Exception& e) {
    const std::string where = with_lines && e.mark.line >= 0 ? name + ":" + std::to_string(e.mark.line + 1) : name;
    throw Error("not valid YAML (" + e.msg + "): " + where + ": correct the syntax; one 'key: value' a line");
  }
  if (documents.size() > 1) throw Error("more than one YAML document: " + name + ": remove the lines '---'");
  if (documents.empty()) return {};
  return Reader(name).read(documents.front(), with_lines ? 1 : 0);
}

std::vector<std::string> split_key(std::string_view key) {
  std::vector<std::string> parts{""};
  for (char c : key) {
    if (c == '.') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

ConfigNode* child_named(ConfigNode& map, const std::string& name) {
  for (auto& [child_name, node] : map.children) {
    if (child_name == name) return &node;
  }
  return nullptr;
}

}  // namespace

ConfigSource ConfigSource::from_text(std::string_view text, const std::string& name) {
  ConfigSource source;
  source.name_ = name;
  source.root_ = parse(text, name, true);
  if (source.root_.place.empty()) source.root_.place = name;
  if (source.root_.kind == ConfigNode::Kind::empty) source.root_.kind = ConfigNode::Kind::map;
  if (source.root_.kind != ConfigNode::Kind::map) {
    const char* found = source.root_.kind == ConfigNode::Kind::list ? "a list" : "a single value";
    throw Error(std::string("expected keys with values, found ") + found + ": " + source.root_.place + ": write one 'key: value' a line");
  }
  return source;
}

ConfigSource ConfigSource::from_file(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored))
    throw Error("no such configuration: " + quote(file.string()) + ": give an existing YAML file, e.g. configs/cpu.yaml");
  if (std::filesystem::is_directory(file, ignored)) throw Error("a folder, not a configuration: " + quote(file.string()) + ": give a YAML file");
  std::ifstream in(file, std::ios::binary);
  std::string text(kLongestFile + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (!in.is_open() || in.bad()) throw Error("cannot read the configuration: " + quote(file.string()) + ": check its permissions");
  if (text.size() > kLongestFile) throw Error("larger than a megabyte: " + quote(file.string()) + ": this is no configuration");
  ConfigSource source = from_text(text, file.string());
  if (source.root_.children.empty()) throw Error("an empty configuration: " + quote(file.string()) + ": write at least one 'key: value'");
  return source;
}

void ConfigSource::override_with(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string shown = "--set " + std::string(assignment.substr(0, 80));
  if (equals == std::string_view::npos || equals == 0)
    throw Error("an override without a key or value: " + quote(shown) + ": write --set key=value, e.g. --set selfplay.lanes=64");
  const std::string key(assignment.substr(0, equals));
  const std::string_view text = assignment.substr(equals + 1);
  const std::string place = "--set " + key;
  ConfigNode value;
  if (!text.empty() && (text.front() == '{' || text.front() == '[')) {
    value = parse(text, place, false);
  } else {
    value.kind = ConfigNode::Kind::scalar;
    value.text = std::string(text);
  }
  value.place = place;

  ConfigNode* node = &root_;
  for (const std::string& part : split_key(key)) {
    if (part.empty()) throw Error("a key with an empty part: " + quote(shown) + ": write --set group.key=value");
    // A value in the place of a group: an error of the file where the file says so, found when a struct reads it; the override must not hide it.
    if (node->kind != ConfigNode::Kind::map && node->kind != ConfigNode::Kind::empty)
      throw Error(quote(key) + " lies under a single value: " + place + ": compare " + node->place);
    node->kind = ConfigNode::Kind::map;
    ConfigNode* next = child_named(*node, part);
    if (next == nullptr) {
      node->children.emplace_back(part, ConfigNode{});
      next = &node->children.back().second;
      next->place = place;
    }
    node = next;
  }
  *node = std::move(value);
}

}  // namespace wari
