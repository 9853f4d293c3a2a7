#pragma once

#include <cstdint>
#include <string_view>

namespace wari {

// A number for a name, to make seeds of: the same on every build (FNV-1a).
inline std::uint64_t name_number(std::string_view name) {
  std::uint64_t h = 0xcbf29ce484222325ULL;
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return h;
}

}  // namespace wari
