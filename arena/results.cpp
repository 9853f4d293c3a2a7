#include "arena/results.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <chrono>
#include <utility>

#include "core/error.h"
#include "core/nearest.h"
#include "search/signature.h"

namespace wari {
namespace {

constexpr int kFormat = 2;
constexpr int kApplicationId = 0x57415249;  // "WARI"

constexpr const char* kTable =
    "create table if not exists matches ("
    "number integer primary key, key text not null unique, iteration integer not null, a text not null, b text not null, rules text not null,"
    "first_wins integer not null, first_draws integer not null, first_losses integer not null,"
    "second_wins integer not null, second_draws integer not null, second_losses integer not null,"
    "seed text not null, opening_plies integer not null, distinct_games integer not null, elo real not null, elo_error_95 real not null,"
    "seconds real not null, version text not null, unix_time_s integer not null);";

// What format 2 has beside that, each with the value that stands for "not known".
constexpr const char* kColumnsOfFormat2[] = {
    "a_version text not null default ''",       "b_version text not null default ''",       "openings text not null default ''",
    "pairs_0 integer not null default 0",       "pairs_half integer not null default 0",    "pairs_1 integer not null default 0",
    "pairs_3_halves integer not null default 0", "pairs_2 integer not null default 0",      "a_crashes integer not null default 0",
    "a_out_of_time integer not null default 0", "a_illegal_moves integer not null default 0", "b_crashes integer not null default 0",
    "b_out_of_time integer not null default 0", "b_illegal_moves integer not null default 0"};

constexpr const char* kColumns =
    "key, iteration, a, b, rules, first_wins, first_draws, first_losses, second_wins, second_draws, second_losses, seed, opening_plies, distinct_games, elo, "
    "elo_error_95, seconds, version, unix_time_s, a_version, b_version, openings, pairs_0, pairs_half, pairs_1, pairs_3_halves, pairs_2, a_crashes, a_out_of_time, "
    "a_illegal_moves, b_crashes, b_out_of_time, b_illegal_moves";
constexpr int kColumnCount = 33;

std::string with_format(const std::string& changes) {
  return "begin immediate;" + changes + "pragma application_id=" + std::to_string(kApplicationId) + ";pragma user_version=" + std::to_string(kFormat) + ";commit;";
}

std::string additions_of_format_2() {
  std::string changes;
  for (const char* column : kColumnsOfFormat2) changes += std::string("alter table matches add column ") + column + ";";
  return changes;
}

}  // namespace

struct ResultsDatabase::Connection {
  sqlite3* database = nullptr;
  std::string file;
  ~Connection() { sqlite3_close(database); }

  [[noreturn]] void fail(const char* what) const {
    const int code = database == nullptr ? SQLITE_NOMEM : sqlite3_errcode(database);
    const std::string reason = database == nullptr ? "out of memory" : sqlite3_errmsg(database);
    const std::string message = std::string(what) + " (" + reason + "): " + quote(file) + ": ";
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT) throw Error(message + "this is no intact results database; move it away to start a new one");
    if (code == SQLITE_CANTOPEN || code == SQLITE_READONLY || code == SQLITE_PERM) throw Error(message + "check the path and its permissions");
    throw system_error(message + "check the space on the disk and whether another process holds the file");
  }

  void execute(const char* sql, const char* what) const {
    if (sqlite3_exec(database, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail(what);
  }

  int number(const char* sql) const {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, nullptr) != SQLITE_OK) fail("cannot read results");
    const int code = sqlite3_step(statement);
    const int value = code == SQLITE_ROW ? sqlite3_column_int(statement, 0) : 0;
    sqlite3_finalize(statement);
    if (code != SQLITE_ROW && code != SQLITE_DONE) fail("cannot read results");
    return value;
  }
};

namespace {

// One prepared statement.
class Statement {
 public:
  Statement(sqlite3* database, const std::string& sql) { failed_ = sqlite3_prepare_v2(database, sql.c_str(), -1, &statement_, nullptr) != SQLITE_OK; }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  bool failed() const { return failed_; }
  void bind(const std::string& text) { failed_ |= sqlite3_bind_text(statement_, ++bound_, text.c_str(), -1, SQLITE_TRANSIENT) != SQLITE_OK; }
  void bind(std::int64_t number) { failed_ |= sqlite3_bind_int64(statement_, ++bound_, number) != SQLITE_OK; }
  void bind(double number) { failed_ |= sqlite3_bind_double(statement_, ++bound_, number) != SQLITE_OK; }
  // True while there is a row.
  bool step() {
    if (failed_) return false;
    const int code = sqlite3_step(statement_);
    failed_ = code != SQLITE_ROW && code != SQLITE_DONE;
    read_ = 0;
    return code == SQLITE_ROW;
  }
  std::string text() {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, read_++));
    return bytes == nullptr ? std::string() : std::string(bytes);
  }
  std::int64_t integer() { return sqlite3_column_int64(statement_, read_++); }
  int small() { return static_cast<int>(integer()); }
  double real() { return sqlite3_column_double(statement_, read_++); }

 private:
  sqlite3_stmt* statement_ = nullptr;
  bool failed_ = false;
  int bound_ = 0;
  int read_ = 0;
};

}  // namespace

std::string program_version() { return fmt::format("{}, search {:016x}", WARI_VERSION, kSearchSignature); }

StoredMatch stored_match(std::string key, int iteration, const Player& a, const Player& b, const MatchSettings& settings, const MatchResult& result) {
  StoredMatch match;
  match.key = std::move(key);
  match.iteration = iteration;
  match.a = a.name();
  match.b = b.name();
  match.a_version = a.version();
  match.b_version = b.version();
  match.rules = rules_name(settings.rules);
  match.first = result.first;
  match.second = result.second;
  match.pairs = result.pairs;
  match.a_forfeits = result.a_forfeits;
  match.b_forfeits = result.b_forfeits;
  match.openings = openings_name(settings);
  match.seed = settings.seed;
  match.opening_plies = settings.opening_plies;
  match.distinct_games = result.distinct_games;
  match.elo = result.elo;
  match.elo_error_95 = result.elo_error_95;
  match.seconds = result.seconds;
  match.version = program_version();
  match.unix_time_s = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  return match;
}

ResultsDatabase::ResultsDatabase(const std::filesystem::path& file, Access access) : connection_(std::make_unique<Connection>()) {
  connection_->file = file.string();
  const int flags = access == Access::read ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  if (sqlite3_open_v2(file.c_str(), &connection_->database, flags, nullptr) != SQLITE_OK) connection_->fail("cannot open results");
  sqlite3_busy_timeout(connection_->database, 5000);
  const int version = connection_->number("pragma user_version");
  const int tables = connection_->number("select count(*) from sqlite_master");
  const bool ours = connection_->number("pragma application_id") == kApplicationId;
  if (tables != 0 && !ours) throw Error("a database of another program: " + quote(file.string()) + ": move it away to start a new one");
  if (tables != 0 && (version < 1 || version > kFormat)) {
    throw Error("results of format " + std::to_string(version) + ": " + quote(file.string()) + ": this program reads formats 1 to " + std::to_string(kFormat) +
                "; use the version that wrote it");
  }
  if (tables == 0) connection_->execute(with_format(kTable + additions_of_format_2()).c_str(), "cannot create results");
  else if (version == 1) connection_->execute(with_format(additions_of_format_2()).c_str(), "cannot bring results to the present format");
}

ResultsDatabase::~ResultsDatabase() = default;

bool ResultsDatabase::insert(const StoredMatch& match) {
  std::string places = "?";
  for (int column = 1; column < kColumnCount; ++column) places += ",?";
  Statement insertion(connection_->database, "insert or ignore into matches (" + std::string(kColumns) + ") values (" + places + ")");
  if (insertion.failed()) connection_->fail("cannot store a result");
  insertion.bind(match.key);
  insertion.bind(std::int64_t{match.iteration});
  insertion.bind(match.a);
  insertion.bind(match.b);
  insertion.bind(match.rules);
  for (const GameCounts* counts : {&match.first, &match.second}) {
    insertion.bind(std::int64_t{counts->wins});
    insertion.bind(std::int64_t{counts->draws});
    insertion.bind(std::int64_t{counts->losses});
  }
  insertion.bind(std::to_string(match.seed));  // 64 bits do not fit a signed column
  insertion.bind(std::int64_t{match.opening_plies});
  insertion.bind(std::int64_t{match.distinct_games});
  insertion.bind(match.elo);
  insertion.bind(match.elo_error_95);
  insertion.bind(match.seconds);
  insertion.bind(match.version);
  insertion.bind(match.unix_time_s);
  insertion.bind(match.a_version);
  insertion.bind(match.b_version);
  insertion.bind(match.openings);
  for (const std::int64_t pairs : match.pairs) insertion.bind(pairs);
  for (const ForfeitCounts* forfeits : {&match.a_forfeits, &match.b_forfeits}) {
    for (const int count : {forfeits->crashes, forfeits->out_of_time, forfeits->illegal_moves}) insertion.bind(std::int64_t{count});
  }
  insertion.step();
  if (insertion.failed()) connection_->fail("cannot store a result");
  return sqlite3_changes(connection_->database) == 1;
}

int ResultsDatabase::erase_after(int iteration) {
  connection_->execute(("delete from matches where iteration > " + std::to_string(iteration)).c_str(), "cannot set results aside");
  return sqlite3_changes(connection_->database);
}

std::vector<StoredMatch> ResultsDatabase::matches() const {
  Statement rows(connection_->database, "select " + std::string(kColumns) + " from matches order by number");
  std::vector<StoredMatch> matches;
  while (rows.step()) {
    StoredMatch match;
    match.key = rows.text();
    match.iteration = rows.small();
    match.a = rows.text();
    match.b = rows.text();
    match.rules = rows.text();
    for (GameCounts* counts : {&match.first, &match.second}) {
      counts->wins = rows.small();
      counts->draws = rows.small();
      counts->losses = rows.small();
    }
    match.seed = std::stoull("0" + rows.text());
    match.opening_plies = rows.small();
    match.distinct_games = rows.small();
    match.elo = rows.real();
    match.elo_error_95 = rows.real();
    match.seconds = rows.real();
    match.version = rows.text();
    match.unix_time_s = rows.integer();
    match.a_version = rows.text();
    match.b_version = rows.text();
    match.openings = rows.text();
    for (std::int64_t& pairs : match.pairs) pairs = rows.integer();
    for (ForfeitCounts* forfeits : {&match.a_forfeits, &match.b_forfeits}) {
      for (int* count : {&forfeits->crashes, &forfeits->out_of_time, &forfeits->illegal_moves}) *count = rows.small();
    }
    matches.push_back(match);
  }
  if (rows.failed()) connection_->fail("cannot read results");
  return matches;
}

std::vector<PairRecord> ResultsDatabase::pair_records() const {
  std::vector<PairRecord> records;
  for (const StoredMatch& match : matches()) records.push_back({match.a, match.b, match.first + match.second});
  return records;
}

}  // namespace wari
