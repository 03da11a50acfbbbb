#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "model/hardware.h"
#include "model/mesh.h"
#include "model/plan.h"
#include "model/wafer.h"
#include "model/workload.h"
#include "sim/collective.h"
#include "sim/collective/collective.h"
#include "sim/collective/collective_phases.h"
#include "sim/plan_pipeline.h"

namespace waferloom::sim {

/// The collectives of a stage's tiles: all-reduces along each dimension in which its operators are
/// cut, all-to-alls among parts of operators that hand each other what they have, and the
/// all-to-all that brings a tensor from a cut to another. Equal groups run at once.
class StageSums {
 public:
  /// `plan` is the stage's own plan (of_part); `stage` has the degrees of its operators. Throws
  /// RequestError if the number of tiles is not what the degrees need, or if tiles cannot reach
  /// each other; RunCut.
  StageSums(const Plan& plan, const Hardware& hardware, const Mesh& mesh, const Rectangle& tiles,
            Contention contention, const StageCuts& stage, const RunControl& control = {});
  /// The same of collectives that somebody knows.
  using Shared = std::shared_ptr<const Collective>;
  StageSums(const StageCuts& stage, const std::function<Shared(const ExchangeUse&)>& collective_of);
  /// The all-reduce among tiles whose parts differ only in `dimension`.
  const Collective& along(const Degrees& degrees, Dimension dimension) const;
  /// The all-to-all among tiles that hand each other what they have (Degrees::handed_among).
  const Collective& handing(const Degrees& degrees) const { return *cut_of(degrees).handing; }
  /// Rows that neighbours along an image take of each other.
  const Collective& border(const Degrees& degrees, const BorderRows& rows) const;
  /// An all-to-all among all tiles.
  const Collective& exchange() const { return *exchange_; }

 private:
  struct Cut {
    Degrees degrees;
    std::array<Shared, kSummedDimensions> along;  // null: not cut
    Shared handing;                               // if any operator does
  };
  const Cut& cut_of(const Degrees& degrees) const;

  struct Border {
    Degrees degrees;
    BorderRows rows;
    Shared passing;
  };

  std::vector<Cut> cuts_;
  std::vector<Border> borders_;
  Shared exchange_;  // if there are several cuts
};

/// Flows among the tiles of a stage that no collective is.
struct TransferFlows {
  std::size_t id = 0;  ///< differs from one to another of a stage
  Phases phases;
};

/// Adds flows to the exchanges of a stage, and the time that they take to its forward or backward.
/// Nothing where there are none. O(flows · hops).
void add_flows(ExchangeUse::When when, Phases phases, std::int64_t bytes,
               const ExchangeCache& exchanges, StageService& service);
/// Lengthens the exchange of tensors of a stage's forward or backward; below 0 it shortens it.
void lengthen(ExchangeUse::When when, Picoseconds by, StageService& service);
/// What flows take on the mesh of the exchanges, nothing else under way. O(flows · hops).
Picoseconds time_of_flows(const Phases& phases, std::int64_t bytes, const ExchangeCache& exchanges);

/// A piece that two divisions of one whole have in common.
struct SharedPiece {
  std::size_t from = 0;  ///< part of the first division
  std::size_t to = 0;    ///< of the second
  Share share;           ///< of the whole
};
/// All pieces of a whole that is divided evenly into `from` and into `to` parts, in their order.
std::vector<SharedPiece> shared_pieces(std::int64_t from, std::int64_t to);

/// The collective that an exchange of a stage is; throws as the constructor of StageSums does.
Collective stage_collective(const Plan& plan, const Hardware& hardware, const Mesh& mesh,
                            const Rectangle& tiles, Contention contention, const ExchangeUse& use,
                            const RunControl& control);

/// How a stage's operators that exchange anything are cut. Throws RequestError if an operator is
/// not cut in as many ways as the stage has tiles.
StageCuts cuts_in(const Workload& workload, const Plan& plan, const StageWork& work);

/// The phases of an exchange of a stage on `tiles`, the same as in StageSums.
Phases exchange_phases(const Plan& plan, const Hardware& hardware, const Rectangle& tiles,
                       const ExchangeUse& use);

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
