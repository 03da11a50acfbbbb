#include "planner/centimani.h"

namespace waferloom::planner {
namespace {

constexpr std::uint64_t kMostBatch = 1'000'000'000;
constexpr std::uint64_t kMostChips = 100'000'000;

}  // namespace

std::vector<OptionSpec> centimani_options() {
  const CentimaniOptions defaults;
  return {
      {.name = "system",
       .value = "NAME|FILE",
       .help = "{fallback} (default), sn30, bow_ipu, cs2, gaudi2, another preset, or a JSON "
               "file.",
       .fallback = "a100_40gb"},
      {.name = "batches",
       .value = "N,N,...",
       .help = "Candidates, samples of a replica at once (default 1,2,4,...,4096)."},
      {.name = "chips",
       .value = "N",
       .help = "Chips that train together {default}.",
       .range = WholeRange{1, kMostChips},
       .fallback = std::to_string(defaults.chips)},
      {.name = "stages",
       .value = "N",
       .help = "Parts of the network, a chip each {default}.",
       .range = WholeRange{1, kMostChips},
       .fallback = std::to_string(defaults.stages)},
      {.name = "learning",
       .value = "sync|async",
       .help = "All-reduce of gradients (default), or a server of parameters.",
       .choices = choices_of(kLearningNames),
       .fallback = std::string(kLearningNames[static_cast<std::size_t>(defaults.learning)])},
      {.name = "compress",
       .value = "BITS[,DENSITY[,INDEX]]",
       .help = "Gradients in so many bits, of this part of the elements, with an index of INDEX "
               "(default " +
               fallback_text(defaults.compression.index_bits) + ") bits each."},
      {.name = "optimizer",
       .value = "adam|sgd",
       .help = "Whose states are kept (default {fallback}: 12 bytes).",
       .choices = {{"adam"}, {"sgd"}},
       .fallback = std::string(optimizer_name(defaults.optimizer))}};
}

}  // namespace waferloom::planner
