#pragma once

#include <atomic>
#include <chrono>
#include <optional>

namespace waferloom::placer {

/// When a search has to end.
struct StopSignal {
  std::optional<std::chrono::steady_clock::time_point> deadline;
  const std::atomic<bool>* interrupted = nullptr;

  bool raised() const {
    if (interrupted != nullptr && interrupted->load(std::memory_order_relaxed)) return true;
    return deadline && std::chrono::steady_clock::now() >= *deadline;
  }
};

/// `share` of the time that a deadline leaves, as a stop signal of its own; without a deadline the
/// same signal.
inline StopSignal within_share(const StopSignal& stop, double share) {
  StopSignal limited = stop;
  if (stop.deadline) {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> left = *stop.deadline - now;
    limited.deadline = now + std::chrono::duration_cast<std::chrono::nanoseconds>(left * share);
  }
  return limited;
}

}  // namespace waferloom::placer
