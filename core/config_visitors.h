#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/config.h"

namespace wari {

using Weights = std::vector<std::pair<std::string, int>>;

// What a struct's field list talks to. The typed front reduces every field to one of a few kinds, so that the visitors themselves are compiled once.
class ConfigVisitor {
 public:
  virtual ~ConfigVisitor() = default;

  template <class Number>
  void number(const char* name, Number& value, std::type_identity_t<Number> low, std::type_identity_t<Number> high, const char* comment) {
    static_assert(std::is_arithmetic_v<Number> && !std::is_same_v<Number, bool>);
    if constexpr (std::is_floating_point_v<Number>) {
      double wide = static_cast<double>(value);
      real(name, wide, static_cast<double>(low), static_cast<double>(high), comment);
      value = static_cast<Number>(wide);
    } else {
      std::int64_t wide = narrowed(value);
      integer(name, wide, narrowed(low), narrowed(high), comment);
      value = static_cast<Number>(wide);
    }
  }

  // `value` is a std::string or an enum whose values 0, 1, ... have these names.
  template <class Value>
  void choice(const char* name, Value& value, const std::vector<std::string>& names, const char* comment) {
    if constexpr (std::is_enum_v<Value>) {
      std::string text = names.at(static_cast<std::size_t>(value));
      one_of(name, text, names, comment);
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == text) value = static_cast<Value>(i);
      }
    } else {
      one_of(name, value, names, comment);
    }
  }

  template <class Settings>
  void group(const char* name, Settings& settings, const char* comment) {
    nested(name, comment, [&settings](ConfigVisitor& v) { settings.fields(v); });
  }

  virtual void flag(const char* name, bool& value, const char* comment) = 0;
  virtual void text(const char* name, std::string& value, const char* comment) = 0;
  virtual void list(const char* name, std::vector<std::string>& values, const char* comment) = 0;
  // One name (weight 1) or a map from names to whole weights of at least 1.
  virtual void weights(const char* name, Weights& values, const char* comment) = 0;

 protected:
  virtual void integer(const char* name, std::int64_t& value, std::int64_t low, std::int64_t high, const char* comment) = 0;
  virtual void real(const char* name, double& value, double low, double high, const char* comment) = 0;
  virtual void one_of(const char* name, std::string& value, const std::vector<std::string>& names, const char* comment) = 0;
  virtual void nested(const char* name, const char* comment, const std::function<void(ConfigVisitor&)>& fields) = 0;

 private:
  template <class Integer>
  static std::int64_t narrowed(Integer value) {
    if constexpr (std::is_unsigned_v<Integer> && sizeof(Integer) == 8) {
      constexpr auto most = std::numeric_limits<std::int64_t>::max();
      return value > static_cast<Integer>(most) ? most : static_cast<std::int64_t>(value);
    } else {
      return static_cast<std::int64_t>(value);
    }
  }
};

// One key for documentation and comparison.
struct ConfigField {
  std::string key;      // dotted
  std::string value;    // as config_yaml() writes it
  std::string allowed;  // "1 .. 1048576", "one of a, b", "true or false", ...; empty for a group
  std::string comment;
};

using ConfigFieldList = std::function<void(ConfigVisitor&)>;

// The type-erased halves of the templates below.
void load_fields(const ConfigSource& source, const ConfigFieldList& fields);
std::string print_fields(const ConfigFieldList& fields, bool comments);
std::vector<ConfigField> list_fields(const ConfigFieldList& fields);  // groups included

// Fills `settings` from the source; what the source does not mention keeps its default. Nothing is changed where Error is thrown.
template <class Settings>
void load_config(Settings& settings, const ConfigSource& source) {
  Settings loaded = settings;
  load_fields(source, [&loaded](ConfigVisitor& v) { loaded.fields(v); });
  settings = std::move(loaded);
}

// The resolved configuration as YAML that load_config() reads back as the same settings.
template <class Settings>
std::string config_yaml(Settings& settings, bool comments = true) {
  return print_fields([&settings](ConfigVisitor& v) { settings.fields(v); }, comments);
}

template <class Settings>
std::vector<ConfigField> config_fields(Settings& settings) {
  return list_fields([&settings](ConfigVisitor& v) { settings.fields(v); });
}

// Dotted key and text of every value, in order.
template <class Settings>
std::vector<std::pair<std::string, std::string>> config_values(Settings& settings) {
  std::vector<std::pair<std::string, std::string>> values;
  for (const ConfigField& field : config_fields(settings)) {
    if (!field.allowed.empty()) values.emplace_back(field.key, field.value);
  }
  return values;
}

}  // namespace wari
