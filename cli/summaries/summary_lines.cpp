#include "cli/summaries/summary_lines.h"

#include <algorithm>
#include <cstdio>

namespace waferloom::cli {
namespace {

constexpr std::size_t kSummaryColumn = 12;

}  // namespace

std::string part_lines(const ScoreTexts& texts) {
  return summary_line("time", texts.time) + summary_line("distance", texts.distance) +
         summary_line("adapter", texts.adapter) +
         (texts.preference == "0" ? "" : summary_line("preference", texts.preference));
}

std::string summary_line(const std::string& label, const std::string& text) {
  std::string line = "  " + label;
  line.resize(std::max(line.size() + 1, kSummaryColumn), ' ');
  return line + text + "\n";
}

std::string tiles_line(const sim::TileUse& use) {
  const auto percent = [](double share) { return told_apart(100 * share, 1, 0) + " %"; };
  const double part = static_cast<double>(use.plan_tiles) / static_cast<double>(use.wafer_tiles);
  return summary_line("tiles", std::to_string(use.plan_tiles) + " of " +
                                   std::to_string(use.wafer_tiles) + " (" + percent(part) +
                                   "), MFU " + percent(use.peak_share_of_plan) + " of them, " +
                                   percent(use.peak_share_of_wafer) + " of all");
}

std::string told_apart(double value, int places, double landmark) {
  constexpr int kMostPlaces = 9;
  const auto fixed = [&](double number) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", places, number);
    return std::string(text);
  };
  while (places < kMostPlaces && value != landmark && fixed(value) == fixed(landmark)) ++places;
  return fixed(value);
}

}  // namespace waferloom::cli
