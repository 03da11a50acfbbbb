#include "cli/options/island_options.h"

#include <string>

#include "cli/console/failure.h"
#include "cli/options/option_values.h"

namespace waferloom::cli {
namespace {

constexpr std::uint64_t kMostIslands = 1'000;
constexpr std::uint64_t kMostEpochs = 1'000;

}  // namespace

std::vector<OptionSpec> island_options() {
  return {{.name = "islands",
           .value = "N",
           .help = "Search with N runs that differ in seed and start, {range}, and exchange the "
                   "best between epochs. Each does the work of --effort in each epoch.",
           .range = WholeRange{1, kMostIslands}},
          {.name = "epochs",
           .value = "E",
           .help = "Times that islands run, {range} {default}.",
           .range = WholeRange{1, kMostEpochs},
           .fallback = std::to_string(optimize::IslandCounts{}.epochs)},
          {.name = "engine",
           .value = "NAME",
           .help = "What runs islands: {choices}.",
           .choices = {{"local", "the threads of this machine"}},
           .fallback = "local"}};
}

void refuse_islands(const ArgumentValues& values) {
  if (values.contains("islands")) return;
  for (const char* option : {"epochs", "engine"}) {
    if (values.contains(option)) {
      throw Failure(FailureKind::usage, "--" + std::string(option) + ": needs --islands");
    }
  }
}

std::optional<optimize::IslandCounts> island_counts(const Arguments& arguments) {
  if (!arguments.has("islands")) return std::nullopt;
  return optimize::IslandCounts{whole<std::size_t>(arguments, "islands"),
                                whole<std::size_t>(arguments, "epochs")};
}

}  // namespace waferloom::cli
