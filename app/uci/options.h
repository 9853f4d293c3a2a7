#pragma once

#include <string>
#include <vector>

#include "app/engine.h"
#include "app/engine_strength.h"
#include "app/uci/parse.h"

namespace wari {

// What `setoption` sets; the command line sets the same beforehand.
struct UciOptions {
  EngineSettings engine;
  bool rules_chosen = false;    // else they are the checkpoint's
  int visits = 0;               // Strength; 0: no limit
  bool limit_strength = false;  // UCI_LimitStrength
  int elo = kHighestElo;        // UCI_Elo
  bool show_wdl = false;        // UCI_ShowWDL
  bool ponder = false;          // Ponder: the other program may say `go ponder`; nothing depends on it
  int overhead_ms = 20;         // MoveOverhead
  std::string log_file;         // LogFile; empty: none

  Strength strength() const;
};

// The lines that answer `uci`: "option name Threads type spin default 2 min 1 max 1024".
std::vector<std::string> option_lines(const UciOptions& options);

// Throws Error where there is no such option or no such value, and changes nothing then. Files are not looked for.
void set_option(UciOptions& options, const UciOption& option);

}  // namespace wari
