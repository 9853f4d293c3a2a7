#include "selfplay/selfplay.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/game.h"
#include "selfplay/assembler.h"
#include "selfplay/lanes_file.h"
#include "selfplay/worker_team.h"

namespace wari {

struct Selfplay::State {
  // Everything that one thread touches while it runs.
  struct Worker {
    std::unique_ptr<SelfplayEngine> engine;
    GameAssembler assembler;
    std::vector<GameRecord> finished;
  };

  State(const SelfplaySettings& s, SelfplayOptions o, const Evaluator& e)
      : settings(s), options(std::move(o)), evaluator(e.clone()), team(std::clamp(options.workers, 1, s.lanes)) {
    if (!options.make_engine) options.make_engine = [](const SelfplayEngineSettings& es, std::unique_ptr<Evaluator> ev) { return make_cpu_selfplay_engine(es, std::move(ev)); };
    make_workers(0);
  }

  std::int64_t first_lane(int worker) const { return std::int64_t{settings.lanes} * worker / team.workers(); }

  void make_workers(std::int64_t first_game) {
    for (const Worker& worker : workers) before.add(worker.engine->counters());
    workers.clear();
    for (int w = 0; w < team.workers(); ++w) {
      SelfplayEngineSettings engine;
      engine.search = settings.search;
      engine.play = settings.play;
      engine.rules = options.rules.rules;
      engine.rules_cycle = options.rules.cycle;
      engine.tables = options.tables;
      engine.search_tables = settings.endgame.search;
      engine.adjudicated_share = settings.endgame.adjudicated_share;
      engine.seed = options.seed;
      engine.first_lane = first_lane(w);
      engine.lanes = static_cast<int>(first_lane(w + 1) - first_lane(w));
      engine.total_lanes = settings.lanes;
      engine.first_game = first_game;
      engine.games_end = options.games_end;
      workers.push_back({options.make_engine(engine, evaluator->clone()), GameAssembler(options.rules.rules), {}});
    }
  }

  // The game of a lane as far as it was played; one without a move yet starts from the rules' position.
  GameRecord record_of(const Worker& worker, const LaneState& lane) const {
    if (lane.game < 0) return {};
    if (const GameRecord* record = worker.assembler.in_flight(lane.game)) {
      if (record->length() != lane.ply) throw system_error(fmt::format("game {} stands at ply {} but {} plies were logged: report this as a fault", lane.game, lane.ply, record->length()));
      return *record;
    }
    GameRecord fresh;
    fresh.game = lane.game;
    fresh.rules_index = lane.rules_index;
    fresh.start = start_position(options.rules.rules.at(lane.rules_index));
    return fresh;
  }

  SelfplaySettings settings;
  SelfplayOptions options;
  std::unique_ptr<Evaluator> evaluator;   // workers hold clones
  WorkerTeam team;
  std::vector<Worker> workers;
  EngineCounters before;                  // of engines that load() replaced
};

Selfplay::Selfplay(const SelfplaySettings& settings, SelfplayOptions options, const Evaluator& evaluator)
    : state_(std::make_unique<State>(settings, std::move(options), evaluator)) {}

Selfplay::~Selfplay() = default;

void Selfplay::run(int waves, std::vector<GameRecord>& finished) {
  state_->team.run([&](int w) {
    State::Worker& worker = state_->workers[static_cast<std::size_t>(w)];
    worker.engine->play(waves, [&worker](std::span<const MoveRecord> moves) { worker.assembler.add(moves, worker.finished); });
  });
  const auto first_new = static_cast<std::ptrdiff_t>(finished.size());
  for (State::Worker& worker : state_->workers) {
    std::move(worker.finished.begin(), worker.finished.end(), std::back_inserter(finished));
    worker.finished.clear();
  }
  std::sort(finished.begin() + first_new, finished.end(), [](const GameRecord& a, const GameRecord& b) { return a.game < b.game; });
}

bool Selfplay::all_idle() const {
  return std::all_of(state_->workers.begin(), state_->workers.end(), [](const State::Worker& worker) { return worker.engine->all_idle(); });
}

void Selfplay::hold_games_from(std::int64_t number) {
  for (State::Worker& worker : state_->workers) worker.engine->set_games_end(std::min(number, state_->options.games_end));
}

void Selfplay::set_evaluator(const Evaluator& evaluator) {
  state_->evaluator = evaluator.clone();
  for (State::Worker& worker : state_->workers) {
    worker.engine->restart_searches();
    worker.engine->set_evaluator(evaluator.clone());
  }
}

std::string Selfplay::save() {
  std::vector<GameRecord> lanes;
  for (State::Worker& worker : state_->workers) {
    worker.engine->restart_searches();
    for (const LaneState& lane : worker.engine->save()) lanes.push_back(state_->record_of(worker, lane));
  }
  return pack_lanes(lanes, state_->options.rules.rules);
}

std::int64_t Selfplay::load(std::string_view bytes, const std::string& name) {
  const std::vector<Rules>& rules = state_->options.rules.rules;
  std::vector<GameRecord> lanes = unpack_lanes(bytes, rules, name);
  if (lanes.size() != static_cast<std::size_t>(state_->settings.lanes)) {
    std::int64_t dropped = 0, above = 0;
    for (const GameRecord& game : lanes) {
      dropped += game.game >= 0;
      above = std::max(above, game.game + 1);
    }
    state_->make_workers(above);
    return dropped;
  }
  for (int w = 0; w < workers(); ++w) {
    State::Worker& worker = state_->workers[static_cast<std::size_t>(w)];
    std::vector<LaneState> states;
    worker.assembler.clear();
    for (std::int64_t lane = state_->first_lane(w); lane < state_->first_lane(w + 1); ++lane) {
      GameRecord& game = lanes[static_cast<std::size_t>(lane)];
      states.push_back(lane_state(game, rules));
      if (game.length() > 0) worker.assembler.resume(std::move(game));
    }
    worker.engine->load(states);
  }
  return 0;
}

EngineCounters Selfplay::counters() const {
  EngineCounters sum = state_->before;
  for (const State::Worker& worker : state_->workers) sum.add(worker.engine->counters());
  return sum;
}

int Selfplay::lanes() const { return state_->settings.lanes; }
int Selfplay::workers() const { return state_->team.workers(); }

}  // namespace wari
