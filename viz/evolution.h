#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/placement.h"
#include "model/problem.h"
#include "viz/floorplan.h"

namespace waferloom::viz {

/// How a placement came about: the improvements of a run that an animation shows, at most
/// kMostShown and among them always the first and the last.
class Evolution {
 public:
  static constexpr std::size_t kMostShown = 24;

  /// `network` if kernels are the stages of one.
  explicit Evolution(const Problem& problem, std::optional<NetworkStages> network = {})
      : problem_(problem), network_(std::move(network)), costs_(problem) {}

  /// Improvements come in the order in which they were found: by which strategy, and when.
  void add(const Placement& placement, const Score& score, const std::string& strategy,
           double wall_s);

  /// An animated PNG of their floorplans, each with `source`, its strategy and its time in the
  /// small print; the last is `written`, which may be another one of the same total. There is at
  /// least one improvement.
  std::string draw(const Placement& written, const std::string& source) const;

 private:
  struct Shown {
    Placement placement;
    double total = 0;
    std::string caption;
  };
  void drop_least_telling();

  const Problem& problem_;
  std::optional<NetworkStages> network_;
  CostModel costs_;
  std::vector<Shown> shown_;
};

}  // namespace waferloom::viz
