#pragma once

#include "selfplay/bytes.h"
#include "selfplay/game_record.h"

namespace wari {

// The packed form of one game, finished or in flight, in shards and in lanes.bin: 34 bytes, then 8 bytes a ply and, where it has a policy target, 2 more and 2 for
// each action with a share.
inline constexpr std::size_t kLeastGameBytes = 34;
void pack_game(const GameRecord& game, ByteWriter& out);
GameRecord unpack_game(ByteReader& in);

// zstd with its own checksum of the contents off: files carry theirs. `bytes` of the other direction is the size to expect.
std::string compress(std::string_view bytes);
std::string decompress(std::string_view packed, std::size_t bytes, const std::string& name);

}  // namespace wari
