#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/int128.h"
#include "model/mesh.h"

namespace waferloom::sim {

/// For how long a run used something, and for how long it could have: a stage, a port, a peak rate.
struct UsedTime {
  std::string name;
  double used_ps = 0;
  double all_ps = 0;
  /// What whole picoseconds may hide of the difference; a millionth of `all_ps` comes on top.
  double rounding_ps = 2;
};

/// What a run shows when it is over.
struct RunFigures {
  std::string run;                         ///< what ran, for the message
  std::vector<UsedTime> parts{};           ///< besides links
  const Mesh* mesh = nullptr;              ///< nothing: no links are known
  std::vector<std::int64_t> link_bytes{};  ///< by LinkIndex, of all that arrived
  Int128 moved = 0;                        ///< likewise: bytes times links, transfer by transfer
  double links_ps = 0;                     ///< how long links could move them
  bool links_shared = true;                ///< false: without contention links have no capacity
};

/// Holds a run against what nothing can do: use more than all the time of a stage, a port, a peak
/// rate or a link, or put other bytes on links than transfers brought there. Every run ends with
/// it, whatever ran. A run that breaks it is our bug, never the user's: throws std::logic_error
/// with the first of them. O(links).
void check_run(const RunFigures& figures);

}  // namespace waferloom::sim
