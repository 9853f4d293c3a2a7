#include "core/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "core/error.h"
#include "core/nearest.h"

namespace wari {

namespace {

// Text as YAML reads it back: in double quotes wherever a plain scalar could be taken for something else.
std::string yaml_text(const std::string& text) {
  static const std::set<std::string> kWords{"null", "~", "true", "false", "yes", "no", "on", "off", "Null", "NULL"};
  const bool plain = !text.empty() && kWords.count(text) == 0 && text.find_first_of("#{}[]&*!|>'\"%@`\\\t\n\r") == std::string::npos &&
                     text.find(": ") == std::string::npos && text.find_first_of("-?:, ") != 0 && text.back() != ':' && text.back() != ' ' &&
                     text.find(',') == std::string::npos;
  if (plain) return text;
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 32) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, ", ")); }

// Knows where the visit stands: the group's path. Base of both visitors below.
class PathVisitor : public ConfigVisitor {
 protected:
  std::string path(std::string_view name) const { return prefix_ + std::string(name); }
  std::string prefix_;  // "" or "selfplay."
};

// Reads the nodes of a source into the struct's fields; remembers the names of each group so that what is left over is reported with the nearest one.
class LoadVisitor : public PathVisitor {
 public:
  explicit LoadVisitor(const ConfigNode& root) : node_(&root) {}

  void flag(const char* name, bool& value, const char*) override {
    const ConfigNode* node = scalar(name, "true or false");
    if (node == nullptr) return;
    if (node->text != "true" && node->text != "false") wrong(name, *node, "true or false");
    value = node->text == "true";
  }
  void text(const char* name, std::string& value, const char*) override {
    if (const ConfigNode* node = scalar(name, "text", true)) value = node->text;
  }
  void list(const char* name, std::vector<std::string>& values, const char*) override {
    const ConfigNode* node = find(name);
    if (node == nullptr) return;
    if (node->kind != ConfigNode::Kind::list) wrong(name, *node, "a list, e.g. [random, greedy]");
    values.clear();
    for (const auto& [unused, item] : node->children) {
      if (item.kind != ConfigNode::Kind::scalar) wrong(name, item, "a list of single values");
      values.push_back(item.text);
    }
  }
  void weights(const char* name, Weights& values, const char*) override;

  // Called once all fields of the level are visited: what the source has beside them is an error.
  void finish() const;

 protected:
  void integer(const char* name, std::int64_t& value, std::int64_t low, std::int64_t high, const char*) override;
  void real(const char* name, double& value, double low, double high, const char*) override;
  void one_of(const char* name, std::string& value, const std::vector<std::string>& names, const char*) override {
    const ConfigNode* node = scalar(name, "one of " + joined(names));
    if (node == nullptr) return;
    if (std::find(names.begin(), names.end(), node->text) == names.end()) wrong(name, *node, "one of " + joined(names), nearest_name(node->text, names));
    value = node->text;
  }
  void nested(const char* name, const char*, const ConfigFieldList& fields) override;

 private:
  const ConfigNode* find(const char* name) {
    names_.push_back(name);
    for (const auto& [child, node] : node_->children) {
      if (child == name) return &node;
    }
    return nullptr;
  }
  const ConfigNode* scalar(const char* name, const std::string& expected, bool quotes_allowed = false) {
    const ConfigNode* node = find(name);
    if (node != nullptr && (node->kind != ConfigNode::Kind::scalar || (node->in_quotes && !quotes_allowed))) wrong(name, *node, expected);
    return node;
  }
  [[noreturn]] void wrong(const char* name, const ConfigNode& node, const std::string& expected, const std::string& near = "") const {
    std::string found = quote(node.text);
    if (node.kind == ConfigNode::Kind::map) found = "a group of keys";
    if (node.kind == ConfigNode::Kind::list) found = "a list";
    if (node.kind == ConfigNode::Kind::empty) found = "no value";
    if (node.kind == ConfigNode::Kind::scalar && node.in_quotes) found += " in quotes";
    throw Error(
        fmt::format("'{}' cannot be {}: {}: expected {}{}", path(name), found, node.place, expected, near.empty() ? "" : "; did you mean '" + near + "'?"));
  }

  const ConfigNode* node_;
  std::vector<std::string> names_;                              // of this level
  std::vector<std::pair<std::string, std::string>> elsewhere_;  // name, dotted key: fields of nested groups, for keys at the wrong level
};

// Collects every dotted key below a group, so that a key at the wrong level is told where it belongs.
class NameCollector : public PathVisitor {
 public:
  explicit NameCollector(const std::string& prefix) { prefix_ = prefix; }
  std::vector<std::pair<std::string, std::string>> names;

  void flag(const char* name, bool&, const char*) override { add(name); }
  void text(const char* name, std::string&, const char*) override { add(name); }
  void list(const char* name, std::vector<std::string>&, const char*) override { add(name); }
  void weights(const char* name, Weights&, const char*) override { add(name); }

 protected:
  void integer(const char* name, std::int64_t&, std::int64_t, std::int64_t, const char*) override { add(name); }
  void real(const char* name, double&, double, double, const char*) override { add(name); }
  void one_of(const char* name, std::string&, const std::vector<std::string>&, const char*) override { add(name); }
  void nested(const char* name, const char*, const ConfigFieldList& fields) override {
    add(name);
    const std::string outer = prefix_;
    prefix_ = path(name) + ".";
    fields(*this);
    prefix_ = outer;
  }

 private:
  void add(const char* name) { names.emplace_back(name, path(name)); }
};

void LoadVisitor::integer(const char* name, std::int64_t& value, std::int64_t low, std::int64_t high, const char*) {
  const std::string expected = fmt::format("a whole number from {} to {}", low, high);
  const ConfigNode* node = scalar(name, expected);
  if (node == nullptr) return;
  std::int64_t number = 0;
  const char* end = node->text.data() + node->text.size();
  const auto [stop, error] = std::from_chars(node->text.data(), end, number);
  if (error != std::errc() || stop != end || number < low || number > high) wrong(name, *node, expected);
  value = number;
}

void LoadVisitor::real(const char* name, double& value, double low, double high, const char*) {
  const std::string expected = fmt::format("a number from {} to {}", low, high);
  const ConfigNode* node = scalar(name, expected);
  if (node == nullptr) return;
  double number = 0;
  const char* end = node->text.data() + node->text.size();
  const auto [stop, error] = std::from_chars(node->text.data(), end, number);
  if (error != std::errc() || stop != end || !std::isfinite(number) || number < low || number > high) wrong(name, *node, expected);
  value = number;
}

void LoadVisitor::weights(const char* name, Weights& values, const char*) {
  constexpr int kMost = 1'000'000;
  const std::string expected = fmt::format("a name, or a map from names to whole weights from 1 to {}, e.g. {{abapa: 3, warri: 1}}", kMost);
  const ConfigNode* node = find(name);
  if (node == nullptr) return;
  Weights read;
  if (node->kind == ConfigNode::Kind::scalar && !node->text.empty()) read.emplace_back(node->text, 1);
  if (node->kind == ConfigNode::Kind::map) {
    for (const auto& [key, child] : node->children) {
      int weight = 0;
      const char* end = child.text.data() + child.text.size();
      const auto [stop, error] = std::from_chars(child.text.data(), end, weight);
      if (child.kind != ConfigNode::Kind::scalar || error != std::errc() || stop != end || weight < 1 || weight > kMost)
        wrong((std::string(name) + "." + key).c_str(), child, fmt::format("a whole weight from 1 to {}", kMost));
      read.emplace_back(key, weight);
    }
  }
  if (read.empty()) wrong(name, *node, expected);
  values = std::move(read);
}

void LoadVisitor::nested(const char* name, const char*, const ConfigFieldList& fields) {
  NameCollector collector(path(name) + ".");
  fields(collector);
  elsewhere_.insert(elsewhere_.end(), collector.names.begin(), collector.names.end());
  const ConfigNode* node = find(name);
  if (node == nullptr) return;
  if (node->kind != ConfigNode::Kind::map) wrong(name, *node, "a group of keys, indented below it");
  LoadVisitor inner(*node);
  inner.prefix_ = path(name) + ".";
  fields(inner);
  inner.finish();
}

void LoadVisitor::finish() const {
  for (const auto& [child, node] : node_->children) {
    if (std::find(names_.begin(), names_.end(), child) != names_.end()) continue;
    std::string hint = suggestion(child, names_);
    for (const auto& [name, key] : elsewhere_) {
      if (name == child) hint = "it belongs at '" + key + "'";
    }
    throw Error(fmt::format("unknown key {}: {}: {}", quote(path(child)), node.place, hint));
  }
}

// Lists the fields with their values as YAML writes them.
class ListVisitor : public PathVisitor {
 public:
  std::vector<ConfigField> fields;

  void flag(const char* name, bool& value, const char* comment) override { add(name, value ? "true" : "false", "true or false", comment); }
  void text(const char* name, std::string& value, const char* comment) override { add(name, yaml_text(value), "text", comment); }
  void list(const char* name, std::vector<std::string>& values, const char* comment) override {
    std::vector<std::string> items;
    for (const std::string& value : values) items.push_back(yaml_text(value));
    add(name, "[" + joined(items) + "]", "a list of texts", comment);
  }
  void weights(const char* name, Weights& values, const char* comment) override {
    std::vector<std::string> items;
    for (const auto& [key, weight] : values) items.push_back(yaml_text(key) + ": " + std::to_string(weight));
    const bool single = values.size() == 1 && values.front().second == 1;
    add(name, single ? yaml_text(values.front().first) : "{" + joined(items) + "}", "a name or {name: weight}", comment);
  }

 protected:
  void integer(const char* name, std::int64_t& value, std::int64_t low, std::int64_t high, const char* comment) override {
    add(name, std::to_string(value), fmt::format("{} .. {}", low, high), comment);
  }
  void real(const char* name, double& value, double low, double high, const char* comment) override {
    add(name, fmt::format("{}", value), fmt::format("{} .. {}", low, high), comment);
  }
  void one_of(const char* name, std::string& value, const std::vector<std::string>& names, const char* comment) override {
    add(name, yaml_text(value), "one of " + joined(names), comment);
  }
  void nested(const char* name, const char* comment, const ConfigFieldList& inner) override {
    add(name, "", "", comment);
    const std::string outer = prefix_;
    prefix_ = path(name) + ".";
    inner(*this);
    prefix_ = outer;
  }

 private:
  void add(const char* name, const std::string& value, const std::string& allowed, const char* comment) {
    fields.push_back({path(name), value, allowed, comment});
  }
};

}  // namespace

void load_fields(const ConfigSource& source, const ConfigFieldList& fields) {
  LoadVisitor visitor(source.root());
  fields(visitor);
  visitor.finish();
}

std::vector<ConfigField> list_fields(const ConfigFieldList& fields) {
  ListVisitor visitor;
  fields(visitor);
  return visitor.fields;
}

std::string print_fields(const ConfigFieldList& fields, bool comments) {
  std::string result;
  for (const ConfigField& field : list_fields(fields)) {
    const std::size_t depth = static_cast<std::size_t>(std::count(field.key.begin(), field.key.end(), '.'));
    const std::string name = field.key.substr(field.key.rfind('.') + 1);  // npos + 1 is 0: the whole key
    std::string line = std::string(2 * depth, ' ') + name + ":" + (field.allowed.empty() ? "" : " " + field.value);
    if (comments && !field.comment.empty()) {
      line.append(line.size() < 40 ? 40 - line.size() : 2, ' ');
      line += "# " + field.comment;
    }
    result += line + "\n";
  }
  return result;
}

}  // namespace wari
