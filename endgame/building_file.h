#pragma once

#include <filesystem>

#include "endgame/level.h"

namespace wari {

// What a build has solved so far: a header with the rules, then for each seed count the split, low and high values, each with its checksum.
class BuildingFile {
 public:
  // Opens or creates, and takes the lock. Throws Error where another build holds it, or the file is of other rules or of another format.
  BuildingFile(std::filesystem::path file, const Rules& rules);
  ~BuildingFile();
  BuildingFile(const BuildingFile&) = delete;
  BuildingFile& operator=(const BuildingFile&) = delete;

  // Adds what is there of the levels 0..most to `values`, and cuts off what a kill left half-written or damaged. Returns how many levels there were.
  int read(EndgameValues& values, int most);
  void append(const EndgameValues& values, int level);
  void remove();

 private:
  std::filesystem::path file_;
  int descriptor_;
};

}  // namespace wari
