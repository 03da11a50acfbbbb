#include "planner/serving.h"

namespace waferloom::planner {
namespace {

constexpr std::uint64_t kMostTokens = 100'000'000;
constexpr std::uint64_t kMostSamples = 1'000'000;

Options<ServingOptions> pass_options() {
  return {
      option(&ServingOptions::prompt, {.name = "prompt",
                                       .value = "N",
                                       .help = "Tokens of a prompt {default}.",
                                       .range = WholeRange{1, kMostTokens}}),
      option(&ServingOptions::context, {.name = "context",
                                        .value = "N",
                                        .help = "Tokens in the caches when one is made {default}.",
                                        .range = WholeRange{0, kMostTokens}}),
      option(&ServingOptions::samples, {.name = "samples",
                                        .value = "N",
                                        .help = "Sequences of a stage at once {default}.",
                                        .range = WholeRange{1, kMostSamples}})};
}

Options<Speculation> speculation_options() {
  return in_modes<Speculation>(
      {option(&Speculation::acceptance, {.name = "acceptance",
                                         .value = "A",
                                         .help = "Of a drafted token, {range} {default}.",
                                         .range = RealRange{0, 1}}),
       option(&Speculation::window, {.name = "window",
                                     .value = "K",
                                     .help = "Drafted tokens, or depths of a tree {default}.",
                                     .range = WholeRange{1, kMostWindow}}),
       option(&Speculation::scheme,
              {"scheme", '\0', "S", "{fallback} (default), or tree: 2^K tokens."})},
      {{{"--draft"}, {"acceptance", "window", "scheme"}}});
}

}  // namespace

Options<ServingChoice> serving_options() {
  return joined_options<ServingChoice>(
      {options_inside(
           &ServingChoice::machine,
           machine_options({.name = "hardware",
                            .value = "NAME|FILE",
                            .help = "{fallback} (default), another preset, or a JSON file.",
                            .fallback = ServingChoice{}.machine.name.value()})),
       options_inside(&ServingChoice::options, pass_options()),
       {option(&ServingChoice::draft,
               {"draft", '\0', "WORKLOAD", "A small model that drafts tokens."})},
       options_inside(&ServingChoice::speculation, speculation_options()),
       {option(&ServingChoice::area,
               {.name = "area",
                .help = "Also study how much of a chip should compute under DDR, HBM and 3-D "
                        "memory."})}});
}

}  // namespace waferloom::planner
