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

/// Exchanges of a stage's tiles, all tiles that exchange alike at once: sums along each dimension
/// that its operators are cut in, and what brings a tensor from one cut to another.
class StageSums {
 public:
  /// Of a stage whose plan's own degrees are `plan`'s; `used` are those of its operators. Throws
  /// RequestError where the tiles are not as many as the degrees need, or cannot reach
  /// one another.
  StageSums(const Plan& plan, const Hardware& hardware, const Mesh& mesh, const Rectangle& tiles,
            Contention contention, const std::vector<Degrees>& used);
  /// The all-reduce among tiles that differ in one dimension alone.
  const Collective& along(const Degrees& degrees, Dimension dimension) const;
  /// An all-to-all among all tiles.
  const Collective& exchange() const { return *exchange_; }

 private:
  struct Cut {
    Degrees degrees;
    std::array<std::optional<Collective>, kDimensions> along;  // nothing: not cut
  };
  std::vector<Cut> cuts_;
  std::optional<Collective> exchange_;  // where there are several cuts
};

/// The different degrees of a stage's operators that exchange anything. Throws
/// RequestError where an operator is cut otherwise than in as many ways as there are
/// tiles.
std::vector<Degrees> degrees_in(const Workload& workload, const Plan& plan, const StageWork& work);

/// An exchange among a stage's tiles, of a micro-batch or of a batch's update.
struct ExchangeUse {
  enum class When : std::uint8_t { forward, backward, update };
  When when = When::forward;
  Degrees degrees{};
  std::optional<Dimension>
      among{};  ///< an all-reduce along it; nothing: an all-to-all of all tiles
  std::int64_t bytes = 0;
  bool is_half = false;  ///< a reduce-scatter or an all-gather: half of the all-reduce
};

/// How an exchange is done by a stage on some tiles: as StageSums has it.
Phases exchange_phases(const Plan& plan, const Hardware& hardware, const Rectangle& tiles,
                       const ExchangeUse& use);

/// How long a stage on some tiles works on a micro-batch: at the achievable part of its tiles' peak
/// rate, and with the exchanges that cutting makes necessary (PALM, Table III) among its
/// tiles. Where an operator is cut otherwise than one of the stage that it comes after, the tensor
/// between them goes from all tiles to all.
struct StageService {
  Picoseconds forward = 0;   ///< exchange included
  Picoseconds backward = 0;  ///< exchange and what is computed again included
  Picoseconds forward_exchange = 0;
  Picoseconds backward_exchange = 0;
  Picoseconds tensor_exchange = 0;  ///< of both: among the parts of an operator
  /// Of both: among replicas, for gradients and parameters that they divide (ZeRO 2 and 3).
  Picoseconds data_exchange = 0;
  Picoseconds recompute = 0;  ///< of backward: what forward computes again, exchange included
  Picoseconds update = 0;     ///< exchange of a batch's gradients and parameters among replicas
  /// What of it is left when the last micro-batch has gone backward: all of it unless it overlaps.
  Picoseconds update_left = 0;
  /// How long parameters and states take between tiles and memories of their own, once a batch.
  Picoseconds update_memory = 0;
  std::vector<ExchangeUse> exchanges{};  ///< that these times are made of
};

/// With the part's own plan, `recompute` definite, not if_needed. ZeRO (Rajbhandari et al., SC'20):
/// up to stage 1 gradients are all-reduced once a batch; with 2 they are reduce-scattered in every
/// micro-batch, and parameters gathered once a batch; with 3 parameters are gathered for every
/// forward and backward instead. Throws RequestError for times beyond 10^17 ps.
StageService stage_service(const Workload& workload, const Plan& plan, const Hardware& hardware,
                           const StageWork& work, const StageSums& sums);

}  // namespace waferloom::sim
