#include "app/server/engine_pool.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

namespace wari {
namespace {

constexpr std::size_t kRecentEngines = 3;

// A run that was begun anew has other weights under the same name, so the time of writing is part of it.
std::string key_of(const std::optional<NamedCheckpoint>& checkpoint, bool table, const Rules& rules) {
  std::string key = (table ? "table\n" : "\n") + rules_name(rules);
  if (!checkpoint) return key;
  std::error_code failed;
  const auto written = std::filesystem::last_write_time(checkpoint->folder / "checkpoint.json", failed);
  return fmt::format("{}\n{}\n{}", key, checkpoint->folder.string(), failed ? 0 : written.time_since_epoch().count());
}

// Does `game` go on from `earlier`, or stand at it? Then how many plies of it are known; else -1.
int plies_in_common(const Game& earlier, const Game& game) {
  const auto before = earlier.actions(), now = game.actions();
  const bool goes_on = earlier.start() == game.start() && before.size() <= now.size() && std::equal(before.begin(), before.end(), now.begin());
  return goes_on ? earlier.plies() : -1;
}

}  // namespace

std::shared_ptr<const Engine> EnginePool::engine(const std::optional<NamedCheckpoint>& checkpoint, bool table, const Rules& rules) {
  const std::string key = key_of(checkpoint, table, rules);
  const std::lock_guard lock(loading_);
  std::erase_if(engines_, [](const auto& entry) { return entry.second.expired(); });
  for (const auto& [known, engine] : engines_) {
    if (known != key) continue;
    if (auto found = engine.lock()) return found;
  }
  EngineSettings settings;
  settings.checkpoint = checkpoint ? checkpoint->folder.string() : "";
  settings.rules = rules;
  settings.threads = settings_.threads;
  settings.memory_mb = settings_.tree_mb;
  settings.tree = false;  // each seat has its own
  if (!table) settings.table = kNoTable;
  auto loaded = std::make_shared<Engine>(load_engine(settings));
  engines_.emplace_back(key, loaded);
  recent_.push_front(loaded);
  if (recent_.size() > kRecentEngines) recent_.pop_back();
  return loaded;
}

EnginePool::Seat* EnginePool::find_seat(const std::string& key, const Game& game, bool brief) {
  const auto used = std::count_if(seats_.begin(), seats_.end(), [](const Seat& seat) { return seat.in_use; });
  if (!brief && used >= settings_.trees - settings_.trees / 3) return nullptr;
  Seat* best = nullptr;
  int most = -1;
  for (Seat& seat : seats_) {
    const int known = seat.in_use || seat.key != key || !seat.game ? -1 : plies_in_common(*seat.game, game);
    if (known > most) {
      most = known;
      best = &seat;
    }
  }
  if (best != nullptr) return best;
  if (seats_.size() < static_cast<std::size_t>(settings_.trees)) return &seats_.emplace_back();
  for (Seat& seat : seats_) {
    if (!seat.in_use && (best == nullptr || seat.last_use < best->last_use)) best = &seat;
  }
  return best;
}

std::optional<EnginePool::Use> EnginePool::take(const Wish& wish, const Game& game, const std::function<bool()>& give_up) {
  // Trees that must know nothing are others than those that are kept, or a weak opponent's moves would cost the analysis of the same game its tree.
  const std::string key = key_of(wish.checkpoint, wish.table, game.rules()) + (wish.fresh ? "\nfresh" : "");
  Seat* seat = nullptr;
  {
    std::unique_lock lock(mutex_);
    while ((seat = find_seat(key, game, wish.brief)) == nullptr) {
      lock.unlock();
      if (give_up && give_up()) return std::nullopt;
      lock.lock();
      freed_.wait_for(lock, std::chrono::milliseconds(50));
    }
    seat->in_use = true;
  }
  Use use(*this, *seat);  // from here on the seat is this thread's, and goes back whatever happens
  if (seat->key != key || !seat->thinker) {
    seat->key.clear();
    seat->game.reset();
    seat->thinker.reset();
    seat->engine.reset();
    seat->engine = engine(wish.checkpoint, wish.table, game.rules());
    seat->thinker = make_thinker(seat->engine->thinker_settings, *seat->engine->evaluator);
    seat->key = key;
  }
  seat->game.reset();
  if (wish.fresh) seat->thinker->forget();
  seat->thinker->set_game(game);
  seat->game = game;
  return use;
}

void EnginePool::give_back(Seat& seat) {
  {
    const std::lock_guard lock(mutex_);
    seat.in_use = false;
    seat.last_use = ++uses_;
  }
  freed_.notify_all();  // one woken alone may not be entitled to it
}

}  // namespace wari
