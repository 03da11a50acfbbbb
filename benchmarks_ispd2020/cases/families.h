#pragma once

#include "benchmarks_ispd2020/cases.h"
#include "model/problem.h"

namespace waferloom::ispd2020 {

/// Network families of the ISPD 2020 contest as plain parameters. The defaults are the contest's
/// networks; other values give other networks of the same build. Nodes are numbered from 0, the
/// input, over the kernels to the output, and named "k" + number, as in the contest's files.
/// Every function throws RequestError with one sentence for parameters out of range.
/// Time and memory are linear in the number of kernels and edges.
Problem make_resnet(const ResnetParameters& parameters, const ProblemSettings& settings);
Problem make_unet(const UnetParameters& parameters, const ProblemSettings& settings);
Problem make_fully_connected(const FullyConnectedParameters& parameters,
                             const ProblemSettings& settings);
Problem make_network(const NetworkParameters& parameters, const ProblemSettings& settings);

}  // namespace waferloom::ispd2020
