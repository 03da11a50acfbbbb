#include "model/problem.h"

#include <utility>

#include "model/errors.h"
#include "model/problem/problem_faults.h"

namespace waferloom {

Problem::Problem(ProblemData data) : data_(std::move(data)) {
  const std::vector<ProblemFault> faults = find_faults(data_, 1);
  if (!faults.empty()) throw RequestError(faults.front().message);
  // Compiled again, so that a kernel can never disagree with its formal parameters.
  for (ProblemKernel& kernel : data_.kernels) kernel.kernel = make_kernel(kernel.kernel.formal);
  time_denominator_ = common_time_denominator(data_.kernels);
  distance_denominator_ = common_distance_denominator(data_.connections);
  for (const Connection& edge : data_.connections) {
    has_unit_edges_ = has_unit_edges_ && edge.weight == decimal6(1);
  }
}

}  // namespace waferloom
