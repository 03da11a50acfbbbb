#include "cluster/islands/island_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cluster/folder/own_file.h"
#include "cluster/islands/island_rows.h"
#include "cluster/task_array.h"
#include "model/errors.h"
#include "model/option_spec.h"
#include "sweep/results.h"

// Problem: tasks on many machines have to agree on what each epoch found, though some are lost and
// some come late.
// Idea: a file a task, and one that closes the epoch with a list of the islands that count. It is
// made by link(2), which only the first succeeds in, also on a file system that machines share.
namespace waferloom::cluster {
namespace {

namespace fs = std::filesystem;

bool is_file(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// Epochs in names are counted from 1.
std::string group_of(std::size_t epoch) { return fmt::format("epoch-{}", epoch + 1); }

/// Whether there is nothing, or a folder that holds what a run left which was killed as it made it.
bool may_become_one(const std::string& path) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(path, error))) return true;
  fs::directory_iterator entries(path, error);
  return !error && std::all_of(begin(entries), end(entries), [](const fs::directory_entry& entry) {
    return entry.path().filename().string().starts_with('.');
  });
}

/// The islands that the closed.json `source` lists, counted from 0: at least one, all of `count`.
std::vector<std::size_t> closed_islands(const std::string& source, std::size_t count) {
  std::vector<std::size_t> islands = read_closed_epoch(own_file_text(source), source).islands;
  for (std::size_t& island : islands) {
    if (island > count) {
      throw InputError(source, kWholeSource,
                       fmt::format("expected islands from 1 to {}, found {}", count, island));
    }
    --island;
  }
  return islands;
}

/// The island of a record's file, counted from 0; nothing for another name.
std::optional<std::size_t> island_of(const std::string& name) {
  const std::string begin = "island-";
  const std::string end = ".json";
  if (!name.starts_with(begin) || !name.ends_with(end) || name.size() <= begin.size() + end.size())
    return std::nullopt;
  const auto number =
      parse_whole_number(name.substr(begin.size(), name.size() - begin.size() - end.size()),
                         WholeRange{1, kMostIslands});
  return number ? std::optional<std::size_t>(*number - 1) : std::nullopt;
}

}  // namespace

std::string result_name(const optimize::IslandTurn& turn) {
  return fmt::format("results/{}/island-{}.json", group_of(turn.epoch), turn.island + 1);
}

IslandFolder::IslandFolder(std::string path, const IslandsRun& identity, Opening opening)
    : RunFolder(std::move(path)) {
  const bool makes = opening == Opening::makes;
  if (!is_file(run_file())) {
    // Another may make it right now.
    if ((!makes || !may_become_one(this->path())) && !is_file(run_file())) {
      throw InputError(this->path(), kWholeSource,
                       std::string("expected a folder of islands") +
                           (makes ? ", or nothing there" : "") + "; found no run.json in it");
    }
    make_folder(this->path());
    write_once(run_file(), islands_run_text(identity));
  }
  check(identity);  // another may have been first
  make_folder(file("engine"));
}

void IslandFolder::check(const IslandsRun& identity) const {
  const IslandsRun there = read_islands_run(own_file_text(run_file()), run_file());
  const std::vector<std::string> keys = keys_of_another_run(identity, there);
  if (keys.empty()) return;
  const std::string& key = keys.front();
  throw InputError(run_file(), kWholeSource,
                   "is of another run: its " + key + " differ" + (key.ends_with('s') ? "" : "s") +
                       "; give --run another folder");
}

std::string IslandFolder::closed_file(std::size_t epoch) const {
  return file("results/" + group_of(epoch) + "/closed.json");
}

std::string IslandFolder::record(const optimize::IslandTurn& turn) const {
  return own_file_text(file(result_name(turn)));
}

bool IslandFolder::is_closed(std::size_t epoch) const { return is_file(closed_file(epoch)); }

void IslandFolder::write_record(const optimize::IslandTurn& turn, const std::string& record) const {
  write_result(result_name(turn), sweep::whole_text(record));
}

std::vector<std::size_t> IslandFolder::done(std::size_t epoch) const {
  std::vector<std::size_t> islands;
  for (const std::string& name : whole_results(group_of(epoch))) {
    if (const auto island = island_of(name)) islands.push_back(*island);
  }
  std::sort(islands.begin(), islands.end());
  return islands;
}

std::vector<std::optional<std::string>> IslandFolder::so_far(const Epoch& epoch) const {
  std::vector<std::optional<std::string>> texts(epoch.islands);
  for (const std::size_t island : done(epoch.number)) {
    if (island < epoch.islands) texts[island] = record({epoch.number, island});
  }
  return texts;
}

std::vector<std::optional<std::string>> IslandFolder::closed(const Epoch& epoch) const {
  if (!is_closed(epoch.number)) close(epoch);
  std::vector<std::optional<std::string>> texts(epoch.islands);
  for (const std::size_t island : closed_islands(closed_file(epoch.number), epoch.islands)) {
    texts[island] = record({epoch.number, island});
  }
  return texts;
}

std::string IslandFolder::nothing_left(std::size_t epoch) const {
  return fmt::format("{}: no island of epoch {} left a result", path(), epoch + 1);
}

void IslandFolder::close(const Epoch& epoch) const {
  ClosedEpoch closed;
  for (const std::size_t island : done(epoch.number)) {
    if (island >= epoch.islands) continue;
    make_lasting(file(result_name({epoch.number, island})));  // it counts from now on
    closed.islands.push_back(island + 1);
  }
  if (closed.islands.empty()) throw EngineError(nothing_left(epoch.number));
  write_once(closed_file(epoch.number), closed_epoch_text(closed));
}

}  // namespace waferloom::cluster
