#include "selfplay/record_codec.h"

#include <fmt/core.h>
#include <zstd.h>

#include <algorithm>

namespace wari {
namespace {

constexpr std::uint8_t kHasPolicy = 0x80;  // beside the action
constexpr int kCompressionLevel = 1;       // policies are close to noise: higher levels cost time and save a few per cent

void pack_ply(const PlyRecord& ply, ByteWriter& out) {
  std::uint16_t shares = 0;
  for (int action = 0; action < kActions; ++action) {
    if (ply.policy[action] != 0) shares = static_cast<std::uint16_t>(shares | 1u << action);
  }
  out.put(static_cast<std::uint8_t>(ply.action | (shares != 0 ? kHasPolicy : 0)));
  out.put(ply.flags);
  out.put(ply.root_value);
  out.put(ply.network_value);
  out.put(ply.surprise);
  if (shares == 0) return;
  out.put(shares);
  for (int action = 0; action < kActions; ++action) {
    if (shares >> action & 1) out.put(ply.policy[action]);
  }
}

PlyRecord unpack_ply(ByteReader& in) {
  PlyRecord ply;
  const auto action = in.get<std::uint8_t>();
  ply.action = action & 0x7f;
  ply.flags = in.get<std::uint8_t>();
  ply.root_value = in.get<std::int16_t>();
  ply.network_value = in.get<std::int16_t>();
  ply.surprise = in.get<std::uint16_t>();
  if (action & kHasPolicy) {
    const auto shares = in.get<std::uint16_t>();
    for (int a = 0; a < kActions; ++a) {
      if (shares >> a & 1) ply.policy[a] = in.get<std::uint16_t>();
    }
  }
  return ply;
}

}  // namespace

void pack_game(const GameRecord& game, ByteWriter& out) {
  out.put(game.game);
  out.put(game.rules_index);
  out.put(game.end);
  out.put(game.south_half_seeds);
  out.put(game.north_half_seeds);
  out.put(game.start.mover);
  out.put(game.start.opponent);
  out.put(static_cast<std::uint32_t>(game.plies.size()));
  for (const PlyRecord& ply : game.plies) pack_ply(ply, out);
}

GameRecord unpack_game(ByteReader& in) {
  GameRecord game;
  game.game = in.get<std::int64_t>();
  game.rules_index = in.get<std::uint8_t>();
  game.end = in.get<End>();
  game.south_half_seeds = in.get<std::int16_t>();
  game.north_half_seeds = in.get<std::int16_t>();
  game.start.mover = in.get<Row>();
  game.start.opponent = in.get<Row>();
  const auto plies = in.get<std::uint32_t>();
  game.plies.reserve(std::min<std::size_t>(plies, in.left() / 8));  // 8 bytes a ply at least: a damaged count asks for no memory
  for (std::uint32_t i = 0; i < plies; ++i) game.plies.push_back(unpack_ply(in));
  return game;
}

std::string compress(std::string_view bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), kCompressionLevel);
  if (ZSTD_isError(size)) throw system_error(fmt::format("cannot compress {} bytes: {}: free some memory", bytes.size(), ZSTD_getErrorName(size)));
  packed.resize(size);
  return packed;
}

std::string decompress(std::string_view packed, std::size_t bytes, const std::string& name) {
  std::string contents(bytes, '\0');
  const std::size_t size = ZSTD_decompress(contents.data(), contents.size(), packed.data(), packed.size());
  if (ZSTD_isError(size) || size != bytes) throw Error(fmt::format("damaged (it does not decompress): '{}': restore the file from a copy or remove it", name));
  return contents;
}

}  // namespace wari
