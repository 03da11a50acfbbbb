#include "planner/dfmodel/mapping/ideal_program.h"

#include <bit>

#include "planner/dfmodel/mapping/additive_cost.h"
#include "planner/dfmodel/mapping/mapping_numbers.h"

namespace waferloom::planner {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFF;
/// What sums in another order may differ by; bounds that prune are loosened by it.

class IdealProgram {
 public:
  IdealProgram(const MappingProblem& problem, const OrderIdeals& ideals,
               const IdealProgramOptions& options)
      : problem_(problem),
        ideals_(ideals),
        options_(options),
        shares_(problem),
        now_(ideals.words, 0),
        rows_(options.partitions.value_or(1) + 1),
        is_counted_(options.partitions.has_value()),
        sram_limit_(problem.rates.sram_bytes * static_cast<double>(problem.graph.pieces)),
        known_limit_(options.known_total_s * (1 + kRounding)) {
    if (!is_counted_) rows_ = 1;
    best_.assign(rows_ * ideals.count(), kInfinity);
    parent_.assign(rows_ * ideals.count(), kNone);
  }

  IdealProgramResult run() {
    best_[0] = 0;
    for (std::uint32_t ideal = 0; ideal + 1 < ideals_.count(); ++ideal) {
      if (ideal % 64 == 0 && options_.control.is_cut()) {
        result_.was_stopped = true;
        return std::move(result_);
      }
      leave(ideal);
    }
    trace_back();
    return std::move(result_);
  }

 private:
  double& best(std::size_t ideal, std::size_t row) { return best_[ideal * rows_ + row]; }

  void leave(std::uint32_t ideal) {
    low_row_ = 0;
    while (low_row_ < rows_ && best(ideal, low_row_) == kInfinity) ++low_row_;
    if (low_row_ == rows_ || (is_counted_ && low_row_ + 1 == rows_)) return;
    high_row_ = rows_ - 1;
    while (best(ideal, high_row_) == kInfinity) --high_row_;
    if (is_counted_) high_row_ = std::min(high_row_, rows_ - 2);
    set_out(ideal);
    double cheapest = kInfinity;
    for (std::size_t row = low_row_; row <= high_row_; ++row) {
      cheapest = std::min(cheapest, best(ideal, row));
    }
    if (cheapest + rest_s_ > known_limit_) return;
    from_ = ideal;
    base_s_ = best(ideal, 0);
    inside_.clear();
    walk({.ideal = ideal, .least = 0}, CostSums{});
  }

  /// Shares of kernels after an ideal, and a bound on what is left to do. Only kernels in which it
  /// differs from the last ideal are gone through.
  void set_out(std::uint32_t ideal) {
    const std::uint64_t* bits = ideals_.bits.data() + ideal * ideals_.words;
    for (std::size_t w = 0; w < ideals_.words; ++w) {
      std::uint64_t changed = bits[w] ^ now_[w];
      now_[w] = bits[w];
      for (; changed != 0; changed &= changed - 1) {
        const std::size_t kernel = 64 * w + static_cast<std::size_t>(std::countr_zero(changed));
        if (ideals_.contains(ideal, kernel)) {
          shares_.finish(kernel);
        } else {
          shares_.take_back(kernel);
        }
      }
    }
    CostSums rest = shares_.rest();
    if (options_.compute_s) rest.compute_s = 0;
    rest.memory_s += shares_.waiting_bytes() / problem_.rates.dram_bytes_per_s;
    rest_s_ = shares_.least_s(rest);
    dram_left_ = problem_.rates.dram_bytes - shares_.waiting_bytes();
  }

  struct Reached {
    std::uint32_t ideal = 0;
    std::uint32_t least = 0;  ///< kernel that may come next
  };

  /// Prices every ideal above one that the partition so far reaches by kernels from `least` on.
  /// The walk along the smallest kernel is a loop, so that long chains are no deep recursion.
  void walk(Reached at, CostSums sums) {
    const std::size_t inside_before = inside_.size();
    for (;;) {
      const OrderIdeals::Step* begin = ideals_.steps.data() + ideals_.first[at.ideal];
      const OrderIdeals::Step* end = ideals_.steps.data() + ideals_.first[at.ideal + 1];
      while (begin != end && begin->kernel < at.least) ++begin;
      for (const OrderIdeals::Step* step = end; step > begin + 1;) {
        --step;
        CostSums next = sums;
        if (!enter(*step, next)) continue;
        walk({.ideal = step->to, .least = step->kernel + 1}, next);
        if (options_.compute_s) inside_.pop_back();
      }
      if (begin == end || !enter(*begin, sums)) break;
      at = {.ideal = begin->to, .least = begin->kernel + 1};
    }
    inside_.resize(inside_before);
  }

  /// Adds a kernel to the partition and prices the ideal that it leads to, if the SRAM holds it.
  bool enter(const OrderIdeals::Step& step, CostSums& sums) {
    sums += shares_.of(step.kernel);
    if (sums.sram > sram_limit_) return false;
    ++result_.transitions;
    if (options_.compute_s) {
      inside_.push_back(step.kernel);
      sums.compute_s = 0;  // sums are not used then
    }
    if (sums.live_dram_bytes <= dram_left_) relax(step.to, sums);
    return true;
  }

  void relax(std::uint32_t ideal, CostSums& sums) {
    if (!is_counted_) {
      if (base_s_ + shares_.total_s(sums) >= best_[ideal]) return;
      if (options_.compute_s) {
        sums.compute_s = options_.compute_s(inside_);
        if (base_s_ + shares_.total_s(sums) >= best_[ideal]) return;
      }
      best_[ideal] = base_s_ + shares_.total_s(sums);
      parent_[ideal] = from_;
      return;
    }
    if (options_.compute_s) sums.compute_s = options_.compute_s(inside_);
    const double cost = shares_.total_s(sums);
    for (std::size_t row = low_row_; row <= high_row_; ++row) {
      const double total = best(from_, row) + cost;
      double& known = best(ideal, row + 1);
      if (total >= known) continue;
      known = total;
      parent_[ideal * rows_ + row + 1] = from_;
    }
  }

  void trace_back() {
    std::uint32_t ideal = static_cast<std::uint32_t>(ideals_.count() - 1);
    std::size_t row = rows_ - 1;
    if (best(ideal, row) == kInfinity) return;
    while (ideal != 0) {
      const std::uint32_t before = parent_[ideal * rows_ + row];
      std::vector<std::size_t> partition;
      for (std::size_t kernel = 0; kernel < problem_.kernels(); ++kernel) {
        if (ideals_.contains(ideal, kernel) && !ideals_.contains(before, kernel)) {
          partition.push_back(kernel);
        }
      }
      result_.partitions.push_back(std::move(partition));
      ideal = before;
      if (is_counted_) --row;
    }
    std::reverse(result_.partitions.begin(), result_.partitions.end());
  }

  const MappingProblem& problem_;
  const OrderIdeals& ideals_;
  const IdealProgramOptions& options_;
  KernelShares shares_;
  std::vector<std::uint64_t> now_;  ///< the ideal that the shares are after
  std::size_t rows_;                ///< partitions so far + 1, or 1 where they are not counted
  bool is_counted_;
  double sram_limit_;
  double known_limit_;
  std::vector<double> best_;
  std::vector<std::uint32_t> parent_;
  // Of the ideal that is being left:
  std::uint32_t from_ = 0;
  std::size_t low_row_ = 0;
  std::size_t high_row_ = 0;
  double base_s_ = 0;
  double rest_s_ = 0;
  double dram_left_ = 0;
  std::vector<std::size_t> inside_;  ///< only where compute is asked for
  IdealProgramResult result_;
};

}  // namespace

IdealProgramResult best_chain(const MappingProblem& problem, const OrderIdeals& ideals,
                              const IdealProgramOptions& options) {
  return IdealProgram(problem, ideals, options).run();
}

}  // namespace waferloom::planner
