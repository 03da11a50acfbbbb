#include <algorithm>

#include "planner/tile_operators.h"

namespace waferloom::planner {
namespace {

constexpr std::uint64_t kMostExtent = 1'000'000'000;
constexpr std::uint64_t kMostTiles = 32'000;
constexpr double kMostLoad = 1'000;

/// "Of gemm and convert: rows."
std::string extent_help(const TileExtent& extent) {
  std::vector<std::string> operators;
  for (const TileOperatorRow& row : tile_operator_rows()) {
    if (std::find(row.extents.begin(), row.extents.end(), extent.name) != row.extents.end()) {
      operators.emplace_back(row.name);
    }
  }
  std::string names = operators.front();
  for (std::size_t i = 1; i < operators.size(); ++i) {
    names += (i + 1 < operators.size() ? ", " : " and ") + operators[i];
  }
  return "Of " + names + ": " + std::string(extent.help) + ".";
}

}  // namespace

std::vector<OptionSpec> tile_options() {
  std::vector<OptionSpec> options;
  for (const TileExtent& extent : kTileExtents) {
    options.push_back({.name = std::string(extent.name),
                       .value = "N",
                       .help = extent_help(extent),
                       .range = WholeRange{1, kMostExtent}});
  }
  const std::vector<OptionSpec> others{
      {.name = "kv-heads",
       .value = "N",
       .help = "Of attention, prefill and block: heads of keys and values (default those of "
               "queries).",
       .range = WholeRange{1, kMostExtent}},
      {.name = "load",
       .value = "X",
       .help = "Of experts: tokens of the fullest one over the even share {default}.",
       .range = RealRange{1, kMostLoad},
       .fallback = "1"},
      {.name = "from",
       .value = "LAYOUT",
       .help = "Of convert: how the matrix lies before {default}.",
       .choices = choices_of(kMatrixLayoutNames),
       .fallback = std::string(kMatrixLayoutNames[0])},
      {.name = "to",
       .value = "LAYOUT",
       .help = "Of convert: how it lies behind {default}.",
       .choices = choices_of(kMatrixLayoutNames),
       .fallback = std::string(kMatrixLayoutNames[1])},
      {.name = "groups",
       .value = "N",
       .help = "Groups of two-way chains, or tiles of a group of two-phase; 0 is the best "
               "{default}.",
       .range = WholeRange{0, kMostTiles},
       .fallback = "0"},
      {.name = "tiles", .value = "WxH", .help = "Columns and rows of tiles."},
      {.name = "data-type",
       .value = "TYPE",
       .help = "One of the hardware's multiply_adds_per_cycle {default}.",
       .fallback = "fp16"},
      {.name = "algorithm",
       .value = "NAME",
       .help = "One of the operator's, or all {default}.",
       .fallback = "all"},
      {.name = "inside",
       .help =
           "Also move the very words over the fabric, cycle by cycle, on at most 32x32 tiles."}};
  options.insert(options.end(), others.begin(), others.end());
  return options;
}

}  // namespace waferloom::planner
