#include <fmt/format.h>

#include <array>
#include <map>
#include <string>

#include "arena/truth.h"

namespace wari {
namespace {

constexpr std::array<const char*, 8> kColours{"#0b6e4f", "#c8553d", "#3a6ea5", "#b8860b", "#6b4c9a", "#4a4a4a", "#008b8b", "#a0522d"};

// A square of the picture: values are put on it by their range.
struct Panel {
  double left, top, width, height;
  double x_low, x_high, y_low, y_high;
  double x(double value) const { return left + (value - x_low) / (x_high - x_low) * width; }
  double y(double value) const { return top + height - (value - y_low) / (y_high - y_low) * height; }
};

std::string label(double x, double y, const std::string& anchor, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, text);
}

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) safe += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return safe;
}

std::string line(double x1, double y1, double x2, double y2, const std::string& style) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2, style);
}

std::string point(const Panel& panel, double x, double y, double error, const char* colour) {
  return line(panel.x(x), panel.y(y - error), panel.x(x), panel.y(y + error), fmt::format("stroke=\"{}\"", colour)) +
         fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"/>\n", panel.x(x), panel.y(y), colour);
}

std::string frame(const Panel& panel, const std::string& title) {
  return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#999\"/>\n", panel.left, panel.top, panel.width, panel.height) +
         label(panel.left, panel.top - 10, "start", title);
}

std::string budget_name(int budget) { return budget == 0 ? "policy" : std::to_string(budget); }

std::string shares(const TruthReport& report, const Panel& panel) {
  std::string text = frame(panel, "best moves by seeds on the board");
  for (int percent = static_cast<int>(100 * panel.y_low); percent <= 100; percent += 10) {
    text += line(panel.left, panel.y(percent / 100.0), panel.left + panel.width, panel.y(percent / 100.0), "stroke=\"#e3e3e3\"") +
            label(panel.left - 6, panel.y(percent / 100.0) + 4, "end", fmt::format("{} %", percent));
  }
  std::map<int, std::vector<TruthResult>> by_budget;
  for (const TruthResult& result : report.results) by_budget[result.budget].push_back(result);
  std::size_t number = 0;
  for (const auto& [budget, results] : by_budget) {
    const char* const colour = kColours[number % kColours.size()];
    std::string path;
    for (const TruthResult& result : results) path += fmt::format("{}{:.1f},{:.1f} ", path.empty() ? "M" : "L", panel.x(result.seeds), panel.y(result.optimal_share));
    text += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"/>\n", path, colour);
    for (const TruthResult& result : results) text += point(panel, result.seeds, result.optimal_share, result.error_95, colour);
    text += fmt::format("<g fill=\"{}\">{}</g>\n", colour, label(panel.left + panel.width + 8, panel.top + 14 + 18 * static_cast<double>(number), "start", budget_name(budget)));
    if (number == 0) {
      for (const TruthResult& result : results) text += label(panel.x(result.seeds), panel.top + panel.height + 18, "middle", std::to_string(result.seeds));
    }
    ++number;
  }
  return text;
}

std::string calibration(const TruthReport& report, const Panel& panel) {
  std::string text = frame(panel, "value: predicted, and true by best play");
  text += line(panel.x(-1), panel.y(-1), panel.x(1), panel.y(1), "stroke=\"#ccc\"");
  for (const int value : {-1, 0, 1}) {
    text += label(panel.x(value), panel.top + panel.height + 18, "middle", std::to_string(value)) + label(panel.left - 6, panel.y(value) + 4, "end", std::to_string(value));
  }
  for (const CalibrationBin& bin : report.calibration) {
    if (bin.positions > 0) text += point(panel, bin.predicted, bin.actual, bin.error_95, kColours[0]);
  }
  return text;
}

}  // namespace

std::string truth_picture(const TruthReport& report, const std::string& title) {
  int low = 100, high = 0;
  double least = 1;
  for (const TruthResult& result : report.results) {
    low = std::min(low, result.seeds);
    high = std::max(high, result.seeds);
    least = std::min(least, result.optimal_share - result.error_95);
  }
  const double floor = std::max(0.0, static_cast<int>(least * 10) / 10.0);
  const Panel left{60, 70, 380, 260, low - 0.5, high + 0.5, floor, 1.0}, right{560, 70, 260, 260, -1, 1, -1, 1};
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 860 370\" font-family=\"sans-serif\" font-size=\"13\" fill=\"#222\">\n"
         "<rect width=\"860\" height=\"370\" fill=\"#fff\"/>\n" +
         fmt::format("<text x=\"60\" y=\"30\" font-size=\"16\">{}</text>\n", escaped(title)) + shares(report, left) + calibration(report, right) + "</svg>\n";
}

}  // namespace wari
