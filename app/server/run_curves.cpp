#include "app/server/run_curves.h"

#include <sys/stat.h>

#include <fstream>

#include "app/server/run_files.h"

namespace wari {
namespace {

struct Curve {
  const char* name;
  const char* place;  // in a line of metrics.jsonl (docs/training.md)
};

constexpr Curve kCurves[] = {
    {"policy_divergence", "/training/policy_divergence"},
    {"policy_accuracy", "/training/policy_accuracy"},
    {"value_loss", "/training/value_loss"},
    {"value_accuracy", "/training/value_accuracy"},
    {"margin_loss", "/training/margin_loss"},
    {"calibration_error", "/training/calibration_error"},
    {"learning_rate", "/training/learning_rate"},
    {"optimal_policy", "/evaluation/truth/policy/optimal_share"},
    {"optimal_search", "/evaluation/truth/search/optimal_share"},
    {"simulations_per_second", "/search/simulations_per_second"},
    {"samples_per_second", "/training/samples_per_second"},
    {"mean_plies", "/games/mean_plies"},
    {"draw_share", "/games/draw_share"},
    {"south_win_share", "/games/south_win_share"},
    {"repetition_share", "/games/ends/repetition"},
    {"seconds", "/time/seconds"},
};

}  // namespace

RunCurves::Snapshot RunCurves::read(std::int64_t since) {
  const std::lock_guard lock(mutex_);
  read_new_lines();
  Snapshot snapshot{all_.iterations, all_.latest, {}};
  for (const auto& [name, points] : all_.curves) {
    std::vector<Point> wanted;
    for (const Point& point : points) {
      if (point.iteration > since) wanted.push_back(point);
    }
    if (!wanted.empty()) snapshot.curves[name] = thinned(wanted);
  }
  return snapshot;
}

void RunCurves::read_new_lines() {
  struct stat found {};
  const bool there = lies_within(file_, file_.parent_path()) && ::stat(file_.c_str(), &found) == 0;
  const auto bytes = static_cast<std::uint64_t>(there ? found.st_size : 0);
  if (found.st_ino != inode_ || bytes < read_bytes_) {  // a continued run may have rewritten it
    all_ = {};
    read_bytes_ = 0;
    inode_ = found.st_ino;
  }
  if (bytes == read_bytes_) return;
  std::ifstream in(file_, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(read_bytes_));
  std::string line;
  while (std::getline(in, line) && !in.eof()) {  // the last one without a newline is still being written
    read_bytes_ += line.size() + 1;
    add_line(line);
  }
}

void RunCurves::add_line(const std::string& text) {
  const auto line = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!line.is_object() || !line.contains("iteration") || !line.at("iteration").is_number_integer()) return;
  const auto iteration = line.at("iteration").get<std::int64_t>();
  for (const Curve& curve : kCurves) {
    const nlohmann::ordered_json::json_pointer place(curve.place);
    if (line.contains(place) && line.at(place).is_number()) all_.curves[curve.name].push_back({iteration, line.at(place).get<double>()});
  }
  all_.iterations = iteration;
  all_.latest = line;
}

std::vector<RunCurves::Point> thinned(const std::vector<RunCurves::Point>& points, std::size_t most) {
  if (points.size() <= most) return points;
  std::vector<RunCurves::Point> means;
  for (std::size_t bucket = 0; bucket < most; ++bucket) {
    const std::size_t begin = bucket * points.size() / most, end = (bucket + 1) * points.size() / most;
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += points[i].value;
    means.push_back({points[end - 1].iteration, sum / static_cast<double>(end - begin)});
  }
  return means;
}

}  // namespace wari
