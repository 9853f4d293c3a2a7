#pragma once

#include <filesystem>

namespace wari {

// Does `path` exist within `run` when all links are followed? A run may come from somebody else, and its links must not show what only this machine's owner may read.
bool lies_within(const std::filesystem::path& path, const std::filesystem::path& run);

}  // namespace wari
