#include "planner/case_proposals.h"

#include <cstdint>

namespace waferloom {
namespace {

enum class Edges { as_given, bytes, traffic };

/// A row of the table of proposals.
struct Row {
  const char* name;
  const char* description;
  double distance = 1;  ///< factors on the weights
  double adapter = 1;
  Edges edges = Edges::as_given;
  double share = 0;  ///< of the weights of edges that is in proportion to their loads
  const char* strategy = "auto";
  bool from_best = false;
  bool every_round = false;
};

constexpr Row kRows[] = {
    {"traffic", "edges weigh as what they put on busy links", 1, 1, Edges::traffic, 0.9, "auto",
     false, true},
    {"traffic from best", "likewise, from the best placement so far", 4, 1, Edges::traffic, 0.9,
     "auto", true, true},
    {"bytes", "edges weigh as their bytes", 1, 1, Edges::bytes, 0.9},
    {"bytes, wire", "likewise, distance weighs eight times", 8, 1, Edges::bytes, 0.9},
    {"wire x2", "distance weighs twice", 2},
    {"wire x4", "distance weighs four times", 4},
    {"wire x8", "distance weighs eight times", 8},
    {"wire x32", "distance weighs 32 times", 32},
    {"time x2", "distance and adapters weigh half", 0.5, 0.5},
    {"time x4", "distance and adapters weigh a quarter", 0.25, 0.25},
    {"time x8", "distance and adapters weigh an eighth", 0.125, 0.125},
    {"rows", "the start rows alone", 1, 1, Edges::as_given, 0, "rows"},
    {"signature-rows", "the start signature-rows alone", 1, 1, Edges::as_given, 0,
     "signature-rows"},
    {"stack-rows", "the start stack-rows alone", 1, 1, Edges::as_given, 0, "stack-rows"},
    {"seed", "another seed", 1, 1, Edges::as_given, 0, "auto", false, true},
};

}  // namespace

std::vector<CaseProposal> case_proposals(const EdgeLoads& loads, std::size_t round) {
  std::vector<CaseProposal> proposals;
  for (const Row& row : kRows) {
    if (round > 0 && !row.every_round) continue;
    CaseProposal proposal;
    proposal.name = row.name;
    proposal.description = row.description;
    proposal.strategy = row.strategy;
    proposal.seed_offset = round;
    proposal.from_best = row.from_best;
    if (round > 0) proposal.name += " " + std::to_string(round + 1);
    proposal.weights.distance = row.distance;
    proposal.weights.adapter = row.adapter;
    if (row.edges == Edges::bytes) proposal.weights.edges = blended(loads.bytes, row.share);
    if (row.edges == Edges::traffic) proposal.weights.edges = blended(loads.traffic, row.share);
    if (std::string(row.name) == "seed") proposal.seed_offset = round + 1;
    proposals.push_back(std::move(proposal));
  }
  return proposals;
}

}  // namespace waferloom
