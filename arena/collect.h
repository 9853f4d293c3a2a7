#pragma once

#include <filesystem>
#include <vector>

#include "arena/results.h"

namespace wari {

// The matches of several databases as one list: of runs (their folders) and of tournaments (files). A checkpoint of a run is named after it, "runs/a iteration
// 12"; players that share a name and differ in version get its first digits, "search:checkpoint=runs/a [1f3a5c79]". Keys stay unique: where they come from
// stands before them. Throws Error where one cannot be read.
std::vector<StoredMatch> collect_results(const std::vector<std::filesystem::path>& sources);

}  // namespace wari
