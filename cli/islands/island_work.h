#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/console/interrupt.h"
#include "cli/files/output_file.h"
#include "cli/islands/island_cluster.h"
#include "model/report.h"

namespace waferloom::cli {

/// How what an island finds is read from its record, which a file of that name holds.
template <class Found>
using RecordReader = std::function<Found(const std::string& text, const std::string& source)>;

/// The records of an epoch, read; nothing for those that are not there.
template <class Found>
std::vector<std::optional<Found>> read_records(const IslandFolder& folder, std::size_t epoch,
                                               const std::vector<std::optional<std::string>>& texts,
                                               const RecordReader<Found>& read) {
  std::vector<std::optional<Found>> found(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i]) found[i] = read(*texts[i], folder.record_file({epoch, i}));
  }
  return found;
}

/// What runs the epochs of islands elsewhere: from tasks to what became of each.
template <class Found>
using EpochRunner =
    std::function<std::vector<std::optional<Found>>(const std::vector<optimize::IslandTask>&)>;

/// Runs islands on the engine of a request; `search` gets what runs an epoch there. What is not
/// needed any more is cancelled afterwards.
template <class Found, class Search>
auto search_elsewhere(const IslandRequest& request, const CommonOptions& common,
                      const RunControl& control, Progress& progress,
                      const RecordReader<Found>& read, const Search& search) {
  const IslandFolder folder = island_folder(request, common);
  IslandCluster cluster(request, folder, control, progress);
  const EpochRunner<Found> runner = [&](const std::vector<optimize::IslandTask>& tasks) {
    const std::size_t epoch = tasks.front().epoch;
    return read_records(folder, epoch, cluster.run(epoch), read);
  };
  try {
    auto found = search(runner);
    cluster.finish();
    return found;
  } catch (...) {
    cluster.finish_quietly();
    throw;
  }
}

/// Does a task unless it is done or its epoch closed, writes its record, and answers the exit code
/// 0. `find` gets an engine for the epochs before, and gives the record; nothing where the run ends
/// before. After a signal nothing is written (Failure::interrupted).
template <class Found>
int work_on_task(const IslandFolder& folder, const optimize::IslandTurn& turn,
                 const RecordReader<Found>& read,
                 const std::function<std::optional<Json>(const EpochRunner<Found>& before)>& find) {
  const std::string name = folder.record_file(turn);
  if (folder.has(turn) || folder.is_closed(turn.epoch)) {
    write_stdout(name + (folder.has(turn) ? " is there\n" : ": the epoch is closed\n"));
    return 0;
  }
  const std::optional<Json> record = find([&](const std::vector<optimize::IslandTask>& tasks) {
    const std::size_t epoch = tasks.front().epoch;
    return read_records(folder, epoch, folder.closed(epoch, tasks.size()), read);
  });
  throw_if_interrupted();
  if (record) folder.write(turn, *record);
  write_stdout(name + (record ? " is written\n" : ": the run ends before\n"));
  return 0;
}

}  // namespace waferloom::cli
