#pragma once

#include <atomic>
#include <chrono>
#include <optional>

namespace waferloom {

/// When a search has to end.
struct StopSignal {
  std::optional<std::chrono::steady_clock::time_point> deadline;
  const std::atomic<bool>* interrupted = nullptr;

  bool raised() const {
    if (interrupted != nullptr && interrupted->load(std::memory_order_relaxed)) return true;
    return deadline && std::chrono::steady_clock::now() >= *deadline;
  }
};

}  // namespace waferloom
