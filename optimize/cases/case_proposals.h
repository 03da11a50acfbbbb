#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "optimize/search/reweighing.h"

namespace waferloom::optimize {

/// What is known of the edges of the best placement so far, by connection of the problem.
struct EdgeLoads {
  std::vector<double> bytes;    ///< of a sample
  std::vector<double> traffic;  ///< of a sample, each byte as busy as the links that it uses
  std::vector<double> prices;   ///< of a tile of its way; of planned routes
  std::vector<double> lanes;    ///< what a sample needs of them, in any unit; likewise
};

/// Another way to place a case.
struct CaseProposal {
  std::string name;
  std::string description;  ///< what it changes, for reports
  Reweighing weights;
  std::string strategy = "auto";
  std::uint64_t seed_offset = 0;
  bool from_best = false;  ///< starts from the best placement so far
  int less_effort = 0;     ///< than asked for
};

/// The proposals of a round, counted from 0: the first one tries much, with two steps less
/// effort, later ones what is near the weights under which the best so far was found, with one.
std::vector<CaseProposal> case_proposals(const EdgeLoads& loads, const Reweighing& of_best,
                                         std::size_t round);

/// The same where routes are planned: edges weigh as the routes of the best so far price them, or
/// more the longer their lanes need.
std::vector<CaseProposal> routed_proposals(const EdgeLoads& loads, const Reweighing& of_best,
                                           std::size_t round);

}  // namespace waferloom::optimize
