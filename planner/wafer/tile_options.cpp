#include "planner/model_options.h"
#include "planner/tile_operators.h"

namespace waferloom::planner {
namespace {

constexpr std::uint64_t kMostExtent = 1'000'000'000;
constexpr std::uint64_t kMostTiles = 32'000;

OptionSpec extent_option(std::string name, std::string help) {
  return {.name = std::move(name),
          .value = "N",
          .help = std::move(help),
          .range = WholeRange{1, kMostExtent}};
}

}  // namespace

std::vector<OptionSpec> tile_options() {
  return {
      extent_option("m",
                    "Of gemm rows of the result, of gemv elements of x, of norm tokens, of "
                    "softmax and transpose rows."),
      extent_option("k", "Of gemm: what is summed over."),
      extent_option("n",
                    "Of gemm columns of the result, of gemv elements of y, of norm features, of "
                    "softmax and transpose columns."),
      extent_option("elements", "Of shift and reduce: of a tile; of element-wise: of all."),
      extent_option("tokens", "Of attention and block: in the cache."),
      extent_option("heads", "Of attention and block: of queries."),
      extent_option("head-size", "Of attention and block: features of a head."),
      {.name = "kv-heads",
       .value = "N",
       .help = "Of attention and block: heads of keys and values (default those of queries).",
       .range = WholeRange{1, kMostExtent}},
      extent_option("hidden", "Of block: features of a token."),
      extent_option("feed-forward", "Of block: inner features of the gated network."),
      {.name = "distance",
       .value = "N",
       .help = "Of shift: tiles that each block moves on.",
       .range = WholeRange{1, kMostTiles}},
      {.name = "groups",
       .value = "N",
       .help = "Groups of all-reduces; of reduce tiles of a group of two-phase; 0 is the best "
               "{default}.",
       .range = WholeRange{0, kMostTiles},
       .fallback = "0"},
      {.name = "tiles", .value = "RxC", .help = "Rows and columns of tiles.", .required = true},
      {.name = "data-type",
       .value = "TYPE",
       .help = "One of the hardware's multiply_adds_per_cycle {default}.",
       .fallback = TileJob{}.data_type},
      {.name = "algorithm",
       .value = "NAME",
       .help = "One of the operator's, or all {default}.",
       .fallback = "all"}};
}

}  // namespace waferloom::planner
