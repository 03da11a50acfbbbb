#include "model/workload.h"

namespace waferloom {
namespace {

constexpr std::uint64_t kMostDegree = 1'000'000;
constexpr std::uint64_t kMostSamples = 1'000'000;

}  // namespace

Options<OperatorCut> operator_cut_options() {
  return {option(&OperatorCut::samples, {.name = "samples",
                                         .value = "N",
                                         .help = "Samples that are worked on at once {default}.",
                                         .range = WholeRange{1, kMostSamples}}),
          option(&OperatorCut::data, {.name = "data",
                                      .value = "N",
                                      .help = "Degree of data parallelism {default}.",
                                      .range = WholeRange{1, kMostDegree}}),
          option(&OperatorCut::tensor, {.name = "tensor",
                                        .value = "N",
                                        .help = "Degree of tensor parallelism {default}.",
                                        .range = WholeRange{1, kMostDegree}})};
}

}  // namespace waferloom
