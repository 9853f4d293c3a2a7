#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "endgame/level.h"
#include "endgame/view.h"

// A table of endgames: for every board of up to so many seeds what the player to move will take from here on more than the opponent, a byte a board.
namespace wari {

// A table's file, mapped into memory: header with format, rules and checksums, then the values. All of it is checked when it is opened.
class EndgameTable {
 public:
  // Throws Error where the file is missing, damaged, cut short, no table, or of another format.
  static EndgameTable open(const std::filesystem::path& file);
  EndgameTable(EndgameTable&&) noexcept;
  EndgameTable& operator=(EndgameTable&&) noexcept;
  ~EndgameTable();

  const Rules& rules() const { return rules_; }  // of endgame_rules(): the table serves every rule set that shares_endings() with it
  int seeds() const { return view_.seeds; }
  std::uint32_t boards() const { return first_board(*view_.numbering, view_.seeds + 1); }
  const EndgameView& view() const { return view_; }
  const std::filesystem::path& file() const { return file_; }
  const std::string& id() const { return id_; }  // a hash of header and values: what results were measured with

 private:
  EndgameTable() = default;
  struct Mapping;
  std::unique_ptr<Mapping> mapping_;
  EndgameView view_;
  Rules rules_;
  std::filesystem::path file_;
  std::string id_;
};

// Opens a table that shall serve these rules. Throws Error where it is of others too.
std::shared_ptr<const EndgameTable> open_table_for(const Rules& rules, const std::filesystem::path& file);

// The tables of a run or a player, one for each kind of rules.
using EndgameTables = std::vector<std::shared_ptr<const EndgameTable>>;
// Of the table that serves these rules; one that holds no board where there is none, or where the rules end a quiet game too soon for it.
EndgameView endgame_view(const EndgameTables& tables, const Rules& rules);

// Writes a table, whole or not at all. `values.split` becomes the bytes of the file; `values` is empty afterwards.
void write_endgame_table(const std::filesystem::path& file, const Rules& rules, int seeds, EndgameValues values);

// A legal move and what it is worth to the player to move, captured seeds included.
struct EndgameMove {
  int action;
  int seeds;
  bool exact;
};
// Of a position that the table holds; stores play no part. Empty where the player to move has no legal move.
std::vector<EndgameMove> endgame_moves(const EndgameTable& table, const Position& position);

struct EndgameCount {
  int seeds;
  std::uint64_t win = 0, draw = 0, loss = 0;  // boards by the value's sign
  std::uint64_t exact = 0;
  std::uint64_t boards() const { return win + draw + loss; }
};
std::vector<EndgameCount> count_endgames(const EndgameTable& table);  // [seeds], from 1

// Compares boards with what follows from their successors: all boards of a table of up to `most` boards, else `most` drawn at random.
struct EndgameCheck {
  std::uint64_t checked = 0;
  std::string fault;  // the first, as text; empty: none
};
EndgameCheck check_endgames(const EndgameTable& table, std::uint64_t most);

}  // namespace wari
