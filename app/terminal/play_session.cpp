#include "app/terminal/play_session.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "app/terminal/board_view.h"
#include "app/terminal/evaluation_view.h"
#include "core/durable_file.h"
#include "core/error.h"
#include "core/log.h"
#include "core/nearest.h"
#include "core/notation.h"
#include "core/random.h"

namespace wari {
namespace {

constexpr std::int64_t kShortLookVisits = 800;
constexpr double kShortLookSeconds = 0.3;
constexpr int kQuietPliesOfCircling = 30, kQuietPliesBetweenOffers = 20;

constexpr const char* kHelp =
    "  A..F      plays the pit of that letter, large or small; C- plays it and declines the capture (where the rules let you)\n"
    "  u         takes your last move back, and the answer to it\n"
    "  h, v      a hint; the value of each move\n"
    "  g         the gauge below the board on or off\n"
    "  o         you play the other side\n"
    "  n         a new game; r RULES one by other rules, r lists them\n"
    "  s FILE    saves the game as OGN; l FILE [N] loads one (the N-th of the file)\n"
    "  p         the position and the moves as text; p POSITION sets one up; m LINE plays moves of both sides, as in m FfEb\n"
    "  x         ends a game that goes in circles: each takes the own row\n"
    "  q         quits\n";

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

EngineSettings with_rules(EngineSettings settings, const Rules& rules) {
  settings.rules = rules;
  return settings;
}

bool exists(const std::string& file) {
  std::error_code failed;  // a name that is too long does not exist either
  return std::filesystem::exists(file, failed);
}

// Is its end a matter of what was agreed or decided, and not of the rules?
bool ended_early(const OgnGame& game) { return !game.game.is_over() && (!game.ended.empty() || !game.result.empty()); }

// The game of `argument`: a file, or a file and the number of its game.
OgnGame read_game(const std::string& argument, int& games) {
  std::string file = argument;
  std::size_t number = 1;
  const std::size_t space = argument.find_last_of(' ');
  if (!exists(file) && space != std::string::npos && argument.find_first_not_of("0123456789", space + 1) == std::string::npos && argument.size() - space < 8) {
    file = trimmed(argument.substr(0, space));
    number = std::stoul(argument.substr(space + 1));
  }
  std::vector<OgnGame> read = read_ogn(read_whole_file(file), file);
  games = static_cast<int>(read.size());
  if (number < 1 || number > read.size()) throw Error(fmt::format("no game {}: {}: the file holds {}", number, quote(file), read.size()));
  return std::move(read[number - 1]);
}

}  // namespace

PlaySession::PlaySession(SessionSettings settings, std::function<void(std::string_view)> say, std::function<bool()> stop)
    : settings_(std::move(settings)), say_(std::move(say)), stop_(std::move(stop)), game_(Game(engine_rules(settings_.engine))) {
  if (!settings_.load.empty()) {
    int games = 0;
    game_ = read_game(settings_.load, games);
    if (games > 1 && settings_.save == settings_.load)
      throw Error(fmt::format("the file holds {} games and would be left with this one: {}: give --save another name", games, quote(settings_.load)));
    if (settings_.engine.rules && !(*settings_.engine.rules == game().rules()))
      throw Error(fmt::format("the game is played by '{}': {}: leave --rules out", rules_name(game().rules()), quote(settings_.load)));
    if (games > 1) settings_.load.clear();  // nor is it written over later
  } else if (!settings_.position.empty()) {
    game_ = OgnGame(Game(game().rules(), parse_position(settings_.position, game().rules())));
  }
  if (!settings_.save.empty() && settings_.save != settings_.load && exists(settings_.save))
    throw Error(fmt::format("the file exists: {}: give --save another name, or go on with it by --load", quote(settings_.save)));
  engine_ = load_engine(with_rules(settings_.engine, game().rules()));
  agreed_ = ended_early(game_);
}

void PlaySession::start() {
  if (!settings_.save.empty()) write_followed();  // where that cannot be done it is said before anybody moves
  say_(fmt::format("{} by the rules '{}'{}; ? lists what you can type\n", engine_.name, rules_name(game().rules()),
                   engine_.table ? fmt::format(", endings of {} seeds known", engine_.table_seeds()) : ""));
  if (!engine_.note.empty()) say_(engine_.note + "\n");
  answer();
  prompt();
}

bool PlaySession::handle(const std::string& line) {
  const std::string words = trimmed(line);
  bool go_on = true;
  try {
    const std::size_t space = std::min(words.find(' '), words.size());
    const std::string command = words.substr(0, space);
    go_on = command.empty() || obey(command, trimmed(words.substr(space)));
  } catch (const std::exception& error) {  // std::filesystem has errors of its own
    say_(std::string(error.what()) + "\n");
  }
  if (go_on) prompt();
  return go_on;
}

bool PlaySession::obey(const std::string& command, const std::string& argument) {
  const bool alone = command.size() == 1 && argument.empty();
  if (command == "q" || command == "quit") return false;
  if (command == "?" || command == "help") {
    say_(kHelp);
  } else if (alone && command == "u") {
    take_back();
  } else if (alone && (command == "h" || command == "v")) {
    if (finished()) throw Error("the game is over: there is nothing to think about: u takes back, n begins anew");
    const RootResult result = think({}).root;
    say_(command == "v" ? analysis_table(game(), result, settings_.style) : fmt::format("hint: {} (expected: {})\n", move_text(game().position(), result.best), expected_line(game(), result)));
    say_(evaluation_line(game(), result, settings_.style));
  } else if (alone && command == "g") {
    settings_.evaluate = !settings_.evaluate;
    say_(settings_.evaluate ? "the gauge is on\n" : "the gauge is off\n");
    if (settings_.evaluate) show();
  } else if (alone && command == "o") {
    settings_.side = settings_.side == HumanSide::south ? HumanSide::north : HumanSide::south;
    say_(fmt::format("you play {} now\n", settings_.side == HumanSide::south ? "South" : "North"));
    answer();
  } else if (alone && command == "n") {
    begin(Game(game().rules()));
  } else if (command == "r") {
    argument.empty() ? show_rules() : set_rules(argument);
  } else if (command == "l") {
    load(argument);
  } else if (command == "s") {
    save(argument);
  } else if (command == "p") {
    show_position(argument);
  } else if (command == "m") {
    Game played = game();
    play_line(played, argument);
    for (std::size_t ply = static_cast<std::size_t>(game().plies()); ply < played.actions().size(); ++ply) play(played.actions()[ply]);
    answer();
  } else if (alone && command == "x") {
    end_circling_game();
  } else {
    play_words(argument.empty() ? command : command + " " + argument);
  }
  return true;
}

// A letter, large or small, is the pit of whoever is to move.
void PlaySession::play_words(const std::string& line) {
  const bool move = (line.size() == 1 || (line.size() == 2 && line[1] == '-')) && ((line[0] >= 'A' && line[0] <= 'F') || (line[0] >= 'a' && line[0] <= 'f'));
  if (!move) throw Error(fmt::format("{} is nothing to play: type a letter from A to F, or ? for all that can be typed", quote(line)));
  std::string text = line;
  text[0] = static_cast<char>((text[0] | 0x20) - (north_moves(game().position()) ? 0 : 0x20));
  play(parse_move(game(), text));
  answer();
}

void PlaySession::play(int action) {
  if (agreed_) throw Error("the game was ended: u takes that back, n begins anew");
  game_.game.play(action);
  game_.result.clear();
  game_.notes.resize(std::min(game_.notes.size(), static_cast<std::size_t>(game().plies()) - 1));
  if (game().quiet_plies() == 0) offered_at_ = 0;
}

bool PlaySession::human_moves() const {
  if (settings_.side == HumanSide::both) return true;
  return north_moves(game().position()) == (settings_.side == HumanSide::north);
}

void PlaySession::take_back() {
  if (agreed_) {
    agreed_ = false;
    game_.ended.clear();
    game_.result.clear();
    follow();
    return show();
  }
  Game earlier = game();
  const bool both = settings_.side == HumanSide::both;
  bool mine = false;
  while (!mine && earlier.plies() > 0) {
    earlier.take_back();
    mine = both || north_moves(earlier.position()) == (settings_.side == HumanSide::north);
  }
  if (!mine) throw Error("you have not moved yet: there is nothing to take back");
  game_.game = std::move(earlier);
  game_.result.clear();
  game_.notes.resize(std::min(game_.notes.size(), static_cast<std::size_t>(game().plies())));
  offered_at_ = 0;
  follow();
  show();
}

void PlaySession::begin(Game game) {
  set_aside();
  game_ = OgnGame(std::move(game));
  agreed_ = false;
  offered_at_ = 0;
  answer();
}

Thought PlaySession::think(const Strength& strength, bool short_look) {
  ThinkLimits limits;
  limits.visits = settings_.visits;
  if (strength.visits > 0) limits.visits = std::min(limits.visits.value_or(strength.visits), strength.visits);
  if (short_look) limits.visits = std::min(limits.visits.value_or(kShortLookVisits), kShortLookVisits);
  if (!settings_.visits) {
    const auto seconds = std::chrono::duration<double>(short_look ? std::min(kShortLookSeconds, settings_.seconds) : settings_.seconds);
    limits.deadline = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(seconds);
  }
  engine_.thinker->set_game(game());
  Progress progress;
  return engine_.thinker->think(limits, [&](const Thought& thought) {
    if (settings_.prompt) progress.update(fmt::format("thinking: {} visits, {}", thought.root.simulations, expected_line(game(), thought.root, 8)));
    return !stop_();
  });
}

void PlaySession::answer() {
  follow();
  while (!finished() && !human_moves() && !stop_()) {
    const RootResult result = think(settings_.strength).root;
    if (stop_()) return;
    const int ply = game().plies();
    play(choose_move(result, settings_.strength, random_bits(settings_.seed, 0, static_cast<std::uint32_t>(ply), Purpose::move_choice, 0)));
    game_.note(ply).comment = fmt::format("{:+.2f}, {:+.1f} seeds", result.value, result.margin);
    follow();
  }
  show();
}

void PlaySession::show() {
  say_("\n" + board_view(game(), {settings_.style, settings_.side == HumanSide::north, human_moves() && !finished()}));
  if (game().plies() > 0) say_(last_move_text(game()) + "\n");
  if (game().is_over()) return say_(painted(settings_.style, Paint::strong, outcome_text(game())) + "\n");
  if (agreed_) return say_(fmt::format("the game was ended at this position{}\n", game_.result.empty() ? "" : ", " + game_.result));
  if (settings_.evaluate) say_(evaluation_line(game(), think({}, true).root, settings_.style));
  offer_to_end();
}

void PlaySession::offer_to_end() {
  const std::vector<Position> past = game().since_capture();
  const bool repeated = std::count(past.begin(), past.end(), past.back()) > 1;
  const bool long_quiet = game().quiet_plies() >= std::max(kQuietPliesOfCircling, offered_at_ + kQuietPliesBetweenOffers);
  if (!repeated && !long_quiet) return;
  offered_at_ = game().quiet_plies();
  say_(fmt::format("{}: x ends the game here, and each takes the own row\n", repeated ? "this position was there before" : fmt::format("no capture for {} moves", game().quiet_plies())));
}

void PlaySession::end_circling_game() {
  if (finished()) throw Error("the game is over: u takes back, n begins anew");
  const std::vector<Position> past = game().since_capture();
  if (game().quiet_plies() < kQuietPliesOfCircling && std::count(past.begin(), past.end(), past.back()) < 2)
    throw Error("the game does not go in circles yet: it can be ended after 30 moves without a capture, or where a position repeats");
  const SideStores sides = side_stores(game(), End::quiet);
  agreed_ = true;
  game_.ended = "limit";
  game_.result = fmt::format("{:g}-{:g}", sides.south_half_seeds / 2.0, sides.north_half_seeds / 2.0);
  say_(winner_text(sides) + " (each takes the own row)\n");
  follow();
}

void PlaySession::load(const std::string& argument) {
  if (argument.empty()) throw Error("which file: l FILE, or l FILE N for the N-th game of it");
  int games = 0;
  OgnGame read = read_game(argument, games);
  if (!(read.game.rules() == game().rules())) load_rules(read.game.rules());
  set_aside();
  game_ = std::move(read);
  agreed_ = ended_early(game_);
  offered_at_ = 0;
  say_(fmt::format("loaded {} moves by the rules '{}'{}\n", game().plies(), rules_name(game().rules()), games > 1 ? fmt::format(", one game of {}", games) : ""));
  answer();
}

void PlaySession::save(const std::string& argument) {
  const std::string file = argument.empty() ? settings_.save : argument;
  if (file.empty()) throw Error("which file: s FILE");
  if (file != settings_.save && file != settings_.load && exists(file)) throw Error(fmt::format("the file exists: {}: give another name", quote(file)));
  if (file == settings_.save)
    write_followed();
  else
    write_file_durably(file, ogn_text(tagged()));
  say_(fmt::format("saved: {}\n", file));
}

void PlaySession::follow() {
  if (settings_.save.empty()) return;
  try {
    write_followed();
  } catch (const Error& error) {  // the game goes on, and its next move tries again
    say_(std::string(error.what()) + "\n");
  }
}

void PlaySession::write_followed() {
  const bool nothing_yet = game().plies() == 0 && !games_before_.empty();
  write_file_durably(settings_.save, games_before_ + (nothing_yet ? "" : ogn_text(tagged())));
}

// Another game takes its place: the file that follows keeps both.
void PlaySession::set_aside() {
  if (settings_.save.empty() || game().plies() == 0) return;
  games_before_ += ogn_text(tagged()) + "\n";
  say_(fmt::format("the game so far stays in {}\n", settings_.save));
}

OgnGame PlaySession::tagged() const {
  OgnGame game = game_;
  const std::string human = "Human";
  if (game.tag("Event") == nullptr) game.set_tag("Event", "wari play");
  if (game.tag("Date") == nullptr) game.set_tag("Date", fmt::format("{:%Y.%m.%d}", fmt::localtime(std::time(nullptr))));
  if (game.tag("South") == nullptr) game.set_tag("South", settings_.side == HumanSide::north ? engine_.name : human);
  if (game.tag("North") == nullptr) game.set_tag("North", settings_.side == HumanSide::south ? engine_.name : human);
  return game;
}

void PlaySession::show_rules() {
  say_(fmt::format("the rules are '{}'; others:", rules_name(game().rules())));
  for (const auto& [name, rules] : rule_presets()) say_(" " + name);
  say_("\nr NAME begins a new game by them, r warri,laps=two by changed ones\n");
}

void PlaySession::set_rules(const std::string& argument) {
  const Rules rules = parse_rules(argument);
  load_rules(rules);
  begin(Game(rules));
}

void PlaySession::load_rules(const Rules& rules) {
  engine_ = load_engine(with_rules(settings_.engine, rules));
  if (!engine_.note.empty()) say_(engine_.note + "\n");
}

void PlaySession::show_position(const std::string& argument) {
  if (!argument.empty()) return begin(Game(game().rules(), parse_position(argument, game().rules())));
  say_(fmt::format("rules    {}\nposition {}\nstart    {}\nmoves    {}\n", rules_name(game().rules()), position_text(game().position()), position_text(game().start()), line_text(game())));
}

void PlaySession::prompt() {
  if (settings_.prompt) say_(finished() ? "> " : fmt::format("{}> ", north_moves(game().position()) ? "North" : "South"));
}

}  // namespace wari
