#include "placer/starts/rows/signature_dp.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <vector>

#include "model/run_control.h"
#include "placer/bounds/bounds.h"
#include "placer/starts/rows/flat_rows.h"
#include "placer/starts/rows/folded_rows.h"

namespace waferloom::placer {
namespace {

constexpr std::size_t kMostKernels = 400;

/// Tries time caps and emits what becomes better.
class CapTrials {
 public:
  CapTrials(const SearchContext& context, const EmitPlacement& emit)
      : context_(context),
        emit_(emit),
        edges_(context),
        signatures_(row_signatures(context.library)) {}

  /// What is laid out at a cap.
  enum class Form { flat, folded };

  /// Whether it found something better. Caps are laid out a few at a time, side by side, and those
  /// of one time know only what is best before them.
  bool try_caps(const std::vector<std::int64_t>& caps, Form form = Form::flat) {
    std::vector<std::int64_t> open;
    for (const std::int64_t cap : caps) {
      if (cap < context_.area_bound || (form == Form::flat && tried_.count(cap) > 0)) continue;
      tried_.insert(cap);
      open.push_back(cap);
    }
    bool better = false;
    for (std::size_t first = 0; first < open.size(); first += kSideBySide) {
      const std::size_t count = std::min(kSideBySide, open.size() - first);
      std::vector<std::vector<Placement>> found(count);
      parallel_tasks(count, context_.threads,
                     [&](std::size_t i) { found[i] = lay_out(open[first + i], form); });
      for (std::size_t i = 0; i < count; ++i) {
        for (const Placement& placement : found[i]) {
          better = judge(placement, open[first + i]) || better;
        }
      }
    }
    return better;
  }

  /// Caps from the best one down to nine tenths of it, the middle of these first: so near the best
  /// little is gained, far below it little fits.
  std::vector<std::int64_t> down_from_best(std::int64_t count) const {
    std::vector<std::int64_t> caps;
    for (std::int64_t i = 1; i <= count && best_; ++i) {
      const std::int64_t step = count / 2 + (i % 2 == 0 ? i / 2 : -(i / 2));
      caps.push_back(best_cap_ - best_cap_ * step / (10 * count));
    }
    return caps;
  }

  /// Caps between the best one and the next lower and higher ones that have been tried.
  std::vector<std::int64_t> around_best() const {
    constexpr std::int64_t kBelow = 3;
    constexpr std::int64_t kAbove = 2;
    std::vector<std::int64_t> caps;
    if (!best_) return caps;
    const auto best = tried_.find(best_cap_);
    const std::int64_t lower = best == tried_.begin() ? best_cap_ : *std::prev(best);
    const std::int64_t higher = std::next(best) == tried_.end() ? best_cap_ : *std::next(best);
    const auto add = [&](std::int64_t cap) {
      if (tried_.count(cap) == 0 && (caps.empty() || caps.back() != cap)) caps.push_back(cap);
    };
    for (std::int64_t i = 1; i <= kBelow; ++i) {
      add(lower + (best_cap_ - lower) * i / (kBelow + 1));
    }
    for (std::int64_t i = 1; i <= kAbove; ++i) {
      add(best_cap_ + (higher - best_cap_) * i / (kAbove + 1));
    }
    return caps;
  }

 private:
  static constexpr std::size_t kSideBySide = 2;

  /// Placements at a cap, some of which may be better than the best.
  std::vector<Placement> lay_out(std::int64_t cap, Form form) const {
    const double most = best_ ? static_cast<double>(*best_ - time_cost(cap)) : kAnyChange;
    if (most <= 0 || context_.stop.is_cut()) return {};
    const RowOptions options(context_, edges_, signatures_, cap);
    if (form == Form::flat) return flat_rows(context_, options, most);
    auto folded = folded_rows(context_, options, most);
    if (!folded) return {};
    return {*std::move(folded)};
  }

  bool judge(const Placement& placement, std::int64_t cap) {
    const Int128 total = context_.costs.total(score(context_.problem, placement));
    if (best_ && total >= *best_) return false;
    best_ = total;
    best_cap_ = cap;
    emit_(placement);
    return true;
  }

  Int128 time_cost(std::int64_t cap) const { return Int128(cap) * context_.costs.per_time(); }

  const SearchContext& context_;
  const EmitPlacement& emit_;
  OrderedEdges edges_;
  std::vector<ImageSplit> signatures_;
  std::set<std::int64_t> tried_;
  std::optional<Int128> best_;
  std::int64_t best_cap_ = 0;
};

bool is_for_rows(const SearchContext& context) {
  if (!context.problem.constraints().empty() || context.order.size() > kMostKernels) return false;
  for (std::size_t type = 0; type < context.library.type_count(); ++type) {
    if (is_shape_list(context.library.type(type))) return false;
  }
  return true;
}

}  // namespace

void signature_dp(const SearchContext& context, const EmitPlacement& emit) {
  constexpr int kCaps = 8;
  constexpr double kLargest = 8;  // cap, as a multiple of the least
  constexpr int kRefinements = 3;
  constexpr std::int64_t kFoldedCaps = 6;
  if (!is_for_rows(context)) return;
  CapTrials trials(context, emit);
  std::vector<std::int64_t> caps;
  const auto slowest = static_cast<double>(slowest_time(context.problem));
  for (int i = 1; i <= kCaps; ++i) {
    const double grown = std::pow(kLargest, static_cast<double>(i * i) / (kCaps * kCaps));
    caps.push_back(static_cast<std::int64_t>(
        std::min(slowest, static_cast<double>(context.area_bound) * grown)));
  }
  trials.try_caps(caps);
  for (int i = 0; i < kRefinements && trials.try_caps(trials.around_best()); ++i) {
  }
  if (trials.try_caps(trials.down_from_best(kFoldedCaps), CapTrials::Form::folded)) {
    trials.try_caps(trials.around_best(), CapTrials::Form::folded);
  }
}

}  // namespace waferloom::placer
