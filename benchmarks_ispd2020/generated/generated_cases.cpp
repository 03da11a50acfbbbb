#include "benchmarks_ispd2020/generated_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "benchmarks_ispd2020/cases/network_builder.h"
#include "benchmarks_ispd2020/generated/networks.h"
#include "benchmarks_ispd2020/generated/objective.h"
#include "benchmarks_ispd2020/generated/shelf_placement.h"
#include "model/errors.h"

namespace waferloom::ispd2020 {
namespace {

constexpr std::int64_t kSmallKernels = 40;
constexpr std::array<std::int64_t, 6> kImages{32, 64, 112, 128, 160, 224};
constexpr std::array<std::int64_t, 4> kFeatures{16, 32, 48, 64};

/// "a, b or c".
std::string alternatives(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 < words.size() ? ", " : " or ";
    text += words[i];
  }
  return text;
}

const GeneratedFamily& family_of(const GeneratedCase& generated) {
  const std::vector<GeneratedFamily>& families = generated_families();
  const auto found = std::find_if(families.begin(), families.end(), [&](const auto& family) {
    return family.name == generated.family;
  });
  demand(found != families.end(), "expected a family " + alternatives(family_names()) +
                                      ", found \"" + generated.family + "\"");
  return *found;
}

void check(const GeneratedCase& generated) {
  demand(generated.kernels >= kLeastKernels && generated.kernels <= kMostKernels,
         fmt::format("expected {} to {} kernels, found {}", kLeastKernels, kMostKernels,
                     generated.kernels));
  const auto [least, most] = std::minmax(generated.wafer.width, generated.wafer.height);
  demand(least >= kLeastGeneratedSide && most <= kMaxWaferSide,
         fmt::format("expected a wafer with sides from {} to {} tiles", kLeastGeneratedSide,
                     kMaxWaferSide));
}

/// The next smaller scale: features first, then the image; false if there is none.
bool halve(NetworkScale& scale) {
  constexpr std::int64_t kImageStep = 32;
  if (scale.features > kLeastFeatures) {
    scale.features = std::max(kLeastFeatures, scale.features / 8 * 4);
    return true;
  }
  if (scale.image > kLeastImage) {
    scale.image = std::max(kLeastImage, scale.image / (2 * kImageStep) * kImageStep);
    return true;
  }
  return false;
}

}  // namespace

const std::vector<GeneratedFamily>& generated_families() {
  static const std::vector<GeneratedFamily> families{
      {"vgg", "a chain of convolutions", vgg_network},
      {"densenet", "blocks in which each convolution reads all before it", densenet_network},
      {"mixed", "cblocks, dblocks and convolutions in a chain with skips", mixed_network},
      {"dag", "a random directed graph of convolutions", random_dag_network},
  };
  return families;
}

std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const GeneratedFamily& family : generated_families()) names.push_back(family.name);
  return names;
}

std::string case_title(const GeneratedCase& generated) {
  return fmt::format("{}-{}-{}x{}-{}{}", generated.family, generated.kernels, generated.wafer.width,
                     generated.wafer.height, generated.seed,
                     generated.edge_weights ? "-weights" : "");
}

Problem make_generated_case(const GeneratedCase& generated) {
  const GeneratedFamily& family = family_of(generated);
  check(generated);
  ProblemSettings settings;
  settings.name = generated.name.empty() ? case_title(generated) : generated.name;
  settings.wafer = {generated.wafer.width, generated.wafer.height};
  SeededDraws draws(generated.seed, DrawUse::network);
  NetworkScale scale;
  scale.kernels = generated.kernels;
  scale.image = draws.one_of(kImages);
  scale.features = draws.one_of(kFeatures);
  do {
    ProblemData data = family.network(settings, scale, draws);
    data.weights = drawn_weights(data, SeededDraws(generated.seed, DrawUse::objective));
    if (generated.edge_weights) {
      draw_edge_weights(data, SeededDraws(generated.seed, DrawUse::edge_weights));
    }
    Problem problem(std::move(data));
    if (shelf_placement(problem, generated.wafer.height / 2)) return problem;
  } while (halve(scale));
  throw RequestError(fmt::format("{} kernels of {} do not fit onto {}x{} tiles", generated.kernels,
                                 family.name, generated.wafer.width, generated.wafer.height));
}

const std::vector<GeneratedCase>& generated_cases() {
  constexpr bool kEdgeWeights = true;
  static const std::vector<GeneratedCase> cases{
      {"vgg", 10, {400, 300}, 1, false, "vgg-10"},
      {"vgg", 32, {633, 633}, 2, false, "vgg-32"},
      {"densenet", 12, {400, 300}, 3, false, "densenet-12"},
      {"densenet", 30, {633, 633}, 4, kEdgeWeights, "densenet-30"},
      {"mixed", 14, {500, 400}, 5, kEdgeWeights, "mixed-14"},
      {"mixed", 36, {300, 800}, 6, false, "mixed-36"},
      {"dag", 16, {2500, 2500}, 7, false, "dag-16"},
      {"dag", 40, {400, 300}, 8, false, "dag-40"},
      {"vgg", 120, {400, 300}, 9, false, "vgg-120"},
      {"vgg", 400, {1000, 800}, 10, kEdgeWeights, "vgg-400"},
      {"vgg", 1000, {1600, 1600}, 11, false, "vgg-1000"},
      {"densenet", 100, {800, 600}, 12, false, "densenet-100"},
      {"densenet", 300, {1250, 1250}, 13, false, "densenet-300"},
      {"densenet", 800, {2000, 1200}, 14, kEdgeWeights, "densenet-800"},
      {"mixed", 90, {633, 633}, 15, false, "mixed-90"},
      {"mixed", 250, {1000, 1000}, 16, kEdgeWeights, "mixed-250"},
      {"mixed", 1500, {2500, 2500}, 17, false, "mixed-1500"},
      {"dag", 150, {633, 633}, 18, kEdgeWeights, "dag-150"},
      {"dag", 600, {2500, 1500}, 19, false, "dag-600"},
      {"dag", 2000, {2500, 2500}, 20, false, "dag-2000"},
  };
  return cases;
}

std::size_t small_generated_cases() {
  const std::vector<GeneratedCase>& cases = generated_cases();
  const auto end = std::find_if(
      cases.begin(), cases.end(),
      [](const GeneratedCase& generated_case) { return generated_case.kernels > kSmallKernels; });
  return static_cast<std::size_t>(end - cases.begin());
}

}  // namespace waferloom::ispd2020
