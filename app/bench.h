#pragma once

#include <functional>
#include <string>
#include <vector>

#include "train/trainer.h"

// `wari bench`: every measurement is a function of its group (app/bench/GROUP.cpp) that returns one or more results, listed in app/bench.cpp.
namespace wari {

// One figure: the median of at least five runs with the least and the greatest.
struct BenchResult {
  std::string name;  // "rules.perft_leaves_per_second"
  double value = 0;
  std::string unit;  // "1/s", "ns", "GFLOP/s", "1"
  double low = 0, high = 0;
};

// The median of the figures of several runs, at least one.
BenchResult summary(const std::string& name, const std::string& unit, std::vector<double> figures);
// Runs `once` (which returns one figure) `runs` times after one run that only warms up, and takes the median.
BenchResult measure(const std::string& name, const std::string& unit, const std::function<double()>& once, int runs = 5);
// The same for a piece of work: the figure is `units` (what `work` returns, e.g. moves made) over the seconds it took.
BenchResult measure_rate(const std::string& name, const std::function<double()>& work, int runs = 5);

// Each group's measurements, one file each.
std::vector<BenchResult> bench_machine();
std::vector<BenchResult> bench_rules();
std::vector<BenchResult> bench_search();
std::vector<BenchResult> bench_selfplay();
std::vector<BenchResult> bench_train();
// Optimiser steps of one network; where they are computed is the caller's choice.
BenchResult bench_training(const std::string& prefix, const NetworkSettings& network, int batch_size, LearnsOn where);
std::vector<BenchResult> bench_analyze();
std::vector<BenchResult> bench_gpu(const std::vector<std::string>& rows);
std::vector<std::string> gpu_rows();

struct BenchGroup {
  std::string name;
  std::function<std::vector<BenchResult>()> run;
  // Where a group takes long, its rows can be asked for one by one as GROUP.ROW.
  std::vector<std::string> rows = {};
  std::function<std::vector<BenchResult>(const std::vector<std::string>& rows)> run_rows = {};
};

// Groups in the order in which `wari bench` runs them.
std::vector<BenchGroup> bench_groups();

}  // namespace wari
