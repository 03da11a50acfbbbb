// Any bytes are a wafer, constraints of a small problem, or an InputError with printable text; what
// was read makes a problem.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/problem.h"
#include "tests/fuzz/demand.h"

namespace {

waferloom::Problem small_problem() {
  using namespace waferloom;
  ProblemData data;
  data.wafer = Wafer{60, 50};
  const ShapesFormal shapes{std::make_shared<const std::vector<ShapeOption>>(
      std::vector<ShapeOption>{ShapeOption{3, 4, 1'000'000}})};
  data.kernels = {ProblemKernel{1, "a", make_kernel(ConvFormal{1, 1, 1, 1, 8, 8, 1, 1})},
                  ProblemKernel{2, "s", make_kernel(shapes)}};
  return Problem(std::move(data));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace waferloom;
  static const Problem problem = small_problem();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::try_to([&] { with_wafer(problem, read_wafer(text, "fuzz"), "fuzz"); });
  fuzz::try_to([&] { with_constraints(problem, read_constraints(text, "fuzz", problem), "fuzz"); });
  return 0;
}
