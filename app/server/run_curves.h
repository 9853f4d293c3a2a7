#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

// The curves of a run whose training may be going on: metrics.jsonl is read as it grows, each line once.
namespace wari {

class RunCurves {
 public:
  explicit RunCurves(std::filesystem::path metrics) : file_(std::move(metrics)) {}

  struct Point {
    std::int64_t iteration;
    double value;
  };
  struct Snapshot {
    std::int64_t iterations = 0;                       // of the newest whole line
    nlohmann::ordered_json latest;                     // that line; null: none
    std::map<std::string, std::vector<Point>> curves;  // by name; only points after `since`
  };
  Snapshot read(std::int64_t since);

 private:
  void read_new_lines();
  void add_line(const std::string& line);

  std::filesystem::path file_;
  std::mutex mutex_;
  std::uint64_t inode_ = 0;         // of the file that was read: one that is begun anew is another
  std::uint64_t read_bytes_ = 0;    // whole lines
  Snapshot all_;
};

inline constexpr std::size_t kMostCurvePoints = 500;
// At most so many points: means of neighbours, each at the last one's place.
std::vector<RunCurves::Point> thinned(const std::vector<RunCurves::Point>& points, std::size_t most = kMostCurvePoints);

}  // namespace wari
