#include "benchmarks_ispd2020/case_options.h"

#include <fmt/format.h>

#include "benchmarks_ispd2020/generated/networks.h"
#include "benchmarks_ispd2020/generated_cases.h"

namespace waferloom::ispd2020 {
namespace {

/// The families, each on a line of its own.
std::string families_help() {
  std::string text = "One generated case of this family:";
  for (const GeneratedFamily& family : generated_families()) {
    text += "\n" + family.name + ": " + family.summary;
  }
  return text;
}

std::string fabric_help() {
  const Extent wafer = GeneratedCase{}.wafer;
  return fmt::format("Its wafer (default {}x{}); sides of at least {}.", wafer.width, wafer.height,
                     kLeastGeneratedSide);
}

}  // namespace

OptionSpec generated_option() {
  return {.name = "generated",
          .value = "small|full",
          .help = "The generated cases of bench, of 10 to 40 kernels or all of them.",
          .choices = choices_of(kGeneratedTableNames)};
}

Options<CaseChoice> case_options() {
  const auto made = [](const Option<GeneratedCase>& row) {
    return option_inside(&CaseChoice::made, row);
  };
  return in_modes<CaseChoice>(
      {option(&CaseChoice::generated, generated_option()),
       made(option(&GeneratedCase::family,
                   {.name = "family", .value = "NAME", .help = families_help()})),
       made(option(&GeneratedCase::kernels, {.name = "kernels",
                                             .value = "N",
                                             .help = "Its number of kernels, {range} {default}.",
                                             .range = WholeRange{kLeastKernels, kMostKernels}})),
       option(&CaseChoice::fabric, {.name = "fabric", .value = "WxH", .help = fabric_help()}),
       made(option(&GeneratedCase::edge_weights,
                   {.name = "edge-weights", .help = "Draw weights of its edges, too."}))},
      {{{"--family"}, {"family", "kernels", "fabric", "edge-weights"}}});
}

}  // namespace waferloom::ispd2020
