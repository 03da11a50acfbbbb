#include "router/route_bound.h"

#include <fmt/format.h>

#include "router/relaxation/relaxation.h"

namespace waferloom::router {

std::string proof_text(const BoundProof& proof) {
  const Rectangle& tiles = proof.tiles;
  switch (proof.kind) {
    case BoundProof::Kind::none:
      break;
    case BoundProof::Kind::links_out:
    case BoundProof::Kind::links_in:
      return fmt::format(
          "{}{} x {} tiles at ({}, {})",
          proof.kind == BoundProof::Kind::links_out ? "links out of " : "links into ", tiles.width,
          tiles.height, tiles.x, tiles.y);
    case BoundProof::Kind::lanes:
      return "lanes of " + proof.tensor;
    case BoundProof::Kind::prices:
      return "prices of cell borders";
  }
  return "";
}

RouteBound route_bound(const Traffic& traffic, const Hardware& hardware,
                       const RouteBoundOptions& options) {
  demand_on_mesh(traffic, hardware);
  Relaxation relaxation(traffic, hardware, options.cell);
  RouteBound none;
  if (const auto tensor = relaxation.find_possible_ends()) {
    none.infeasible = relaxation.cut_off_text(*tensor);
    return none;
  }
  relaxation.find_bound();
  if (options.rounds > 0) {
    FlowOptions flow;
    flow.rounds = options.rounds;
    flow.to_the_bound = true;
    const std::vector<Commodity> tensors = relaxation.whole_tensors();
    FlowResult found =
        concurrent_flow(relaxation.grid(), relaxation.parts_of_tensors(), tensors, flow);
    // Where some tile has no way, others of its tensor may.
    if (found.cut_off) found = concurrent_flow(relaxation.grid(), tensors, tensors, flow);
    if (found.cut_off) {
      none.infeasible = relaxation.cut_off_text(*found.cut_off);
      return none;
    }
    relaxation.raise(found);
  }
  RouteBound bound = relaxation.bound();
  const double rate = relaxation.limited().tile_bytes_per_ps();
  for (std::size_t i = 0; i < traffic.tensors.size(); ++i) {
    const auto lanes = static_cast<double>(relaxation.ends()[i].lanes_most);
    bound.lanes_ps.push_back(static_cast<double>(traffic.tensors[i].bytes) / lanes / rate);
  }
  return bound;
}

}  // namespace waferloom::router
