#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/text.h"
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
  Decimal6 buffers{0};     ///< samples of an edge that it leaves room for (with_buffers)
};

/// The proposals of a round, counted from 0: the first one tries much, with two steps less
/// effort, later ones what is near the weights under which the best so far was found, with one.
std::vector<CaseProposal> case_proposals(const EdgeLoads& loads, const Reweighing& of_best,
                                         std::size_t round);

/// The same where routes are planned: edges weigh as the routes of the best so far price them, or
/// more the longer their lanes need.
std::vector<CaseProposal> routed_proposals(const EdgeLoads& loads, const Reweighing& of_best,
                                           std::size_t round);

/// The best placement so far, as far as buffers are concerned.
struct BufferState {
  Decimal6 samples{0};      ///< of an edge that it was given room for
  bool lacks_room = false;  ///< its pipeline would be faster with more
};

/// Other room for buffers: where the best lacks it, several numbers of samples in the first round,
/// under the case's own weights and for time alone; then, under those of the best, half a sample
/// more than it has. And half a sample less, since room is paid for with time. None where the best
/// neither has nor lacks it.
std::vector<CaseProposal> buffer_proposals(const BufferState& best, const Reweighing& of_best,
                                           std::size_t round);

}  // namespace waferloom::optimize
