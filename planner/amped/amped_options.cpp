// What AMPeD is asked: the cluster, how it is cut, forms of the equations, experts, and the rest.

#include "planner/amped.h"

namespace waferloom::planner {
namespace {

constexpr std::uint64_t kMostChips = 100'000'000;
constexpr std::uint64_t kMostBatch = 1'000'000'000;
constexpr std::uint64_t kMostExperts = 1'000'000;
constexpr std::uint64_t kMostTop = 1'000'000;
constexpr double kMostTokens = 1e18;

std::vector<OptionSpec> cluster_options() {
  return {{.name = "batch",
           .value = "N",
           .help = "Sequences of a batch, of all replicas.",
           .required = true,
           .range = WholeRange{1, kMostBatch}},
          {.name = "system",
           .value = "NAME|FILE",
           .help = "Preset or JSON file {default}: its first dimension joins the chips of a node, "
                   "its second one the nodes.",
           .fallback = "a100_hdr"},
          {.name = "nodes",
           .value = "N",
           .help = "As many nodes in place of the system's.",
           .range = WholeRange{1, kMostChips}},
          {.name = "node-chips",
           .value = "N",
           .help = "As many chips in a node in place of the system's.",
           .range = WholeRange{1, kMostChips}},
          {.name = "tokens",
           .value = "N",
           .help = "Tokens of the training, as 300e9 (default: of one batch).",
           .range = RealRange{1, kMostTokens}}};
}

std::vector<OptionSpec> cut_options() {
  return {
      {.name = "tp",
       .value = "N|IxA",
       .help = "Tensor parallelism: N ways, inside nodes first, or I inside and A among nodes."},
      {.name = "pp",
       .value = "N|IxA",
       .help = "Pipeline parallelism, likewise; inside nodes last."},
      {.name = "dp",
       .value = "N|IxA",
       .help = "Data parallelism, likewise (default: what is left)."},
      {.name = "explore", .help = "Rank all degrees inside and among nodes."},
      {.name = "top",
       .value = "N",
       .help = "Of --explore: as many in table and report {default}.",
       .range = WholeRange{1, kMostTop},
       .fallback = "10"},
      {.name = "micro-batches",
       .value = "N",
       .help = "Of a replica's batch: a number, stages (as many as stages, as in the paper), "
               "or best (default).",
       .range = WholeRange{1, kMostBatch},
       .choices = {{"best"}, {"stages"}},
       .fallback = "best"}};
}

std::vector<OptionSpec> equation_options() {
  const AmpedTraining defaults;
  return {
      {.name = "recompute", .help = "Backward computes activations again: U_b = 3 U_f."},
      {.name = "efficiency",
       .value = "A[,B[,F]]",
       .help = "Achieved part of the peak: A ub / (B + ub), at least F, in place of the "
               "system's."},
      {.name = "bubble",
       .value = "FORM",
       .help = "Of Eq. 8: {fallback} (default), or literal with its 1/L.",
       .choices = choices_of(kBubbleFormNames),
       .fallback = std::string(kBubbleFormNames[static_cast<std::size_t>(defaults.bubble)])},
      {.name = "all-reduce",
       .value = "FORM",
       .help = "Among nodes goes the {fallback} volume, as printed (default), or scattered: "
               "what a reduce-scatter inside leaves.",
       .choices = choices_of(kHierarchyFormNames),
       .fallback = std::string(kHierarchyFormNames[static_cast<std::size_t>(defaults.all_reduce)])},
      {.name = "transfers",
       .value = "FORM",
       .help = "Of Eq. 7: {fallback} of a batch's, as printed (default), or every "
               "micro-batch's.",
       .choices = choices_of(kTransferFormNames),
       .fallback = std::string(kTransferFormNames[static_cast<std::size_t>(defaults.transfers)])},
      {.name = "bubble-ratio",
       .value = "R",
       .help = "Bubbles that do not overlap {default}.",
       .range = RealRange{0, 1},
       .fallback = fallback_text(defaults.bubble_ratio)},
      {.name = "zero-overhead",
       .value = "X",
       .help = "M_fDP of Eq. 5: 0.5 for ZeRO's third stage {default}.",
       .range = RealRange{0, 100},
       .fallback = fallback_text(defaults.zero_overhead)},
      {.name = "zero",
       .value = "0-3",
       .help = "Stage of ZeRO, for memory alone {default}.",
       .range = WholeRange{0, 3},
       .fallback = std::to_string(defaults.zero)}};
}

std::vector<OptionSpec> expert_options() {
  const AmpedExperts defaults;
  return {{.name = "experts",
           .value = "N",
           .help = "Experts of a layer that has some.",
           .range = WholeRange{2, kMostExperts}},
          {.name = "experts-active",
           .value = "N",
           .help = "Of --experts: as many work on a token {default}.",
           .range = WholeRange{1, kMostExperts},
           .fallback = std::to_string(defaults.active)},
          {.name = "experts-every",
           .value = "N",
           .help = "Of --experts: in every Nth layer {default}.",
           .range = WholeRange{1, kMostExperts},
           .fallback = std::to_string(defaults.every)},
          {.name = "expert-ways",
           .value = "N",
           .help = "Of --experts: replicas that share them (default: the most that divide both).",
           .range = WholeRange{1, kMostExperts}}};
}

std::vector<OptionSpec> other_options() {
  return {
      {.name = "bits",
       .value = "P[,A[,G[,E]]]",
       .help = "Of parameters, activations, gradients (default " +
               fallback_text(AmpedTraining{}.parameter_bits) +
               ") and other operations (default: as the chip)."},
      {.name = "factors",
       .value = "I[,A[,M]]",
       .help = "Topology factors inside and among nodes, and of the all-to-all, in place of "
               "the topology's."},
      {.name = "matrix-only", .help = "Leave out what is no matrix product (N_nonlin)."},
      {.name = "layers-only", .help = "Leave out the time of embedding and head."},
      {.name = "any-degrees",
       .help = "Let degrees pass that do not divide heads, layers or batch, as the paper does."},
      {.name = "fits", .help = "Demand that memory has room (exit 3 if nothing has)."}};
}

}  // namespace

std::vector<OptionSpec> amped_options() {
  return joined(
      {cluster_options(), cut_options(), equation_options(), expert_options(), other_options()});
}

}  // namespace waferloom::planner
