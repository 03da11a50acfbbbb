#include "placer/starts/starts.h"

#include <algorithm>
#include <optional>

#include "model/run_control.h"
#include "placer/annealing/curve_annealer.h"
#include "placer/annealing/time_steps.h"
#include "placer/bounds/bounds.h"
#include "placer/gigaplacer/gigaplacer.h"
#include "placer/starts/bisection_start.h"
#include "placer/starts/chain_row.h"
#include "placer/starts/clear_start.h"
#include "placer/starts/rows/row_dp.h"
#include "placer/starts/rows/signature_dp.h"
#include "placer/starts/rows/signature_rows.h"
#include "placer/starts/rows/stack_rows.h"
#include "placer/starts/slicing_dp.h"

namespace waferloom::placer {
namespace {

/// The fastest tree that `build(shapes)` can make: doubling, then bisection on the time cap.
template <typename Build>
void emit_fastest(const SearchContext& context, const Build& build, const EmitPlacement& emit) {
  const std::int64_t slowest = slowest_time(context.problem);
  std::int64_t low = context.area_bound;
  std::int64_t high = low;
  const auto tree_at = [&](std::int64_t time) -> std::optional<SlicingTree> {
    if (context.stop.is_cut()) return std::nullopt;
    return build(context.library.at(time));
  };
  while (!tree_at(high)) {
    if (high >= slowest || context.stop.is_cut()) return;
    low = high + 1;
    high = std::min(slowest, high + high / 4 + 1);
  }
  const std::int64_t least =
      least_time(low, high, [&](std::int64_t time) { return tree_at(time).has_value(); });
  const ShapesAtTime shapes = context.library.at(least);
  const std::optional<SlicingTree> tree = build(shapes);
  if (!tree) return;
  if (const auto placement = lay_out(context.library, shapes, *tree)) emit(*placement);
}

void rows(const SearchContext& context, const EmitPlacement& emit) {
  constexpr std::size_t kMostRows = 8;
  for (std::size_t count = 0; count <= std::min(kMostRows, context.order.size()); ++count) {
    for (const bool columns : {false, true}) {
      const auto build = [&](const ShapesAtTime& shapes) {
        return row_dp(context.library, shapes, context.order, RowPattern{count, columns});
      };
      emit_fastest(context, build, emit);
    }
  }
}

void slicing(const SearchContext& context, const EmitPlacement& emit) {
  constexpr std::size_t kMostKernels = 300;
  if (context.order.size() > kMostKernels || !slicing_dp_has_room(context.library)) return;
  const auto build = [&](const ShapesAtTime& shapes) {
    return slicing_dp(context.library, shapes, context.order, context.stop);
  };
  emit_fastest(context, build, emit);
}

/// Rows of stacks at the steps of the area staircase, from the least cap at which they fit.
void stacks(const SearchContext& context, const EmitPlacement& emit) {
  constexpr std::size_t kKernelSteps = 640;  // fewer caps for more kernels
  constexpr std::size_t kLeastSteps = 6;
  constexpr std::size_t kMostSteps = 40;
  constexpr std::size_t kMostRows = 6;
  constexpr std::size_t kMostKernels = 400;
  constexpr std::size_t kBatch = 4;  // caps tried side by side
  if (context.order.size() > kMostKernels) return;
  const TimeRange range{context.area_bound, context.area_bound + context.area_bound / 4};
  const std::size_t steps =
      std::clamp(kKernelSteps / context.order.size(), kLeastSteps, kMostSteps);
  const std::vector<std::int64_t> times = time_steps(context.library, range, steps);
  const auto placements_at = [&](std::int64_t time) {
    std::vector<Placement> placements;
    if (context.stop.is_cut()) return placements;
    const ShapesAtTime shapes = context.library.at(time);
    for (const SlicingTree& tree : stack_rows(context.library, shapes, context.order, kMostRows)) {
      auto placement = lay_out(context.library, shapes, tree);
      if (placement) placements.push_back(std::move(*placement));
    }
    return placements;
  };
  const auto least = std::partition_point(times.begin(), times.end(), [&](std::int64_t time) {
    return placements_at(time).empty() && !context.stop.is_cut();
  });
  std::optional<Int128> best;
  auto first = static_cast<std::size_t>(least - times.begin());
  while (first < times.size() && !context.stop.is_cut()) {
    if (best && Int128{times[first]} * context.costs.per_time() > *best) return;
    std::vector<std::vector<Placement>> batch(std::min(kBatch, times.size() - first));
    parallel_tasks(batch.size(), context.threads,
                   [&](std::size_t i) { batch[i] = placements_at(times[first + i]); });
    for (const auto& placements : batch) {
      for (const Placement& placement : placements) {
        const Int128 total = context.costs.total(score(context.problem, placement));
        if (!best || total < *best) best = total;
        emit(placement);
      }
    }
    first += batch.size();
  }
}

void giga(const SearchContext& context, const GigaPlacerParts& parts, const EmitPlacement& emit) {
  gigaplacer(context.library, parts, context.stop,
             [&](const Placement& placement) { emit(placement); });
}

std::vector<Start> make_table() {
  std::vector<Start> table;
  table.push_back({"rows",
                   "consecutive kernels in rows, up to eight or as many as help, on shape curves",
                   rows});
  table.push_back({"signature-rows", "all kernels under one signature in rows of equal height",
                   [](const SearchContext& context, const EmitPlacement& emit) {
                     signature_rows(context.library, context.space, context.order, context.stop,
                                    emit);
                   }});
  table.push_back(
      {"signature-dp", "rows under a signature of their own each, by their wire", signature_dp});
  table.push_back({"chain-row", "a chain in one row, exactly", chain_row});
  table.push_back({"stack-rows", "rows of stacks, by their wire, at steps of the time", stacks});
  table.push_back(
      {"bisection", "recursive bisection with few cut edges, on shape curves", bisection_start});
  table.push_back({"free-rectangles",
                   "kernels one by one into what is free; keeps clear of dead tiles and regions",
                   clear_start});
  table.push_back({"slicing-dp", "optimal order-preserving slicing packing", slicing});
  const auto add_giga = [&](const std::string& name, const std::string& description,
                            const GigaPlacerParts& parts) {
    table.push_back(
        {name, description, [parts](const SearchContext& context, const EmitPlacement& emit) {
           giga(context, parts, emit);
         }});
  };
  add_giga("gigaplacer", "GigaPlacer as published (ASP-DAC 2021)", {});
  for (const GigaPlacerPart& part : published_parts()) {
    GigaPlacerParts parts;
    parts.*part.flag = false;
    add_giga(std::string("gigaplacer-no-") + part.name,
             std::string("GigaPlacer without its ") + part.name + ", for ablation", parts);
  }
  add_giga("gigaplacer-plus", "GigaPlacer and what we added to it", gigaplacer_plus());
  for (const GigaPlacerPart& part : added_parts()) {
    GigaPlacerParts parts = gigaplacer_plus();
    parts.*part.flag = false;
    add_giga(std::string("gigaplacer-plus-no-") + part.name,
             std::string("gigaplacer-plus without its ") + part.name + ", for ablation", parts);
  }
  return table;
}

}  // namespace

const std::vector<Start>& start_table() {
  static const std::vector<Start> table = make_table();
  return table;
}

}  // namespace waferloom::placer
