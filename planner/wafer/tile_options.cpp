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

Options<TileQuestion> extent_options() {
  constexpr WholeRange kRange{1, kMostExtent};
  Options<TileQuestion> options;
  for (std::size_t i = 0; i < kTileExtents.size(); ++i) {
    const TileExtent& extent = kTileExtents.at(i);
    options.push_back({{.name = std::string(extent.name),
                        .value = "N",
                        .help = extent_help(extent),
                        .range = kRange},
                       [=](TileQuestion& request, const std::vector<std::string>& texts) {
                         request.extents.at(i) = parse_whole_number(texts.front(), kRange);
                       }});
  }
  return options;
}

/// The name of what a job has where nothing is given.
std::string layout_fallback(MatrixLayout TileJob::*layout) {
  return std::string(kMatrixLayoutNames.at(static_cast<std::size_t>(TileJob{}.*layout)));
}

}  // namespace

Options<TileQuestion> tile_options() {
  return joined_options<TileQuestion>(
      {extent_options(),
       {option(&TileQuestion::kv_heads,
               {.name = "kv-heads",
                .value = "N",
                .help = "Of attention, prefill and block: heads of keys and values (default those "
                        "of queries).",
                .range = WholeRange{1, kMostExtent}}),
        option(&TileQuestion::load,
               {.name = "load",
                .value = "X",
                .help = "Of experts: tokens of the fullest one over the even share {default}.",
                .range = RealRange{1, kMostLoad},
                .fallback = fallback_text(TileJob{}.load)}),
        option(&TileQuestion::from, {.name = "from",
                                     .value = "LAYOUT",
                                     .help = "Of convert: how the matrix lies before {default}.",
                                     .fallback = layout_fallback(&TileJob::from)}),
        option(&TileQuestion::to, {.name = "to",
                                   .value = "LAYOUT",
                                   .help = "Of convert: how it lies behind {default}.",
                                   .fallback = layout_fallback(&TileJob::to)}),
        option(&TileQuestion::groups,
               {.name = "groups",
                .value = "N",
                .help = "Groups of two-way chains, or tiles of a group of two-phase; 0 is the best "
                        "{default}.",
                .range = WholeRange{0, kMostTiles}}),
        option(&TileQuestion::tiles, {"tiles", '\0', "WxH", "Columns and rows of tiles."}),
        option(&TileQuestion::data_type,
               {"data-type", '\0', "TYPE",
                "One of the hardware's multiply_adds_per_cycle {default}."}),
        option(&TileQuestion::algorithm,
               {"algorithm", '\0', "NAME", "One of the operator's, or all {default}."}),
        option(&TileQuestion::inside,
               {.name = "inside",
                .help = "Also move the very words over the fabric, cycle by cycle, on at most "
                        "32x32 tiles."})}});
}

}  // namespace waferloom::planner
