#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wari {

// xxh3 of the bytes. The long one, 32 hexadecimal digits, names a whole file in a checkpoint; the short one guards the parts of a file.
std::string content_hash(std::string_view bytes);
std::uint64_t short_hash(std::string_view bytes);

}  // namespace wari
