#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "endgame/build.h"
#include "endgame/table.h"
#include "search/settings.h"

namespace wari {

// Keys under `selfplay.endgame`: the tables of a run and what self-play takes from them. With nothing taken they still serve whoever plays the run's networks.
struct EndgameSettings {
  int seeds = 0;
  TableSearch search = TableSearch::proven;
  double adjudicated_share = 1.0;
  bool labels = true;
  std::string folder;

  template <class Visitor>
  void fields(Visitor& v) {
    v.number("seeds", seeds, 0, kMostTableSeeds, "boards of up to so many seeds are solved before the first game, for what follows and for the engine that plays the run's networks; 0: none (12 take a second and 2.7 MB, 18 a minute and 86 MB)");
    v.choice("search", search, {"none", "proven", "all"},
             "leaves of the search are looked up. proven: right after a capture, where the value holds whatever a cycle pays; all: elsewhere too, as an estimate in place of the network's, which made play worse (docs/training.md)");
    v.number("adjudicated_share", adjudicated_share, 0.0, 1.0, "share of the games that end as soon as the table knows their result, right after a capture; the others are played on");
    v.flag("labels", labels, "positions learn the value that the table gives to the next position of their game where it holds whatever a cycle pays, not what the players made of it");
    v.text("folder", folder, "where tables are kept, to be shared by runs; empty: in the run's own folder");
  }
};

// The tables for these rule sets, built first where the folder (the settings', else `otherwise`) does not hold them. A rule set whose endings cannot be solved, or
// that ends quiet games too soon, goes without, which the log says. Nothing where `watch` stopped a build, which then goes on the next time.
std::optional<EndgameTables> prepare_endgame_tables(const EndgameSettings& settings, std::span<const Rules> rules, const std::filesystem::path& otherwise, int workers,
                                                    const std::function<bool(const EndgameBuildProgress&)>& watch = {});

}  // namespace wari
