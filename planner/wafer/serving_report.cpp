#include <fmt/format.h>

#include "kernels/mesh_operators.h"
#include "model/text.h"
#include "planner/tile_operators.h"
#include "planner/wafer_serving.h"

namespace waferloom::planner {
namespace {

constexpr std::uint64_t kMostServedTokens = 10'000'000;
constexpr std::uint64_t kMostServedRequests = 1'000'000;

}  // namespace

Options<WaferServingJob> wafer_serving_options() {
  using Job = WaferServingJob;
  return {
      option(&Job::prompt, {.name = "prompt",
                            .value = "N",
                            .help = "Tokens of a request {default}.",
                            .range = WholeRange{1, kMostServedTokens}}),
      option(&Job::output, {.name = "output",
                            .value = "N",
                            .help = "Tokens that a request gets {default}.",
                            .range = WholeRange{1, kMostServedTokens}}),
      option(&Job::requests, {.name = "requests",
                              .value = "N",
                              .help = "Requests at once {default}.",
                              .range = WholeRange{1, kMostServedRequests}}),
      option(&Job::caches, {.name = "caches",
                            .value = "NAME",
                            .help = "Where keys and values of new tokens go: {choices}.",
                            .choices = {{"balanced", "over all rows of a region, tokens shift on"},
                                        {"appended", "all on its last row"}}})};
}

TextTable serving_levels_table(const WaferServing& found) {
  TextTable table(
      {"requests", "TTFT ms", "TPOT us", "tok/s user", "tok/s all", "decode on", "prefill on"});
  constexpr double kMilliSecond = 1e-3;
  constexpr double kMicroSecond = 1e-6;
  const auto regions = [](const RegionLayout& layout) {
    return fmt::format("{}x {}", layout.regions, grid_text(layout.region));
  };
  for (const ServingLevel& level : found.levels) {
    const std::string split = level.prefill_share > 0 ? " apart" : "";
    table.add({std::to_string(level.requests), significant_text(level.ttft_s / kMilliSecond),
               significant_text(level.tpot_s / kMicroSecond),
               significant_text(level.user_tokens_per_s),
               significant_text(level.total_tokens_per_s), regions(level.decode),
               regions(level.prefill) + split});
  }
  return table;
}

}  // namespace waferloom::planner
