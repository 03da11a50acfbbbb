#include "cli/bench_cases.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "benchmarks_ispd2020/cases.h"
#include "benchmarks_ispd2020/published.h"
#include "benchmarks_ispd2020/reference.h"
#include "cli/failure.h"
#include "cli/input_file.h"
#include "cli/placer_run.h"
#include "model/input_error.h"
#include "model/text_scan.h"

namespace waferloom {
namespace {

namespace fs = std::filesystem;

PublishedTotals published_totals(const std::string& name) {
  const PublishedCase& published = published_case(name);
  return {best_published(name).half_cost, published.gigaplacer.half_cost,
          published.contest_winner.half_cost, half_reference_total(name)};
}

bool is_contest_case(const std::string& name, const Problem& problem) {
  const std::vector<std::string>& names = case_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) return false;
  const Problem original = make_case(name);
  return problem.name() == original.name() && problem.wafer() == original.wafer() &&
         problem.memory_limit() == original.memory_limit() &&
         problem.weights() == original.weights() &&
         problem.kernel_count() == original.kernel_count() &&
         problem.connections().size() == original.connections().size();
}

/// Paths of the folder's .kgraph files by name, in the order of names.
std::map<std::string, std::string> kgraph_files(const std::string& folder) {
  std::map<std::string, std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path& path = entry->path();
    if (path.extension() == ".kgraph") files.emplace(path.stem().string(), path.string());
  }
  if (error) throw InputError(folder, "cannot be read: " + error.message());
  if (files.empty()) throw InputError(folder, "expected .kgraph files, found none");
  return files;
}

}  // namespace

void check_case_name(const std::string& what, const std::string& name,
                     const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  std::string list;
  for (const std::string& other : known) list += (list.empty() ? "" : ", ") + other;
  throw Failure(FailureKind::usage, what + ": unknown case " + waferloom::quoted(name) +
                                        suggestion(name, {known.begin(), known.end()}) +
                                        " (known: " + list + ")");
}

std::vector<BenchCase> contest_bench_cases(const std::vector<std::string>& names) {
  for (const std::string& name : names) check_case_name("--cases", name, case_names());
  std::vector<BenchCase> cases;
  for (const std::string& name : names.empty() ? case_names() : names) {
    cases.push_back({name, make_case(name), published_totals(name)});
  }
  return cases;
}

std::vector<BenchCase> folder_bench_cases(const std::string& folder,
                                          const std::vector<std::string>& names,
                                          const CommonOptions& options, Warnings& warnings) {
  const std::map<std::string, std::string> files = kgraph_files(folder);
  std::vector<std::string> known;
  for (const auto& [name, path] : files) known.push_back(name);
  for (const std::string& name : names) check_case_name("--cases", name, known);
  CommonOptions unlimited = options;  // the time limit is for each placement
  unlimited.time_limit.reset();
  std::vector<BenchCase> cases;
  for (const std::string& name : names.empty() ? known : names) {
    try {
      BenchCase bench{name, read_case(files.at(name), unlimited, warnings)};
      check_acyclic(*bench.problem, files.at(name));
      if (is_contest_case(name, *bench.problem)) bench.published = published_totals(name);
      cases.push_back(std::move(bench));
    } catch (const InputError& error) {
      cases.push_back({name, std::nullopt, std::nullopt, error.what()});
    }
  }
  return cases;
}

}  // namespace waferloom
