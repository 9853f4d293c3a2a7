#include "app/bench.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/log.h"

namespace wari {

BenchResult summary(const std::string& name, const std::string& unit, std::vector<double> figures) {
  std::sort(figures.begin(), figures.end());
  return {name, figures[figures.size() / 2], unit, figures.front(), figures.back()};
}

BenchResult measure(const std::string& name, const std::string& unit, const std::function<double()>& once, int runs) {
  log_info("bench: {}", name);
  once();
  std::vector<double> figures;
  for (int i = 0; i < runs; ++i) figures.push_back(once());
  return summary(name, unit, std::move(figures));
}

BenchResult measure_rate(const std::string& name, const std::function<double()>& work, int runs) {
  const auto once = [&work] {
    const auto start = std::chrono::steady_clock::now();
    const double units = work();
    return units / std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  return measure(name, "1/s", once, runs);
}

std::vector<BenchGroup> bench_groups() {
  return {
      {"machine", bench_machine},   {"rules", bench_rules}, {"search", bench_search},
      {"selfplay", bench_selfplay}, {"train", bench_train}, {"analyze", bench_analyze},
      {"gpu", [] { return bench_gpu(gpu_rows()); }, gpu_rows(), bench_gpu},
  };
}

}  // namespace wari
