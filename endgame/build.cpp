#include "endgame/build.h"

#include <chrono>

#include "core/error.h"
#include "core/log.h"
#include "endgame/building_file.h"
#include "endgame/endgame_rules.h"
#include "endgame/table.h"

namespace wari {
namespace {

// True if there is nothing left to do; a smaller table is to be replaced. What is no table of these rules is not to be written over.
bool is_there(const EndgameBuild& build, const Rules& rules) {
  if (!std::filesystem::exists(build.file)) return false;
  const EndgameTable table = EndgameTable::open(build.file);
  if (table.rules() != rules)
    throw Error("this is a table for '" + rules_name(table.rules()) + "', not for '" + rules_name(rules) + "': '" + build.file.string() + "': choose another --out");
  if (table.seeds() < build.seeds) return false;
  if (table.seeds() > build.seeds) log_info("'{}' holds {} seeds already", build.file.string(), table.seeds());
  return true;
}

// The work is about the same for every board.
class BuildWatch {
 public:
  BuildWatch(int seeds, const std::function<bool(const EndgameBuildProgress&)>& watch) : all_(boards_below(seeds + 1)), watch_(watch) {}
  void begin(int level) {
    level_ = level;
    if (first_ < 0) first_ = boards_below(level);
  }
  bool operator()(std::uint64_t done) const {
    if (!watch_) return true;
    const double boards = boards_below(level_) + static_cast<double>(done) / 4;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    const double rate = boards > first_ ? seconds / (boards - first_) : 0;
    return watch_({level_, boards / all_, seconds, rate * (all_ - boards)});
  }

 private:
  static double boards_below(int level) { return first_board(endgame_numbering(), level); }
  double all_;
  double first_ = -1;  // boards that an earlier process solved
  int level_ = 0;
  const std::function<bool(const EndgameBuildProgress&)>& watch_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

EndgameBuildEnd build_endgame_table(const EndgameBuild& build, const std::function<bool(const EndgameBuildProgress&)>& watch) {
  const Rules rules = endgame_rules(build.rules);
  if (build.seeds < 1 || build.seeds > kMostTableSeeds)
    throw Error("a table of " + std::to_string(build.seeds) + " seeds: '" + build.file.string() + "': from 1 to " + std::to_string(kMostTableSeeds) + " can be built");
  if (is_there(build, rules)) return EndgameBuildEnd::was_there;
  BuildingFile building(build.file.string() + ".building", rules);
  EndgameValues values;
  BuildWatch progress(build.seeds, watch);
  for (int level = building.read(values, build.seeds); level <= build.seeds; ++level) {
    progress.begin(level);
    if (!solve_level({rules, level, build.workers}, values, [&](std::uint64_t done) { return progress(done); })) return EndgameBuildEnd::stopped;
    building.append(values, level);
  }
  write_endgame_table(build.file, rules, build.seeds, std::move(values));
  building.remove();
  return EndgameBuildEnd::built;
}

}  // namespace wari
