#include "app/server/run_files.h"

#include <algorithm>
#include <system_error>

namespace wari {

bool lies_within(const std::filesystem::path& path, const std::filesystem::path& run) {
  std::error_code failed;
  const std::filesystem::path file = std::filesystem::canonical(path, failed);
  if (failed) return false;
  const std::filesystem::path folder = std::filesystem::canonical(run, failed);
  return !failed && std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

}  // namespace wari
