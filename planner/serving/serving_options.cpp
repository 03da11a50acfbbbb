#include "planner/serving.h"

namespace waferloom::planner {
namespace {

constexpr std::uint64_t kMostTokens = 100'000'000;
constexpr std::uint64_t kMostSamples = 1'000'000;

std::vector<OptionSpec> speculation_options() {
  const Speculation defaults;
  return {{.name = "acceptance",
           .value = "A",
           .help = "Of a drafted token, {range} {default}.",
           .range = RealRange{0, 1},
           .fallback = fallback_text(defaults.acceptance)},
          {.name = "window",
           .value = "K",
           .help = "Drafted tokens, or depths of a tree {default}.",
           .range = WholeRange{1, kMostWindow},
           .fallback = std::to_string(defaults.window)},
          {.name = "scheme",
           .value = "S",
           .help = "{fallback} (default), or tree: 2^K tokens.",
           .choices = choices_of(kSchemeNames),
           .fallback = std::string(kSchemeNames[static_cast<std::size_t>(defaults.scheme)])}};
}

}  // namespace

std::vector<OptionSpec> serving_options() {
  const ServingOptions defaults;
  return joined(
      {{{.name = "system",
         .value = "NAME|FILE",
         .help = "{fallback} (default), another preset, or a JSON file.",
         .fallback = "sn40l_16"},
        {.name = "prompt",
         .value = "N",
         .help = "Tokens of a prompt {default}.",
         .range = WholeRange{1, kMostTokens},
         .fallback = std::to_string(defaults.prompt)},
        {.name = "context",
         .value = "N",
         .help = "Tokens in the caches when one is made {default}.",
         .range = WholeRange{0, kMostTokens},
         .fallback = std::to_string(defaults.context)},
        {.name = "samples",
         .value = "N",
         .help = "Sequences of a stage at once {default}.",
         .range = WholeRange{1, kMostSamples},
         .fallback = std::to_string(defaults.samples)},
        {.name = "draft", .value = "WORKLOAD", .help = "A small model that drafts tokens."}},
       with_modes(speculation_options(), {{{"--draft"}, {"acceptance", "window", "scheme"}}}),
       {{.name = "area",
         .help = "Also study how much of a chip should compute under DDR, HBM and 3-D "
                 "memory."}}});
}

}  // namespace waferloom::planner
