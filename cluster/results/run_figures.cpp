#include "cluster/run_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <system_error>

namespace waferloom::cluster {
namespace {

namespace fs = std::filesystem;

/// Gives the results of some status to `take` until it says false, those that can be read.
void for_each_result(const SweepFolder& run, sweep::PointStatus status,
                     const std::function<bool(const sweep::PointResult&)>& take) {
  std::error_code ignored;
  for (const auto& folder : fs::directory_iterator(run.file("results"), ignored)) {
    for (const auto& entry : fs::directory_iterator(folder.path(), ignored)) {
      const auto named = sweep::result_of_name(entry.path().filename().string());
      if (!named || named->second != status || run.status(named->first) != status) continue;
      const auto result = run.result(named->first);
      if (result && !take(*result)) return;
    }
  }
}

}  // namespace

std::optional<double> mean_seconds(const SweepFolder& run) {
  constexpr int kEnough = 100;
  double sum = 0;
  int count = 0;
  for_each_result(run, sweep::PointStatus::done, [&](const sweep::PointResult& result) {
    sum += result.wall_s;
    return ++count < kEnough;
  });
  if (count == 0) return std::nullopt;
  return sum / count;
}

std::string failure_lines(const SweepFolder& run) {
  struct Reason {
    std::size_t count = 0;
    std::string first_id{};
    std::string message{};
  };
  std::map<std::string, Reason> reasons;
  for_each_result(run, sweep::PointStatus::failed, [&](const sweep::PointResult& result) {
    Reason& reason = reasons[result.reason];
    if (reason.count == 0 || result.id < reason.first_id) {
      reason.first_id = result.id;
      reason.message = result.message.substr(0, result.message.find('\n'));
    }
    ++reason.count;
    return true;
  });
  std::string text;
  for (const auto& [name, reason] : reasons) {
    text += fmt::format("  {} {}{}\n", reason.count, name,
                        reason.message.empty() ? "" : ": " + reason.message);
  }
  return text;
}

}  // namespace waferloom::cluster
