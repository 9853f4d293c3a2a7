#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "core/rules.h"

namespace wari {

struct EndgameBuild {
  Rules rules;                 // any that endgame_rules() takes
  int seeds = 0;               // every board of up to so many, at most kMostTableSeeds
  std::filesystem::path file;  // beside it stands FILE.building while the work lasts
  int workers = 1;
};

struct EndgameBuildProgress {
  int seeds = 0;         // being solved
  double share = 0;      // of the whole work, 0..1
  double seconds = 0;    // of this process
  double seconds_left = 0;
};

enum class EndgameBuildEnd { built, was_there, stopped };

// Solves seed count by seed count. After each, its values under all three ways to pay cycles go to FILE.building, with checksums; a build that was killed continues
// from there, and the file in the end is the same. A table of these rules and of at least as many seeds is left as it is; a smaller one is replaced.
// Returning false from `watch` stops after a moment. Throws Error where `file` or FILE.building is something else, or another build is at work on it.
// Memory: three bytes a board, and seven a board of the highest count (18 seeds: 0.5 GB).
EndgameBuildEnd build_endgame_table(const EndgameBuild& build, const std::function<bool(const EndgameBuildProgress&)>& watch = {});

}  // namespace wari
