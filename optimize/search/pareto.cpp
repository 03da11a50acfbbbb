#include "optimize/trial.h"

namespace waferloom::optimize {
namespace {

/// Bytes that both know.
std::int64_t excess(const Metrics& a, const Metrics& b) {
  return a.memory_bytes && b.memory_bytes ? *a.memory_bytes - *b.memory_bytes : 0;
}

bool is_no_worse(const Metrics& a, const Metrics& b) {
  return a.samples_per_s >= b.samples_per_s && a.latency_ps <= b.latency_ps && excess(a, b) <= 0;
}

}  // namespace

bool dominates(const Metrics& a, const Metrics& b) {
  return is_no_worse(a, b) && !is_no_worse(b, a);
}

std::vector<std::size_t> pareto_front(const std::vector<Metrics>& all) {
  std::vector<std::size_t> front;
  for (std::size_t i = 0; i < all.size(); ++i) {
    bool stays = true;
    for (std::size_t j = 0; j < all.size() && stays; ++j) {
      const bool is_equal = is_no_worse(all[i], all[j]) && is_no_worse(all[j], all[i]);
      stays = !dominates(all[j], all[i]) && !(is_equal && j < i);
    }
    if (stays) front.push_back(i);
  }
  return front;
}

}  // namespace waferloom::optimize
