#include "cli/summaries/summary_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "model/text.h"

namespace waferloom::cli {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kSummaryColumn = 12;

/// The blank at which `columns` columns from `begin` on end: the last one behind a comma or a
/// semicolon, otherwise the last one. npos where there is none.
std::size_t break_of(const std::string& text, std::size_t begin, std::size_t columns) {
  const std::string fitting = text.substr(begin, columns + 1);
  std::size_t last = fitting.rfind(' ');
  const std::size_t comma = std::max(fitting.rfind(", ") + 1, fitting.rfind("; ") + 1);
  if (comma != 0) last = comma;
  return last == std::string::npos ? std::string::npos : begin + last;
}

}  // namespace

std::string part_lines(const ScoreTexts& texts) {
  return summary_line("time", texts.time) + summary_line("distance", texts.distance) +
         summary_line("adapter", texts.adapter) +
         (texts.preference == "0" ? "" : summary_line("preference", texts.preference));
}

std::string labelled_line(const std::string& label, std::size_t column, const std::string& text) {
  std::string start = "  " + label;
  start.resize(std::max(start.size() + 1, column), ' ');
  std::string lines;
  std::size_t begin = 0;
  while (start.size() + text.size() - begin > kColumns) {
    const std::size_t end = break_of(text, begin, kColumns - start.size());
    if (end == std::string::npos) break;
    lines += start + text.substr(begin, end - begin) + "\n";
    start.assign(column, ' ');
    begin = end + 1;
  }
  return lines + start + text.substr(begin) + "\n";
}

std::string summary_line(const std::string& label, const std::string& text) {
  return labelled_line(label, kSummaryColumn, text);
}

std::string bound_line(const std::optional<Bottleneck>& bottleneck) {
  return bottleneck ? summary_line("bound", bottleneck_text(*bottleneck)) : "";
}

std::string cut_text(const std::string& ended_by) {
  if (ended_by == "time_limit") return ", cut by the time limit";
  return ended_by == "interrupted" ? ", interrupted" : "";
}

std::string cut_text(const std::optional<CutReason>& cut_by) {
  if (!cut_by) return "";
  return cut_text(*cut_by == CutReason::time_limit ? "time_limit" : "interrupted");
}

std::string tiles_line(const sim::TileUse& use) {
  const auto percent = [](double share) { return told_apart(100 * share, 1, 0) + " %"; };
  const double part = static_cast<double>(use.plan_tiles) / static_cast<double>(use.wafer_tiles);
  return summary_line("tiles",
                      fmt::format("{} of {} ({}), MFU {} of them, {} of all", use.plan_tiles,
                                  use.wafer_tiles, percent(part), percent(use.peak_share_of_plan),
                                  percent(use.peak_share_of_wafer)));
}

std::string told_apart(double value, int places, double landmark) {
  constexpr int kMostPlaces = 9;
  const auto fixed = [&](double number) { return fixed_text(number, places); };
  while (places < kMostPlaces && value != landmark && fixed(value) == fixed(landmark)) ++places;
  return fixed(value);
}

}  // namespace waferloom::cli
