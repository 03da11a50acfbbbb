#include "placer/gigaplacer/gigaplacer.h"

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "model/placement.h"
#include "placer/bounds/bounds.h"
#include "placer/gigaplacer/refinement/adapter_refinement.h"
#include "placer/gigaplacer/refinement/distance_refinement.h"
#include "placer/gigaplacer/refinement/protocol_matching.h"
#include "placer/gigaplacer/refinement/time_tightening.h"
#include "placer/gigaplacer/rows/alpha_sweep.h"
#include "placer/gigaplacer/rows/row_judgement.h"
#include "placer/gigaplacer/rows/row_slack.h"
#include "placer/gigaplacer/rows/row_slides.h"
#include "placer/gigaplacer/time/time_estimate.h"
#include "placer/gigaplacer/time/time_search.h"

// Problem: place a chain-like kernel graph in rows, as the published placer does.
// Idea: kernels stand in rows in topological order. For each way to choose the rows, bisect for the
// least compute time that fits. At that time, and at larger ones, plan and lay the rows. Refine
// those that may still win, and keep the one with the least exact total.
// Source: GigaPlacer (Li et al., ASP-DAC 2021, 3.2 to 3.4); added steps are named so in the header.
// Cost: rows planned O(kernels · row length) a cap; refinement dominates.
namespace waferloom::placer {
namespace {

/// A layout that waits for its refinement.
struct Candidate {
  RowLayout layout;
  bool transposed = false;
  Int128 optimistic = 0;  ///< what its total may come down to
};

class GigaPlacer {
 public:
  GigaPlacer(const ShapeLibrary& library, const GigaPlacerParts& parts, const RunControl& control,
             const std::function<void(const Placement&)>& on_candidate)
      : problem_(library.problem()),
        parts_(parts),
        control_(control),
        on_candidate_(on_candidate),
        costs_(problem_),
        order_(kernel_order(problem_)),
        graph_(graph_neighbours(problem_)),
        cache_(library),
        largest_time_(slowest_time(problem_)) {}

  std::optional<Placement> run() {
    if (order_.size() == 0 || too_large()) return std::nullopt;
    start_ = initial_interval(cache_.library());
    const Extent wafer{problem_.wafer().width, problem_.wafer().height};
    generate(wafer, false);
    if (parts_.either_side && wafer.width != wafer.height)
      generate(Extent{wafer.height, wafer.width}, true);
    refine_candidates();
    return best_;
  }

 private:
  bool too_large() const {
    const auto side =
        static_cast<std::size_t>(std::max(problem_.wafer().width, problem_.wafer().height));
    return (problem_.kernel_count() + 1) > kMostTableEntries / (side + 1);
  }

  /// All ways to choose rows, each from its least time upwards.
  void generate(const Extent& room, bool transposed) {
    std::size_t most_rows = order_.size();
    for (const RowJudgement& judgement : row_judgements(parts_)) {
      if (judgement.rows > most_rows) break;
      if (control_.is_cut()) return;
      const auto time = least_time_of(judgement, room);
      if (!time) continue;
      const std::size_t rows = generate_at(judgement, room, *time, transposed);
      if (judgement.kind == RowJudgement::Kind::any_rows) most_rows = std::min(most_rows, rows);
      for (const std::int64_t enlarged : enlarged_times(judgement, *time)) {
        if (control_.is_cut() || hopeless(enlarged)) break;
        generate_at(judgement, room, enlarged, transposed);
      }
    }
  }

  std::vector<std::int64_t> enlarged_times(const RowJudgement& judgement, std::int64_t time) const {
    if (!parts_.alpha_sweep) return {};
    if (parts_.wide_sweep) return fine_sweep(time, largest_time_);
    if (judgement.kind == RowJudgement::Kind::any_rows) return {};
    return alpha_sweep(time, largest_time_);
  }

  std::optional<std::int64_t> least_time_of(const RowJudgement& judgement, const Extent& room) {
    const auto achievable = [&](std::int64_t time) {
      return control_.is_cut() ||
             is_achievable(judgement, RowTable(order_, room, time, cache_), parts_);
    };
    const auto time = least_achievable_time(achievable, start_, largest_time_);
    if (control_.is_cut()) return std::nullopt;
    return time;
  }

  /// What is slower than this by a sweep's step costs more in time alone than the best so far, and
  /// what is faster has been tried with a smaller cap.
  bool hopeless(std::int64_t time) const {
    return best_ && Int128(time) * costs_.per_time() / 51 * 50 >= best_total_;
  }

  /// Plans and lays rows under one time cap; answers how many.
  std::size_t generate_at(const RowJudgement& judgement, const Extent& room, std::int64_t time,
                          bool transposed) {
    const RowTable table(order_, room, time, cache_);
    const RowPlan plan = row_plan(judgement, table, costs_, parts_);
    if (plan.empty()) return 0;
    const RowCourse course = parts_.snake_order ? RowCourse::snake : RowCourse::rightward;
    add_candidate(lay_rows(table, with_free_height(table, plan), course), transposed);
    return plan.size();
  }

  /// A single row has all of the wafer's height (Fig. 5a): enlarged caps then make it narrower.
  RowPlan with_free_height(const RowTable& table, RowPlan plan) const {
    if (parts_.free_height) return spread_slack(table, std::move(plan));
    if (plan.size() == 1) plan.front().height = table.room().height;
    return plan;
  }

  void add_candidate(RowLayout layout, bool transposed) {
    if (parts_.slides) slide(graph_, layout, false);
    consider(layout, transposed);
    Score hoped = layout_score(problem_, layout);
    hoped.adapter = 0;
    hoped.half_distance -= hoped.half_distance / (parts_.snake_order ? kHopedShortening : 1);
    candidates_.push_back(Candidate{std::move(layout), transposed, costs_.total(hoped)});
    if (candidates_.size() >= 2 * most_candidates()) keep_promising();
  }

  std::size_t most_candidates() const {
    return std::clamp<std::size_t>(200'000 / order_.size(), 16, 2000);
  }

  void keep_promising() {
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [](const auto& a, const auto& b) { return a.optimistic < b.optimistic; });
    if (candidates_.size() > most_candidates()) candidates_.resize(most_candidates());
  }

  void refine_candidates() {
    keep_promising();
    std::optional<Placement> last;  // different judgements often find the same rows
    for (Candidate& candidate : candidates_) {
      if (control_.is_cut() || candidate.optimistic >= best_total_) break;
      Placement laid = to_placement(candidate.layout, candidate.transposed);
      if (last == laid) continue;
      last = std::move(laid);
      refine_candidate(candidate);
    }
  }

  void refine_candidate(Candidate& candidate) {
    if (parts_.time_tightening) {
      RowLayout faster = candidate.layout;
      if (tighten_time(cache_, faster)) refine(faster, candidate.transposed);
    }
    refine(candidate.layout, candidate.transposed);
  }

  void refine(RowLayout& layout, bool transposed) {
    const KernelLimits limits = cache_.library().common_limits(layout_score(problem_, layout).time);
    if (fewer_adapters(limits, layout)) consider(layout, transposed);
    shorter_wire(layout);
    if (parts_.slides && parts_.distance_refinement) slide(graph_, layout, true);
    consider(layout, transposed);
  }

  void shorter_wire(RowLayout& layout) {
    if (parts_.slides) slide(graph_, layout, false);
    if (parts_.distance_refinement) refine_distance(graph_, layout);
  }

  bool fewer_adapters(const KernelLimits& limits, RowLayout& layout) {
    if (!parts_.adapter_refinement || costs_.per_adapter() == 0) return false;
    return parts_.adapter_runs ? refine_adapters(problem_, costs_, limits, layout)
                               : match_protocols(problem_, limits, layout);
  }

  void consider(const RowLayout& layout, bool transposed) {
    assert(is_sound(problem_, layout));
    const Int128 total = costs_.total(layout_score(problem_, layout));
    if (best_ && total >= best_total_) return;
    best_ = to_placement(layout, transposed);
    best_total_ = total;
    on_candidate_(*best_);
  }

  /// Part of a plan's wire that refinement may save; of rows that all run rightward perhaps all.
  static constexpr std::int64_t kHopedShortening = 8;

  const Problem& problem_;
  const GigaPlacerParts& parts_;
  const RunControl& control_;
  const std::function<void(const Placement&)>& on_candidate_;
  CostModel costs_;
  KernelOrder order_;
  Neighbours graph_;
  ShapeCache cache_;
  std::int64_t largest_time_;
  TimeInterval start_;
  std::vector<Candidate> candidates_;
  std::optional<Placement> best_;
  Int128 best_total_ = 0;
};

}  // namespace

const std::vector<GigaPlacerPart>& published_parts() {
  static const std::vector<GigaPlacerPart> parts{
      {"row-limit", &GigaPlacerParts::row_limit},
      {"strips-plus-row", &GigaPlacerParts::strips_plus_row},
      {"alpha-sweep", &GigaPlacerParts::alpha_sweep},
      {"adapter-refinement", &GigaPlacerParts::adapter_refinement},
      {"distance-refinement", &GigaPlacerParts::distance_refinement}};
  return parts;
}

const std::vector<GigaPlacerPart>& added_parts() {
  static const std::vector<GigaPlacerPart> parts{
      {"snake-order", &GigaPlacerParts::snake_order},
      {"free-height", &GigaPlacerParts::free_height},
      {"slides", &GigaPlacerParts::slides},
      {"strips-above", &GigaPlacerParts::strips_above},
      {"wide-sweep", &GigaPlacerParts::wide_sweep},
      {"time-tightening", &GigaPlacerParts::time_tightening},
      {"adapter-runs", &GigaPlacerParts::adapter_runs},
      {"either-side", &GigaPlacerParts::either_side}};
  return parts;
}

GigaPlacerParts gigaplacer_plus() {
  GigaPlacerParts parts;
  for (const GigaPlacerPart& added : added_parts()) parts.*added.flag = true;
  return parts;
}

std::optional<Placement> gigaplacer(const ShapeLibrary& library, const GigaPlacerParts& parts,
                                    const RunControl& control,
                                    const std::function<void(const Placement&)>& on_candidate) {
  return GigaPlacer(library, parts, control, on_candidate).run();
}

}  // namespace waferloom::placer
