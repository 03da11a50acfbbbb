#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "planner/reweighing.h"

namespace waferloom {

/// What is known of the edges of the best placement so far, by connection of the problem.
struct EdgeLoads {
  std::vector<double> bytes;    ///< of a sample
  std::vector<double> traffic;  ///< of a sample, each byte as busy as the links that it uses
};

/// Another way to place a case.
struct CaseProposal {
  std::string name;
  std::string description;  ///< what it changes, for reports
  Reweighing weights;
  std::string strategy = "auto";
  std::uint64_t seed_offset = 0;
  bool from_best = false;  ///< starts from the best placement so far
};

/// The proposals of a round, counted from 0: the first one tries everything, later ones what
/// depends on the loads, and other seeds.
std::vector<CaseProposal> case_proposals(const EdgeLoads& loads, std::size_t round);

}  // namespace waferloom
