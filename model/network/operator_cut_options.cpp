#include "model/workload.h"

namespace waferloom {
namespace {

constexpr std::uint64_t kMostDegree = 1'000'000;
constexpr std::uint64_t kMostSamples = 1'000'000;

}  // namespace

std::vector<OptionSpec> operator_cut_options() {
  const OperatorCut defaults;
  return {{.name = "samples",
           .value = "N",
           .help = "Samples that are worked on at once {default}.",
           .range = WholeRange{1, kMostSamples},
           .fallback = std::to_string(defaults.samples)},
          {.name = "data",
           .value = "N",
           .help = "Degree of data parallelism {default}.",
           .range = WholeRange{1, kMostDegree},
           .fallback = std::to_string(defaults.data)},
          {.name = "tensor",
           .value = "N",
           .help = "Degree of tensor parallelism {default}.",
           .range = WholeRange{1, kMostDegree},
           .fallback = std::to_string(defaults.tensor)}};
}

}  // namespace waferloom
