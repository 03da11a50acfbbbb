#include "cli/commands/bench_cases.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "benchmarks_ispd2020/case_options.h"
#include "benchmarks_ispd2020/cases.h"
#include "benchmarks_ispd2020/generated_cases.h"
#include "benchmarks_ispd2020/published.h"
#include "benchmarks_ispd2020/reference.h"
#include "cli/console/failure.h"
#include "cli/files/input_file.h"
#include "model/errors.h"
#include "model/problem.h"
#include "model/text.h"

namespace waferloom::cli {
namespace {

namespace fs = std::filesystem;

optimize::PublishedTotals published_totals(const std::string& name) {
  const ispd2020::PublishedCase& published = ispd2020::published_case(name);
  return {ispd2020::best_published(name).half_cost, published.gigaplacer.half_cost,
          published.contest_winner.half_cost, ispd2020::half_reference_total(name)};
}

bool is_contest_case(const std::string& name, const Problem& problem) {
  const std::vector<std::string>& names = ispd2020::case_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) return false;
  const Problem original = ispd2020::make_case(name);
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
  if (error) throw InputError(folder, kWholeSource, "cannot be read: " + error.message());
  if (files.empty()) throw InputError(folder, kWholeSource, "expected .kgraph files, found none");
  return files;
}

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

/// The one of `known` that is `name`, or that differs from it in case only.
std::string known_name(const std::string& what, const std::string& name,
                       const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return name;
  std::vector<std::string> alike;
  std::string list;
  for (const std::string& other : known) {
    if (lower(other) == lower(name)) alike.push_back(other);
    list += (list.empty() ? "" : ", ") + other;
  }
  if (alike.size() == 1) return alike.front();
  throw Failure(FailureKind::usage, what + ": unknown case " + in_quotes(name) +
                                        suggestion(name, {known.begin(), known.end()}) +
                                        " (known: " + list + ")");
}

/// The names between commas or blanks.
std::vector<std::string> split_names(const std::string& what, const std::string& text) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find_first_of(", ", begin), text.size());
    if (end == begin && (end == text.size() || text[end] == ',')) {
      throw Failure(FailureKind::usage,
                    what + ": expected names between commas or blanks, found " + in_quotes(text));
    }
    if (end > begin) names.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

}  // namespace

std::vector<std::string> case_names_of(const std::vector<std::string>& given,
                                       const std::string& what,
                                       const std::vector<std::string>& known) {
  std::vector<std::string> names;
  for (const std::string& text : given) {
    if (std::find(known.begin(), known.end(), text) != known.end()) {
      names.push_back(text);  // a file's name may have blanks
      continue;
    }
    for (const std::string& name : split_names(what, text)) {
      names.push_back(known_name(what, name, known));
    }
  }
  return names;
}

std::vector<optimize::BenchCase> contest_bench_cases(const std::string& what,
                                                     const std::vector<std::string>& given) {
  const std::vector<std::string> names = case_names_of(given, what, ispd2020::case_names());
  std::vector<optimize::BenchCase> cases;
  for (const std::string& name : names.empty() ? ispd2020::case_names() : names) {
    cases.push_back({name, ispd2020::make_case(name), published_totals(name)});
  }
  return cases;
}

std::vector<optimize::BenchCase> generated_bench_cases(ispd2020::GeneratedTable table,
                                                       const std::string& what,
                                                       const std::vector<std::string>& given) {
  const bool small = table == ispd2020::GeneratedTable::small;
  std::map<std::string, ispd2020::GeneratedCase> cases;
  std::vector<std::string> known;
  for (const ispd2020::GeneratedCase& generated : ispd2020::generated_cases()) {
    if (small && known.size() == ispd2020::small_generated_cases()) break;
    known.push_back(generated.name);
    cases.emplace(generated.name, generated);
  }
  const std::vector<std::string> names = case_names_of(given, what, known);
  std::vector<optimize::BenchCase> chosen;
  for (const std::string& name : names.empty() ? known : names) {
    chosen.push_back({name, ispd2020::make_generated_case(cases.at(name))});
  }
  return chosen;
}

std::vector<optimize::BenchCase> folder_bench_cases(const std::string& folder,
                                                    const std::vector<std::string>& given,
                                                    const CommonOptions& options,
                                                    Warnings& warnings) {
  const std::map<std::string, std::string> files = kgraph_files(folder);
  std::vector<std::string> known;
  for (const auto& [name, path] : files) known.push_back(name);
  const std::vector<std::string> names = case_names_of(given, "--cases", known);
  CommonOptions unlimited = options;  // the time limit is for each placement
  unlimited.time_limit.reset();
  std::vector<optimize::BenchCase> cases;
  for (const std::string& name : names.empty() ? known : names) {
    try {
      optimize::BenchCase bench{name, read_case(files.at(name), unlimited, warnings)};
      check_acyclic(*bench.problem, files.at(name));
      if (is_contest_case(name, *bench.problem)) bench.published = published_totals(name);
      cases.push_back(std::move(bench));
    } catch (const InputError& error) {
      cases.push_back({name, std::nullopt, std::nullopt, error.what()});
    }
  }
  return cases;
}

}  // namespace waferloom::cli
