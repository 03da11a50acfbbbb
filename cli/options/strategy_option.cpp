#include "cli/options/strategy_option.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "cli/console/failure.h"
#include "model/text_scan.h"
#include "placer/place.h"

namespace waferloom::cli {
namespace {

constexpr std::string_view kAuto = "auto";  // always there

}  // namespace

void check_strategy(const std::string& strategy) {
  const std::vector<placer::StrategyInfo> known = placer::strategies();
  std::vector<std::string_view> names{kAuto};
  std::string list(kAuto);
  for (const placer::StrategyInfo& info : known) {
    if (info.name == kAuto) continue;
    names.push_back(info.name);
    list += ", " + info.name;
  }
  if (std::find(names.begin(), names.end(), strategy) != names.end()) return;
  throw Failure(FailureKind::usage, "--strategy: unknown strategy " + waferloom::quoted(strategy) +
                                        suggestion(strategy, names) + " (known: " + list + ")");
}

}  // namespace waferloom::cli
