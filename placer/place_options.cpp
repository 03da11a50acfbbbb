#include "placer/place_options.h"

#include <limits>
#include <map>

#include "placer/place.h"

namespace waferloom::placer {
namespace {

constexpr std::uint64_t kMostThreads = 1'024;

std::string strategy_help() {
  const std::string without = "-no-";
  std::string text = "How to search {default}:";
  std::map<std::string, std::string> parts;  // by strategy
  for (const StrategyInfo& info : strategies()) {
    const std::size_t at = info.name.find(without);
    if (at == std::string::npos) {
      text += "\n" + info.name + ": " + info.description;
      continue;
    }
    std::string& list = parts[info.name.substr(0, at)];
    list += (list.empty() ? "" : ", ") + info.name.substr(at + without.size());
  }
  for (const auto& [whole, list] : parts) {
    text.append("\n").append(whole).append(without);
    text.append("PART: without one part, for ablation: ").append(list);
  }
  return text;
}

}  // namespace

std::vector<OptionSpec> search_options() {
  const PlaceOptions defaults;
  return {{.name = "seed",
           .value = "N",
           .help = "Seed of all random choices, recorded in reports {default}.",
           .range = WholeRange{0, std::numeric_limits<std::uint64_t>::max()},
           .fallback = std::to_string(defaults.seed)},
          {.name = "threads",
           .value = "N",
           .help = "Threads to use (default: one a core). Never changes the result under --effort.",
           .range = WholeRange{1, kMostThreads}},
          {.name = "time-limit",
           .value = "S",
           .help = "Seconds, decimals allowed, from the program's start to its last written byte. "
                   "Without --effort, a search may go on until then."},
          {.name = "effort",
           .value = "1-9",
           .help = "Work to do {default}: the same result for the same seed at any number of "
                   "threads. With --time-limit too the earlier of both ends the run.",
           .range = WholeRange{1, 9},
           .fallback = std::to_string(defaults.effort)}};
}

OptionSpec strategy_option() {
  OptionSpec option{.name = "strategy",
                    .value = "NAME",
                    .help = strategy_help(),
                    .fallback = PlaceOptions{}.strategy};
  for (const StrategyInfo& info : strategies()) option.choices.push_back({info.name});
  return option;
}

}  // namespace waferloom::placer
