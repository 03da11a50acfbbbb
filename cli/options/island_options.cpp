#include "cli/options/island_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/console/failure.h"
#include "cli/console/made_by.h"
#include "cli/console/version.h"
#include "cli/options/engine_options.h"
#include "cluster/processes.h"
#include "cluster/slurm.h"
#include "model/text.h"

namespace waferloom::cli {
namespace {

constexpr std::uint64_t kMostEpochs = 1'000;

/// Options of the command that no result follows from, besides those that name outputs, and those
/// that the folder tells by keys of their own.
constexpr std::array<std::string_view, 5> kOfNoResult{"engine", "run", "task", "islands", "epochs"};

void refuse(const std::string& message) { throw Failure(FailureKind::usage, message); }

/// What --islands has to be there for, and another engine than local.
void refuse_alone(const ArgumentValues& values) {
  for (const char* option : {"epochs", "engine", "run", "task"}) {
    if (values.contains(option) && !values.contains("islands")) {
      refuse("--" + std::string(option) + ": needs --islands");
    }
  }
  if (engine_of(values) != "local") return;
  for (const std::string name : {"run", "task", kEngineWords}) {
    if (!values.contains(name)) continue;
    refuse((name == kEngineWords ? "" : "--") + name + ": needs --engine parallel or slurm");
  }
}

optimize::IslandTurn task_of(const std::string& text, const optimize::IslandCounts& counts) {
  const std::size_t slash = text.find('/');
  const auto epoch = parse_whole_number(text.substr(0, slash), WholeRange{1, counts.epochs});
  const auto island =
      slash == std::string::npos
          ? std::optional<std::uint64_t>()
          : parse_whole_number(text.substr(slash + 1), WholeRange{1, counts.islands});
  if (!epoch || !island) {
    refuse(fmt::format(
        "--task: expected E/K with an epoch from 1 to {} and an island from 1 to {}, found {}",
        counts.epochs, counts.islands, in_quotes(text)));
  }
  return {*epoch - 1, *island - 1};
}

/// Throws Failure::usage for words that the driver would lose, or that would break what holds the
/// epochs together.
void check_extra(const std::vector<std::string>& extra, const std::vector<std::string>& all,
                 const std::string& engine) {
  const auto dashes = std::find(all.begin(), all.end(), "--");
  if (dashes != all.end() && static_cast<std::ptrdiff_t>(extra.size()) < all.end() - dashes - 1) {
    refuse("CASE: has to stand before --, behind it are options for " + engine);
  }
  if (engine != "slurm") return;
  for (const std::string& word : extra) {
    for (const std::string option : {"--dependency", "--array", "-d", "-a", "--parsable", "--wait",
                                     "-W", "--test-only", "--wrap"}) {
      const bool is_long = option.starts_with("--");
      const bool is_it =
          is_long ? word == option || word.starts_with(option + "=") : word.starts_with(option);
      if (is_it) {
        refuse("OPTIONS: " + option + " is set for each epoch; found " + in_quotes(word));
      }
    }
  }
}

/// Throws Failure::usage if this Slurm cannot number so many tasks.
void check_array(std::size_t islands) {
  const std::uint64_t most = cluster::most_slurm_tasks();
  if (islands < most) return;
  refuse(fmt::format(
      "--islands: this Slurm numbers tasks of an array below {} (MaxArraySize), found {}", most,
      islands));
}

/// The command line without what is the driver's own.
std::vector<std::string> words_of_tasks(const CommonOptions& common) {
  const std::vector<std::string>& all = common.command_line;
  std::vector<std::string> words{cluster::own_program()};
  words.insert(words.end(), all.begin(), std::find(all.begin(), all.end(), "--"));
  // An engine fills machines with tasks.
  if (!common.threads_given) words.insert(words.end(), {"--threads", "1"});
  if (!common.verbose && !common.quiet) words.emplace_back("--quiet");
  return words;
}

cluster::IslandsRun identity_of(const CommonOptions& common, const std::string& command,
                                const optimize::IslandCounts& counts) {
  cluster::IslandsRun identity{.program = program_version(),
                               .command = command,
                               .counts = counts,
                               .seed = common.seed,
                               .effort = common.effort,
                               .inputs = common.made_by->inputs()};
  for (const auto& [name, value] : common.given) {
    const bool is_mine = name == kEngineWords || std::find(kOfNoResult.begin(), kOfNoResult.end(),
                                                           name) != kOfNoResult.end();
    if (!is_mine && !value.is_output) identity.options[name] = value.texts;
  }
  return identity;
}

}  // namespace

Options<IslandRequest> island_options() {
  return {option(&IslandRequest::islands,
                 {.name = "islands",
                  .value = "N",
                  .help = "Search with N runs that differ in seed and start, {range}, and exchange "
                          "the best between epochs. Each does the work of --effort in each epoch.",
                  .range = WholeRange{1, cluster::kMostIslands}}),
          option(&IslandRequest::epochs, {.name = "epochs",
                                          .value = "E",
                                          .help = "Times that islands run, {range} {default}.",
                                          .range = WholeRange{1, kMostEpochs}}),
          option(&IslandRequest::engine,
                 {.name = "engine",
                  .value = "NAME",
                  .help = "What runs islands: {choices}.",
                  .choices = {{"local", "the threads of this machine"},
                              {"parallel", "GNU parallel: this machine, or hosts over ssh"},
                              {"slurm", "an array of Slurm for each epoch"}}}),
          option(&IslandRequest::run,
                 {"run", '\0', "FOLDER",
                  "Where islands of parallel and slurm leave what they find; a run that was cut "
                  "goes on from there."}),
          option(&IslandRequest::task, {"task", '\0', "E/K",
                                        "What engines run: island K of epoch E alone, into the "
                                        "folder of --run."})};
}

void refuse_islands(const ArgumentValues& values) {
  refuse_alone(values);
  const std::string engine = engine_of(values);
  if (engine == "local") return;
  if (!values.contains("run")) refuse("--engine " + engine + ": needs --run");
  if (values.contains("time-limit")) {
    refuse("--time-limit: goes without --engine " + engine +
           "; islands go by --effort, and a scheduler has its own limit (-- --time=60)");
  }
  for (const auto& [name, given] : values) {
    const bool reads_stdin = name != "output" && name != "report" && name != kEngineWords &&
                             std::find(given.begin(), given.end(), "-") != given.end();
    if (reads_stdin) refuse("--engine " + engine + ": its tasks cannot read standard input");
  }
}

std::optional<cluster::IslandSearch> island_search(const IslandRequest& request,
                                                   const CommonOptions& common,
                                                   const std::string& command) {
  if (!request.islands) return std::nullopt;
  cluster::IslandSearch search;
  search.counts = {*request.islands, request.epochs};
  search.engine = request.engine;
  if (search.engine == "local") return search;
  search.folder = request.run.value();
  search.identity = identity_of(common, command, search.counts);
  if (request.task) {
    search.task = task_of(*request.task, search.counts);
    return search;
  }
  need_engine(search.engine);
  check_extra(request.words, common.command_line, search.engine);
  if (search.engine == "slurm") check_array(search.counts.islands);
  search.task_words = words_of_tasks(common);
  search.extra = request.words;
  search.quiet = common.quiet;
  return search;
}

}  // namespace waferloom::cli
