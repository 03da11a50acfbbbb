// What AMPeD is asked: the cluster, how it is cut, forms of the equations, experts, and the rest.

#include "planner/amped.h"

namespace waferloom::planner {
namespace {

constexpr std::uint64_t kMostChips = 100'000'000;
constexpr std::uint64_t kMostBatch = 1'000'000'000;
constexpr std::uint64_t kMostExperts = 1'000'000;
constexpr std::uint64_t kMostTop = 1'000'000;
constexpr double kMostTokens = 1e18;

Options<AmpedChoice> cluster_options() {
  return options_behind(
      Options<AmpedChoice>{
          option(&AmpedChoice::batch, {.name = "batch",
                                       .value = "N",
                                       .help = "Sequences of a batch, of all replicas.",
                                       .required = true,
                                       .range = WholeRange{1, kMostBatch}}),
          option(&AmpedChoice::nodes, {.name = "nodes",
                                       .value = "N",
                                       .help = "As many nodes in place of the system's.",
                                       .range = WholeRange{1, kMostChips}}),
          option(&AmpedChoice::node_chips,
                 {.name = "node-chips",
                  .value = "N",
                  .help = "As many chips in a node in place of the system's.",
                  .range = WholeRange{1, kMostChips}}),
          option(&AmpedChoice::tokens,
                 {.name = "tokens",
                  .value = "N",
                  .help = "Tokens of the training, as 300e9 (default: of one batch).",
                  .range = RealRange{1, kMostTokens}})},
      "batch",
      options_inside(&AmpedChoice::machine,
                     machine_options({.name = "hardware",
                                      .value = "NAME|FILE",
                                      .help = "Preset or JSON file {default}: its first dimension "
                                              "joins the chips of a node, its second one the "
                                              "nodes.",
                                      .fallback = AmpedChoice{}.machine.name.value()})));
}

Option<AmpedChoice> micro_batches_option() {
  constexpr WholeRange kNumber{1, kMostBatch};
  return {{.name = "micro-batches",
           .value = "N",
           .help = "Of a replica's batch: a number, stages (as many as stages, as in the paper), "
                   "or best (default).",
           .range = kNumber,
           .choices = {{"best"}, {"stages"}},
           .fallback = "best"},
          [=](AmpedChoice& request, const std::vector<std::string>& texts) {
            const auto number = parse_whole_number(texts.front(), kNumber);
            request.micro_batches = number                      ? MicroBatches::given
                                    : texts.front() == "stages" ? MicroBatches::stages
                                                                : MicroBatches::best;
            if (number) request.training.micro_batches = static_cast<double>(*number);
          }};
}

Options<AmpedChoice> cut_options() {
  return {
      option(&AmpedChoice::tensor,
             {"tp", '\0', "N|IxA",
              "Tensor parallelism: N ways, inside nodes first, or I inside and A among nodes."}),
      option(&AmpedChoice::pipeline,
             {"pp", '\0', "N|IxA", "Pipeline parallelism, likewise; inside nodes last."}),
      option(&AmpedChoice::data,
             {"dp", '\0', "N|IxA", "Data parallelism, likewise (default: what is left)."}),
      option(&AmpedChoice::explore,
             {.name = "explore", .help = "Rank all degrees inside and among nodes."}),
      option(&AmpedChoice::top, {.name = "top",
                                 .value = "N",
                                 .help = "Of --explore: as many in table and report {default}.",
                                 .range = WholeRange{1, kMostTop},
                                 .fallback = std::to_string(AmpedJob{}.top)}),
      micro_batches_option()};
}

Options<AmpedTraining> form_options() {
  return {
      option(&AmpedTraining::bubble,
             {"bubble", '\0', "FORM", "Of Eq. 8: {fallback} (default), or literal with its 1/L."}),
      option(&AmpedTraining::all_reduce,
             {"all-reduce", '\0', "FORM",
              "Among nodes goes the {fallback} volume, as printed (default), or scattered: what a "
              "reduce-scatter inside leaves."}),
      option(&AmpedTraining::transfers,
             {"transfers", '\0', "FORM",
              "Of Eq. 7: {fallback} of a batch's, as printed (default), or every micro-batch's."}),
      option(&AmpedTraining::bubble_ratio, {.name = "bubble-ratio",
                                            .value = "R",
                                            .help = "Bubbles that do not overlap {default}.",
                                            .range = RealRange{0, 1}}),
      option(&AmpedTraining::zero_overhead,
             {.name = "zero-overhead",
              .value = "X",
              .help = "M_fDP of Eq. 5: 0.5 for ZeRO's third stage {default}.",
              .range = RealRange{0, 100}}),
      option(&AmpedTraining::zero, {.name = "zero",
                                    .value = "0-3",
                                    .help = "Stage of ZeRO, for memory and updates {default}.",
                                    .range = WholeRange{0, 3}})};
}

Options<AmpedChoice> equation_options() {
  return joined_options<AmpedChoice>(
      {{option_inside(&AmpedChoice::training,
                      option(&AmpedTraining::recompute,
                             {.name = "recompute",
                              .help = "Backward computes activations again: U_b = 3 U_f."})),
        option_inside(&AmpedChoice::training,
                      option(&AmpedTraining::recompute_attention,
                             {.name = "recompute-attention",
                              .help = "Backward computes the scores of attention again."})),
        option_inside(
            &AmpedChoice::training,
            option(&AmpedTraining::sequence_parallel,
                   {.name = "sequence-parallel",
                    .help = "Members of a tensor group share what lies between products."})),
        option(
            &AmpedChoice::efficiency,
            {"efficiency", '\0', "A[,B[,F]]",
             "Achieved part of the peak: A ub / (B + ub), at least F, in place of the system's."})},
       options_inside(&AmpedChoice::training, form_options())});
}

Options<AmpedChoice> expert_options() {
  const AmpedExperts defaults;
  constexpr WholeRange kRange{1, kMostExperts};
  return {
      option(&AmpedChoice::experts, {.name = "experts",
                                     .value = "N",
                                     .help = "Experts of a layer that has some.",
                                     .range = WholeRange{2, kMostExperts}}),
      option(&AmpedChoice::experts_active,
             {.name = "experts-active",
              .value = "N",
              .help = "Of --experts: as many work on a token {default}.",
              .range = kRange,
              .fallback = std::to_string(defaults.active)}),
      option(&AmpedChoice::experts_every, {.name = "experts-every",
                                           .value = "N",
                                           .help = "Of --experts: in every Nth layer {default}.",
                                           .range = kRange,
                                           .fallback = std::to_string(defaults.every)}),
      option(&AmpedChoice::expert_ways,
             {.name = "expert-ways",
              .value = "N",
              .help = "Of --experts: replicas that share them (default: the most that divide "
                      "both).",
              .range = kRange})};
}

Options<AmpedChoice> other_options() {
  const auto of_training = [](const Option<AmpedTraining>& row) {
    return option_inside(&AmpedChoice::training, row);
  };
  const auto of_search = [](const Option<AmpedSearch>& row) {
    return option_inside(&AmpedChoice::search, row);
  };
  return {
      option(&AmpedChoice::bits, {.name = "bits",
                                  .value = "P[,A[,G[,E]]]",
                                  .help = "Of parameters, activations, gradients (default " +
                                          fallback_text(AmpedTraining{}.parameter_bits) +
                                          ") and other operations (default: as the chip)."}),
      option(&AmpedChoice::factors, {"factors", '\0', "I[,A[,M]]",
                                     "Topology factors inside and among nodes, and of the "
                                     "all-to-all, in place of the topology's."}),
      of_training(
          flag(&AmpedTraining::elements,
               {.name = "matrix-only", .help = "Leave out what is no matrix product (N_nonlin)."},
               false)),
      of_training(flag(&AmpedTraining::ends,
                       {.name = "layers-only", .help = "Leave out the time of embedding and head."},
                       false)),
      of_search(flag(&AmpedSearch::sensible,
                     {.name = "any-degrees",
                      .help = "Let degrees pass that do not divide heads, layers or batch, as the "
                              "paper does."},
                     false)),
      of_search(option(
          &AmpedSearch::fits,
          {.name = "fits", .help = "Demand that memory has room (exit 3 if nothing has)."}))};
}

}  // namespace

Options<AmpedChoice> amped_options() {
  return joined_options<AmpedChoice>(
      {cluster_options(), cut_options(), equation_options(), expert_options(), other_options()});
}

}  // namespace waferloom::planner
