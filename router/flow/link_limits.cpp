#include "router/flow/link_limits.h"

#include <algorithm>
#include <limits>

#include "model/mesh.h"

namespace waferloom::router {
namespace {

constexpr std::int64_t kUnlimitedFactor = 100;
constexpr std::int64_t kUnlimitedRate = 1'000'000'000'000;

}  // namespace

Hardware with_limits(Hardware hardware) {
  constexpr std::int64_t kMost = 1'000'000'000'000'000'000;
  const auto limit = [](Rate& rate, const Rate& other) {
    if (rate) return;
    rate = other ? std::min(*other, kMost / kUnlimitedFactor) * kUnlimitedFactor : kUnlimitedRate;
  };
  const Rate inside = hardware.link.bytes_per_s;
  limit(hardware.link.bytes_per_s, hardware.group_link.bytes_per_s);
  limit(hardware.group_link.bytes_per_s, inside);
  return hardware;
}

double unlimited_ps(const Traffic& traffic, const Hardware& hardware) {
  if (hardware.link.bytes_per_s && hardware.group_link.bytes_per_s) return 0;
  if (!hardware.link.bytes_per_s && !hardware.group_link.bytes_per_s) {
    return std::numeric_limits<double>::infinity();
  }
  double bytes = 0;
  for (const TrafficTensor& tensor : traffic.tensors) bytes += static_cast<double>(tensor.bytes);
  const Hardware limited = with_limits(hardware);
  const LinkClass& given = hardware.link.bytes_per_s ? limited.group_link : limited.link;
  const std::int64_t open_percent = 100 - hardware.routing.kernel_link_percent;
  const double slowest = bytes_per_ps(given.bytes_per_s) * static_cast<double>(open_percent) / 100;
  // Bounds are rounded, too.
  constexpr double kRounding = 1 + 1e-9;
  return kRounding * bytes / slowest;
}

}  // namespace waferloom::router
