#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/position.h"

// What alpha-beta remembers of positions: bounds on values and the move that was best.
namespace wari {

// Owners are left out: values are the mover's, so a position and its mirror image share an entry.
inline std::uint64_t position_hash(const Position& position) {
  constexpr std::uint64_t kSeedsMask = (std::uint64_t{1} << kOwnerShift) - 1;
  const std::uint64_t a = (position.mover & kSeedsMask) * 0x9e3779b97f4a7c15ULL;
  const std::uint64_t b = (position.opponent & kSeedsMask) * 0xc2b2ae3d27d4eb4fULL;
  std::uint64_t h = a ^ (b >> 32 | b << 32);
  h ^= h >> 29;
  h *= 0xbf58476d1ce4e5b9ULL;
  return h ^ (h >> 32);
}

enum class Bound : std::uint8_t { none, lower, upper, exact };

struct TableEntry {
  std::uint64_t key = 0;
  std::int16_t value = 0;
  std::uint8_t depth = 0;  // moves that the value looked ahead
  Bound bound = Bound::none;
  std::int8_t move = -1;
  std::uint8_t age = 0;  // of the search that wrote it
  std::uint16_t unused = 0;
};
static_assert(sizeof(TableEntry) == 16);

// Four entries a cache line; a position has one entry, the newest.
class TranspositionTable {
 public:
  explicit TranspositionTable(std::size_t bytes) {
    std::size_t clusters = 1;
    while (2 * clusters * sizeof(Cluster) <= bytes) clusters *= 2;
    clusters_.resize(clusters);
  }

  void clear() { clusters_.assign(clusters_.size(), Cluster{}); }
  void new_search() { ++age_; }

  void prefetch(std::uint64_t key) const { __builtin_prefetch(&clusters_[key & (clusters_.size() - 1)]); }

  const TableEntry* find(std::uint64_t key) const {
    const Cluster& cluster = clusters_[key & (clusters_.size() - 1)];
    for (const TableEntry& entry : cluster.entries) {
      if (entry.key == key && entry.bound != Bound::none) return &entry;
    }
    return nullptr;
  }

  void store(std::uint64_t key, int depth, int value, Bound bound, int move) {
    Cluster& cluster = clusters_[key & (clusters_.size() - 1)];
    TableEntry* place = &cluster.entries[0];
    int least = 1 << 20;
    for (TableEntry& entry : cluster.entries) {
      if (entry.key == key && entry.bound != Bound::none) {
        place = &entry;
        break;
      }
      // Empty places first, then what older searches left, then what was cheapest to find out.
      const int worth = entry.bound == Bound::none ? -1 : (entry.age == age_ ? 256 : 0) + entry.depth;
      if (worth < least) {
        least = worth;
        place = &entry;
      }
    }
    place->key = key;
    place->value = static_cast<std::int16_t>(value);
    place->depth = static_cast<std::uint8_t>(depth);
    place->bound = bound;
    place->move = static_cast<std::int8_t>(move);
    place->age = age_;
  }

 private:
  struct alignas(64) Cluster {
    TableEntry entries[4];
  };
  std::vector<Cluster> clusters_;
  std::uint8_t age_ = 0;
};

}  // namespace wari
