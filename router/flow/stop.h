#pragma once

#include <functional>

namespace waferloom::router {

/// Thrown within the router when it is stopped in a step that has nothing to keep yet; route()
/// catches it.
struct Stopped {};

inline bool is_stopped(const std::function<bool()>& stopped) { return stopped && stopped(); }

/// Throws Stopped once `stopped` is true.
inline void end_if_stopped(const std::function<bool()>& stopped) {
  if (is_stopped(stopped)) throw Stopped{};
}

}  // namespace waferloom::router
