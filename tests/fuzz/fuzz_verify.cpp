// Any solution that can be read is judged without a fault, and what verify calls legal can be
// scored: cost below its bound, time positive. The problem is the contest's worked example.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "model/errors.h"
#include "model/placement.h"
#include "tests/fuzz/demand.h"

namespace {

waferloom::Problem example() {
  using namespace waferloom;
  ProblemData data;
  data.kernels = {ProblemKernel{1, "k1", make_kernel(DblockFormal{56, 56, 256})},
                  ProblemKernel{2, "k2", make_kernel(CblockFormal{56, 56, 512})},
                  ProblemKernel{3, "k3", make_kernel(DblockFormal{28, 28, 512})},
                  ProblemKernel{4, "k4", make_kernel(ConvFormal{14, 14, 3, 3, 64, 64, 2, 1})}};
  data.connections = {Connection{0, 1, {}}, Connection{1, 2, {}}, Connection{2, 3, {}}};
  return Problem(std::move(data));
}

}  // namespace

using waferloom::fuzz::demand;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const waferloom::Problem problem = example();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  waferloom::Solution solution;
  try {
    solution = waferloom::read_solution(text, "fuzz");
  } catch (const waferloom::InputError&) {
    return 0;
  }
  const auto violations = waferloom::verify(problem, solution);
  if (violations.empty()) {
    const waferloom::Score score =
        waferloom::score(problem, waferloom::to_placement(problem, solution));
    demand(score.time > 0 && score.adapter <= 9);
    demand(score.half_distance <= 3 * 2 * (633 + 633));
    demand(waferloom::CostModel(problem).total(score) < waferloom::Int128(1) << 120);
  }
  for (const auto& violation : violations) {
    demand(!violation.kernels.empty() && !violation.message.empty());
  }
  return 0;
}
