#pragma once

#include <cstdint>

#include "benchmarks_ispd2020/cases.h"
#include "benchmarks_ispd2020/generated/seeded_draws.h"
#include "model/problem.h"

namespace waferloom::ispd2020 {

/// How large a generated network is.
struct NetworkScale {
  std::int64_t kernels = 0;   ///< exactly, in [kLeastKernels, kMostKernels]
  std::int64_t image = 0;     ///< side of the input's square image; a multiple of 16, at least 32
  std::int64_t features = 0;  ///< a multiple of 4; what it counts is each family's own
};

inline constexpr std::int64_t kLeastKernels = 10;
inline constexpr std::int64_t kMostKernels = 10'000;
inline constexpr std::int64_t kLeastImage = 32;
inline constexpr std::int64_t kLeastFeatures = 4;

/// The families beyond the contest's. Each makes a network of exactly scale.kernels kernels,
/// without cycles, from one input to one output, all weights of edges 1; all random choices come
/// from `draws`. Images are square; between images of different sides tensors are
/// pooled or enlarged on their way, and an edge carries its consumer's image unless said otherwise.
/// Linear in kernels and edges.

/// VGG: a chain of convolutions 3×3, one in eight 1×1, in five stages of drawn lengths. Each stage
/// halves the image and doubles the features, up to the eighth of 8 · features; three layers on one
/// pixel, of 64 · features, end it.
ProblemData vgg_network(const ProblemSettings& settings, const NetworkScale& scale,
                        SeededDraws draws);

/// DenseNet: blocks of 4 to 8 convolutions 3×3, each of which reads the block's input and all
/// convolutions in front of it in the block and adds features / 2 channels; a 1×1 convolution reads
/// the whole block and passes half the channels on, at half the image the first four times. About
/// four edges a kernel.
ProblemData densenet_network(const ProblemSettings& settings, const NetworkScale& scale,
                             SeededDraws draws);

/// Blocks and convolutions in one chain: cblocks halve the image, up to four times in a row, 2×2
/// convolutions enlarge it again, dblocks and convolutions keep it; the channels are 2 · features
/// and double at each halving, three times at most. One kernel in eight sends a skip to one of the
/// next 2 to 6, one in sixty-four to any later one; a skip carries what its producer makes.
ProblemData mixed_network(const ProblemSettings& settings, const NetworkScale& scale,
                          SeededDraws draws);

/// A random directed graph of convolutions: each reads one to three kernels, mostly of the eight in
/// front of it, and all their channels; some read the network's input; those that nobody reads feed
/// the output. The image is that of the first kernel read, now and then doubled or halved by a
/// stride; channels are 1, 2, 4 or 8 times features. Numbers are shuffled against the flow.
ProblemData random_dag_network(const ProblemSettings& settings, const NetworkScale& scale,
                               SeededDraws draws);

}  // namespace waferloom::ispd2020
