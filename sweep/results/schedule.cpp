#include "sweep/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace waferloom::sweep {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

std::uint64_t packed_tasks(const TaskPacking& packing) {
  const auto [points, seconds_per_point, minutes, most] = packing;
  constexpr double kMinute = 60;
  const double wanted =
      std::ceil(static_cast<double>(points) * seconds_per_point / (minutes * kMinute));
  const std::uint64_t limit = std::max<std::uint64_t>(1, std::min(points, most));
  if (!(wanted < static_cast<double>(limit))) return limit;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted));
}

std::string array_text(const std::vector<std::uint64_t>& tasks) {
  std::string text;
  for (std::size_t first = 0; first < tasks.size();) {
    std::size_t last = first;
    while (last + 1 < tasks.size() && tasks[last + 1] == tasks[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", tasks[first]);
    if (last > first) text += fmt::format("-{}", tasks[last]);
    first = last + 1;
  }
  return text;
}

std::map<std::string, std::string> config_values(std::string_view text) {
  std::map<std::string, std::string> values;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view key = line.substr(0, equals);
    const std::size_t begin = std::min(line.find_first_not_of(' ', equals + 1), line.size());
    values.emplace(key.substr(0, key.find_last_not_of(' ') + 1),
                   line.substr(begin, line.find_last_not_of(' ') + 1 - begin));
  }
  return values;
}

std::string without_jobs(std::string_view log, const std::vector<std::uint64_t>& tasks) {
  std::string kept;
  for (const std::string_view line : lines_of(log)) {
    const std::string number(line.substr(0, line.find('\t')));
    const std::uint64_t job = std::strtoull(number.c_str(), nullptr, 10);
    const bool is_job = job > 0;
    if (is_job && std::binary_search(tasks.begin(), tasks.end(), job - 1)) continue;
    kept += line;
    kept += "\n";
  }
  return kept;
}

}  // namespace waferloom::sweep
