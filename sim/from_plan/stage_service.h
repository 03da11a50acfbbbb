#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "model/hardware.h"
#include "model/mesh.h"
#include "model/plan.h"
#include "model/rectangle.h"
#include "model/workload.h"
#include "sim/collective.h"
#include "sim/from_plan/plan_cut.h"
#include "sim/time.h"

namespace waferloom::sim {

/// The collectives of a stage's tiles: all-reduces along each dimension in which its operators are
/// cut, and the all-to-all that brings a tensor from a cut to another. Equal groups run at once.
class StageSums {
 public:
  /// `plan` is the stage's own plan (of_part); `used` are the degrees of its operators. Throws
  /// RequestError if the number of tiles is not what the degrees need, or if tiles cannot reach
  /// each other; RunCut.
  StageSums(const Plan& plan, const Hardware& hardware, const Mesh& mesh, const Rectangle& tiles,
            Contention contention, const std::vector<Degrees>& used,
            const RunControl& control = {});
  /// The all-reduce among tiles whose parts differ only in `dimension`.
  const Collective& along(const Degrees& degrees, Dimension dimension) const;
  /// An all-to-all among all tiles.
  const Collective& exchange() const { return *exchange_; }

 private:
  struct Cut {
    Degrees degrees;
    std::array<std::optional<Collective>, kDimensions> along;  // nothing: not cut
  };
  std::vector<Cut> cuts_;
  std::optional<Collective> exchange_;  // if there are several cuts
};

/// The different degrees of a stage's operators that exchange anything. Throws RequestError if an
/// operator is not cut in as many ways as the stage has tiles.
std::vector<Degrees> degrees_in(const Workload& workload, const Plan& plan, const StageWork& work);

/// An exchange among a stage's tiles, of a micro-batch or of a batch's update.
struct ExchangeUse {
  enum class When : std::uint8_t { forward, backward, update };
  When when = When::forward;
  Degrees degrees{};
  std::optional<Dimension>
      among{};  ///< an all-reduce along this dimension; nothing: an all-to-all of all tiles
  std::int64_t bytes = 0;
  bool is_half = false;  ///< a reduce-scatter or an all-gather: half of the all-reduce
};

/// The phases of an exchange of a stage on `tiles`, the same as in StageSums.
Phases exchange_phases(const Plan& plan, const Hardware& hardware, const Rectangle& tiles,
                       const ExchangeUse& use);

/// The times of a stage for a micro-batch. It computes at the achievable part of its tiles' peak
/// rate. Its tiles do the exchanges that the cuts of operators need (PALM, Table III). If an
/// operator is cut differently from an operator of the stage that it comes after, the tensor
/// between them goes from all tiles to all.
struct StageService {
  Picoseconds forward = 0;   ///< with exchange
  Picoseconds backward = 0;  ///< with exchange and recomputation
  Picoseconds forward_exchange = 0;
  Picoseconds backward_exchange = 0;
  Picoseconds tensor_exchange = 0;  ///< of forward and backward: among the parts of an operator
  /// Of forward and backward: among replicas, for gradients and parameters that they divide (ZeRO 2
  /// and 3).
  Picoseconds data_exchange = 0;
  Picoseconds recompute = 0;  ///< of backward: what it computes again, with exchange
  Picoseconds update = 0;     ///< exchange of a batch's gradients and parameters among replicas
  /// The part of `update` that comes after the last backward: all of it unless it overlaps.
  Picoseconds update_left = 0;
  /// Traffic of parameters and states between tiles and their own memories, once a batch.
  Picoseconds update_memory = 0;
  std::vector<ExchangeUse> exchanges{};  ///< the exchanges of all these times
};

/// The times of a stage. `plan` is the part's own plan, and its `recompute` is not if_needed. ZeRO
/// (Rajbhandari et al., SC'20):
/// - stages 0 and 1: gradients are all-reduced once a batch;
/// - stage 2: gradients are reduce-scattered in every micro-batch, and parameters are gathered once
///   a batch;
/// - stage 3: as stage 2, but parameters are gathered for every forward and every backward.
///
/// Throws RequestError for times beyond 10^17 ps.
StageService stage_service(const Workload& workload, const Plan& plan, const Hardware& hardware,
                           const StageWork& work, const StageSums& sums);

}  // namespace waferloom::sim
