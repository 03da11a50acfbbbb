#include "optimize/cases/case_proposals.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace waferloom::optimize {
namespace {

enum class Edges { as_before, bytes, traffic, prices, lanes };

/// A row of a table of proposals.
struct Row {
  const char* name;
  const char* description;
  double distance = 1;  ///< factors on the weights
  double adapter = 1;
  Edges edges = Edges::as_before;
  const char* strategy = "auto";
  bool from_best = false;
  std::uint64_t seed_offset = 0;
};

constexpr double kTimeAlone = 0.001;  // of distance and adapters, where computing alone counts
constexpr int kLessAtFirst = 2;       // effort
constexpr int kLessLater = 1;

constexpr Decimal6 kBufferStep{Decimal6::kOne / 2};
// With 2 kernels of equal times do not wait where data moves in no time, with half a sample more
// where it moves in half of theirs; with half the samples half as many come through.
constexpr Decimal6 kFirstBuffers[] = {
    decimal6(1), decimal6(2), {decimal6(2).millionths + kBufferStep.millionths}};

constexpr Row kFirst[] = {
    {"traffic", "edges weigh as what they put on busy links", 1, 1, Edges::traffic},
    {"traffic from best", "likewise, distance weighs four times, from the best so far", 4, 1,
     Edges::traffic, "auto", true},
    {"bytes", "edges weigh as their bytes", 1, 1, Edges::bytes},
    {"bytes, wire", "likewise, distance weighs eight times", 8, 1, Edges::bytes},
    {"wire x2", "distance weighs twice", 2},
    {"wire x4", "distance weighs four times", 4},
    {"wire x8", "distance weighs eight times", 8},
    {"wire x32", "distance weighs 32 times", 32},
    {"time x2", "distance and adapters weigh half", 0.5, 0.5},
    {"time x4", "distance and adapters weigh a quarter", 0.25, 0.25},
    {"time x8", "distance and adapters weigh an eighth", 0.125, 0.125},
    {"rows", "the start rows alone", 1, 1, Edges::as_before, "rows"},
    {"signature-rows", "the start signature-rows alone", 1, 1, Edges::as_before, "signature-rows"},
    {"stack-rows", "the start stack-rows alone", 1, 1, Edges::as_before, "stack-rows"},
    {"seed", "another seed", 1, 1, Edges::as_before, "auto", false, 1},
};

constexpr Row kLater[] = {
    {"best, traffic", "edges weigh as what they put on busy links", 1, 1, Edges::traffic},
    {"best, traffic from best", "likewise, distance weighs four times, from the best so far", 4, 1,
     Edges::traffic, "auto", true},
    {"best, more effort", "the weights of the best so far, with more effort"},
    {"best, wire", "likewise, distance weighs half more", 1.5},
    {"best, time", "likewise, distance and adapters weigh a third less", 0.67, 0.67},
    {"best, adapters", "likewise, adapters weigh three times", 1, 3},
    {"best, seed", "likewise, another seed", 1, 1, Edges::as_before, "auto", false, 1},
};

constexpr Row kRouted[] = {
    {"lanes", "edges weigh more the longer their lanes need", 1, 1, Edges::lanes},
    {"prices", "edges weigh as their tensors' prices", 1, 1, Edges::prices},
    {"lanes, wire", "edges weigh more the longer their lanes need, distance eight times", 8, 1,
     Edges::lanes},
    {"prices from best", "edges weigh as prices, distance four times, from the best so far", 4, 1,
     Edges::prices, "auto", true},
    {"wire", "distance weighs four times", 4},
    {"time", "distance and adapters weigh a quarter", 0.25, 0.25},
    {"lanes, time",
     "edges weigh more the longer their lanes need, distance and adapters a thousandth", kTimeAlone,
     kTimeAlone, Edges::lanes},
    {"seed", "another seed", 1, 1, Edges::as_before, "auto", false, 1},
};

/// Edges that weighed alike weigh up to four times as much as those whose lanes need no time.
std::vector<double> by_lanes(const std::vector<double>& lanes, std::vector<double> weights) {
  weights.resize(lanes.size(), 1);
  const double most = lanes.empty() ? 0 : *std::max_element(lanes.begin(), lanes.end());
  for (std::size_t i = 0; i < lanes.size() && most > 0; ++i) {
    const double factor = 1 + lanes[i] / most;
    weights[i] *= factor * factor;
  }
  return weights;
}

CaseProposal proposal_of(const Row& row, const EdgeLoads& loads, const Reweighing& base) {
  CaseProposal proposal;
  proposal.name = row.name;
  proposal.description = row.description;
  proposal.strategy = row.strategy;
  proposal.from_best = row.from_best;
  proposal.seed_offset = row.seed_offset;
  proposal.weights = base;
  proposal.weights.distance *= row.distance;
  proposal.weights.adapter *= row.adapter;
  if (row.edges == Edges::bytes) proposal.weights.edges = blended(loads.bytes, kLoadedShare);
  if (row.edges == Edges::traffic) proposal.weights.edges = blended(loads.traffic, kLoadedShare);
  if (row.edges == Edges::prices) proposal.weights.edges = blended(loads.prices, kLoadedShare);
  if (row.edges == Edges::lanes) proposal.weights.edges = by_lanes(loads.lanes, base.edges);
  return proposal;
}

}  // namespace

std::vector<CaseProposal> case_proposals(const EdgeLoads& loads, const Reweighing& of_best,
                                         std::size_t round) {
  std::vector<CaseProposal> proposals;
  if (round == 0) {
    for (const Row& row : kFirst) {
      proposals.push_back(proposal_of(row, loads, {}));
      proposals.back().less_effort = kLessAtFirst;
    }
    return proposals;
  }
  for (const Row& row : kLater) {
    proposals.push_back(proposal_of(row, loads, of_best));
    proposals.back().name += fmt::format(" {}", round + 1);
    proposals.back().seed_offset *= round;
    proposals.back().less_effort = kLessLater;
  }
  return proposals;
}

std::vector<CaseProposal> routed_proposals(const EdgeLoads& loads, const Reweighing& of_best,
                                           std::size_t round) {
  std::vector<CaseProposal> proposals;
  for (const Row& row : kRouted) {
    proposals.push_back(proposal_of(row, loads, round == 0 ? Reweighing{} : of_best));
    if (round > 0) proposals.back().name += fmt::format(" {}", round + 1);
    proposals.back().seed_offset *= round + 1;
    proposals.back().less_effort = round == 0 ? kLessAtFirst : kLessLater;
  }
  return proposals;
}

std::vector<CaseProposal> buffer_proposals(const BufferState& best, const Reweighing& of_best,
                                           std::size_t round) {
  std::vector<CaseProposal> proposals;
  const auto propose = [&](Decimal6 samples, const char* name, const char* description,
                           const Reweighing& weights) {
    CaseProposal proposal;
    proposal.name = "buffers " + to_string(samples) + name;
    if (round > 0) proposal.name += fmt::format(" in round {}", round + 1);
    proposal.description = "room for " + to_string(samples) + " samples an edge" + description;
    proposal.weights = weights;
    proposal.less_effort = round == 0 ? kLessAtFirst : kLessLater;
    proposal.buffers = samples;
    proposals.push_back(std::move(proposal));
  };
  if (round == 0 && best.lacks_room) {
    Reweighing time;
    time.distance = time.adapter = kTimeAlone;
    for (const Decimal6 samples : kFirstBuffers) {
      propose(samples, "", "", {});
      propose(samples, ", time", ", distance and adapters weigh a thousandth", time);
    }
  } else if (round > 0) {
    if (best.samples > kBufferStep) {
      propose({best.samples.millionths - kBufferStep.millionths}, "", "", of_best);
    }
    if (best.lacks_room) {
      propose({best.samples.millionths + kBufferStep.millionths}, "", "", of_best);
    }
  }
  return proposals;
}

}  // namespace waferloom::optimize
