#pragma once

#include <string>
#include <vector>

#include "benchmarks_ispd2020/cases/families.h"
#include "model/problem.h"

namespace waferloom::ispd2020 {

/// A case of the ISPD 2020 contest in the project's own form: a network of one of the families
/// and what its score weighs. Ten networks, each with two sets of weights.
struct ContestCase {
  std::string name;  ///< "A" … "T"
  NetworkParameters network;
  ProblemSettings settings;
};

/// All 20 cases, A to T.
const std::vector<ContestCase>& contest_cases();

/// "A" … "T".
const std::vector<std::string>& case_names();

/// Generates a case: the same graph, node numbers, names, tensors, wafer, limit and weights as the
/// contest's file of that name. Throws std::logic_error for a name that is not one of
/// case_names(). Linear in the graph, at most 100 kernels.
Problem make_case(const std::string& name);

}  // namespace waferloom::ispd2020
