#include "sim/stage_service.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/tile_groups.h"

namespace waferloom {
namespace {

Picoseconds compute_time(std::int64_t flop, double flop_per_s) {
  constexpr double kLongest = 1e17;
  const double time =
      static_cast<double>(flop) / flop_per_s * static_cast<double>(kPicosecondsPerSecond);
  if (time > kLongest) throw std::invalid_argument("a stage takes more than 10^17 ps");
  return std::max<Picoseconds>(1, static_cast<Picoseconds>(std::llround(time)));
}

std::vector<AllReduce> sums_of(const OperatorKind& kind, const Plan& plan) {
  try {
    return all_reduces(kind, plan.samples(), degrees_of(kind, plan.data, plan.tensor));
  } catch (const std::overflow_error& error) {
    throw std::invalid_argument(std::string("a micro-batch is too large: ") + error.what());
  }
}

}  // namespace

StageRings stage_rings(const Plan& plan, const Hardware& hardware, const Mesh& mesh,
                       const Rectangle& tiles, Meeting meeting) {
  const Grouping grouping{hardware.group_columns, hardware.group_rows};
  const StageGroups groups = stage_groups(tiles, {plan.tensor, plan.data}, plan.groups, grouping);
  const auto all_reduce = [&](const std::vector<TileGroup>& members) {
    return Collective(
        mesh, hardware.endpoint_latency_ps,
        collective_phases(CollectiveKind::all_reduce, plan.collective, members, grouping), meeting);
  };
  return {all_reduce(groups.tensor), all_reduce(groups.data)};
}

StageService stage_service(const Workload& workload, const Plan& plan, const Hardware& hardware,
                           const PlanCut& cut, std::size_t stage, const StageRings& rings) {
  StageService service;
  for (const std::size_t at : cut.stages[stage].operators) {
    const OperatorKind& kind = workload.operators[at].kind;
    for (const AllReduce& sum : sums_of(kind, plan)) {
      const bool is_update = sum.phase == AllReduce::Phase::update;
      const Collective& ring = is_update ? rings.data : rings.tensor;
      Picoseconds& part = is_update                                ? service.update
                          : sum.phase == AllReduce::Phase::forward ? service.forward_exchange
                                                                   : service.backward_exchange;
      part = later(part, ring.time(tensor_bytes(hardware, sum.elements)));
    }
  }
  const StageWork& work = cut.stages[stage];
  service.forward =
      later(compute_time(work.forward_flop, cut.stage_flop_per_s), service.forward_exchange);
  service.backward =
      later(compute_time(work.backward_flop, cut.stage_flop_per_s), service.backward_exchange);
  return service;
}

}  // namespace waferloom
