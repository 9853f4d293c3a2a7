#include "arena/collect.h"

#include <map>
#include <set>

#include "core/error.h"
#include "core/nearest.h"

namespace wari {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOfARun = "iteration ";

std::string without_slash(std::string name) {
  while (name.size() > 1 && name.back() == '/') name.pop_back();
  return name;
}

void add_source(const fs::path& source, std::vector<StoredMatch>& all) {
  const bool is_run = fs::is_directory(source);
  const fs::path file = is_run ? source / "results.sqlite" : source;
  if (!fs::exists(file)) throw Error("no results: " + quote(file.string()) + ": give a run's folder, or the file of 'wari tournament --database'");
  const std::string name = without_slash(source.string());
  for (StoredMatch match : ResultsDatabase(file).matches()) {
    for (std::string* player : {&match.a, &match.b}) {
      if (is_run && player->starts_with(kOfARun)) *player = name + " " + *player;
    }
    if (is_run) match.key = name + ": " + match.key;
    all.push_back(std::move(match));
  }
}

}  // namespace

std::vector<StoredMatch> collect_results(const std::vector<fs::path>& sources) {
  std::vector<StoredMatch> all;
  for (const fs::path& source : sources) add_source(source, all);
  std::map<std::string, std::set<std::string>> versions;
  for (const StoredMatch& match : all) {
    versions[match.a].insert(match.a_version);
    versions[match.b].insert(match.b_version);
  }
  const auto tell_apart = [&versions](std::string& player, const std::string& version) {
    if (versions.at(player).size() > 1) player += " [" + version.substr(0, 8) + "]";
  };
  for (StoredMatch& match : all) {
    tell_apart(match.a, match.a_version);
    tell_apart(match.b, match.b_version);
  }
  std::set<std::string> keys;
  std::erase_if(all, [&keys](const StoredMatch& match) { return !keys.insert(match.key).second; });  // the same source, or the same pairing, given twice
  return all;
}

}  // namespace wari
