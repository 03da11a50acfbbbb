#include "placer/gigaplacer/time/time_search.h"

#include <algorithm>

namespace waferloom::placer {

std::optional<std::int64_t> least_achievable_time(
    const std::function<bool(std::int64_t)>& achievable, const TimeInterval& start,
    std::int64_t largest) {
  std::int64_t known_good = std::clamp<std::int64_t>(start.most, 1, largest);
  std::int64_t known_bad = std::clamp<std::int64_t>(start.least - 1, 0, known_good - 1);
  while (!achievable(known_good)) {
    if (known_good == largest) return std::nullopt;
    known_bad = known_good;
    known_good = known_good > largest / 2 ? largest : 2 * known_good;
  }
  while (known_bad > 0 && achievable(known_bad)) {
    known_good = known_bad;
    known_bad /= 2;
  }
  while (known_good - known_bad > 1) {
    const std::int64_t middle = known_bad + (known_good - known_bad) / 2;
    (achievable(middle) ? known_good : known_bad) = middle;
  }
  return known_good;
}

}  // namespace waferloom::placer
