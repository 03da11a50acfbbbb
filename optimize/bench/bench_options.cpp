#include "optimize/bench.h"
#include "placer/place_options.h"

namespace waferloom::optimize {
namespace {

constexpr std::uint64_t kMostSeeds = 1'000;

}  // namespace

Options<BenchRuns> bench_options() {
  return {option(&BenchRuns::seeds,
                 {.name = "seeds",
                  .value = "N",
                  .help = "Run each case with N seeds from --seed on; the table shows the best and "
                          "the median total and how far they spread.",
                  .range = WholeRange{1, kMostSeeds}}),
          option(&BenchRuns::strategy, with_help(placer::strategy_option(), "As for place."))};
}

}  // namespace waferloom::optimize
