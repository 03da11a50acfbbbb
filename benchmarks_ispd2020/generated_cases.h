#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/problem.h"

namespace waferloom::ispd2020 {

struct NetworkScale;
struct ProblemSettings;
class SeededDraws;

/// Cases beyond the contest's, so that placing is not tuned to its twenty: families of networks of
/// any size on wafers of any size, everything else drawn from a seed. The same case on every
/// machine.

/// A family by its name in files and on the command line.
struct GeneratedFamily {
  std::string name;
  std::string summary;  ///< a few words
  ProblemData (*network)(const ProblemSettings&, const NetworkScale&, SeededDraws) = nullptr;
};
/// "vgg", "densenet", "mixed", "dag".
const std::vector<GeneratedFamily>& generated_families();
std::vector<std::string> family_names();

inline constexpr std::int64_t kLeastGeneratedSide = 100;

/// What a generated case is made of.
struct GeneratedCase {
  std::string family;          ///< one of family_names()
  std::int64_t kernels = 100;  ///< in [kLeastKernels, kMostKernels]
  Extent wafer{633, 633};      ///< sides in [kLeastGeneratedSide, kMaxWaferSide]
  std::uint64_t seed = 1;
  bool edge_weights = false;  ///< whether edges have weights other than 1
  std::string name{};         ///< the header's test=; empty for case_title()
};

/// "vgg-100-633x633-1": family, kernels, wafer and seed, and "-weights" with weights of edges.
std::string case_title(const GeneratedCase& generated);

/// The case: a network of the family, of a drawn scale, and drawn weights. The scale is halved
/// until a shelf_placement takes at most half of the wafer's height, so a legal placement exists.
/// Throws RequestError with one sentence for what is out of range, and if the kernels do
/// not fit at any scale; they do from 60 tiles a kernel on. Linear in the graph but for
/// shelf_placement.
Problem make_generated_case(const GeneratedCase& generated);

/// The fixed table of the benchmark, from 10 to 2,000 kernels on wafers of 400×300 to 2500×2500;
/// names are family, kernels and what sets the case apart. First those with few kernels.
const std::vector<GeneratedCase>& generated_cases();
/// How many at the table's beginning have at most 40 kernels: what tests can place in seconds.
std::size_t small_generated_cases();

}  // namespace waferloom::ispd2020
