#pragma once

#include <map>
#include <span>
#include <vector>

#include "endgame/table.h"

namespace wari {

// The endgame tables of an executor's rule sets, where its steps can read them: the mapped files on the host, copies in a device's memory.
template <class Executor>
class EndgameViews {
 public:
  template <class T>
  using Array = typename Executor::template Array<T>;

  EndgameViews(const EndgameTables& tables, std::span<const Rules> rules) : tables_(tables) {
    std::vector<EndgameView> views;
    bool any = false;
    for (const Rules& set : rules) {
      views.push_back(endgame_view(tables, set));
      any |= views.back().values != nullptr;
    }
    if (!any) return;
    if constexpr (Executor::kOnDevice) copy(views);
    views_ = Array<EndgameView>(views.size(), "endgame tables of rules");
    views_.write(views);
    any_ = true;
  }

  const EndgameView* data() const { return any_ ? views_.data() : nullptr; }  // [rule sets]

 private:
  void copy(std::vector<EndgameView>& views) {
    numbering_ = Array<EndgameNumbering>(1, "endgame numbering");
    numbering_.write({&endgame_numbering(), 1});
    std::map<const std::uint8_t*, const std::uint8_t*> copies;  // each table once
    for (EndgameView& view : views) {
      if (view.values == nullptr) continue;
      if (!copies.contains(view.values)) {
        const std::size_t boards = first_board(endgame_numbering(), view.seeds + 1);
        values_.push_back(Array<std::uint8_t>(boards, "endgame table"));
        values_.back().write(std::span(view.values, boards));
        copies[view.values] = values_.back().data();
      }
      view.values = copies[view.values];
      view.numbering = numbering_.data();
    }
  }

  EndgameTables tables_;                     // stay mapped
  Array<EndgameView> views_;                 // [rule sets]
  Array<EndgameNumbering> numbering_;        // [1]
  std::vector<Array<std::uint8_t>> values_;  // [boards] each
  bool any_ = false;
};

}  // namespace wari
