#pragma once

#include <cstdint>
#include <vector>

#include "model/option_spec.h"
#include "model/report.h"
#include "model/workload.h"

namespace waferloom {

/// How the operators of a network are cut: the same numbers for all, at least 1.
struct OperatorCut {
  std::int64_t samples = 1;  ///< that are worked on at once
  std::int64_t data = 1;     ///< degree of data parallelism
  std::int64_t tensor = 1;   ///< degree of tensor parallelism
};

/// Options that set it: samples, data, tensor. Defaults are those of OperatorCut.
std::vector<OptionSpec> operator_cut_options();

/// A report of schema waferloom/operators/1: what each operator needs for a sample, and the
/// all-reduces that this cut makes necessary. Throws std::overflow_error as all_reduces does.
Json operators_json(const Workload& workload, const OperatorCut& cut);

}  // namespace waferloom
