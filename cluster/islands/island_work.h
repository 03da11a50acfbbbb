#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cluster/islands.h"
#include "cluster/islands/island_cluster.h"
#include "cluster/islands/island_folder.h"
#include "model/run_control.h"

namespace waferloom::cluster {

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
    if (texts[i]) found[i] = read(*texts[i], folder.file(result_name({epoch, i})));
  }
  return found;
}

/// What runs the epochs of islands elsewhere: from tasks to what became of each.
template <class Found>
using EpochRunner =
    std::function<std::vector<std::optional<Found>>(const std::vector<optimize::IslandTask>&)>;

/// Runs islands on the engine of a search; `run` gets what runs an epoch there. What is not needed
/// any more is cancelled afterwards.
template <class Found, class Run>
auto search_elsewhere(const IslandSearch& search, const RunControl& control, const Note& note,
                      const RecordReader<Found>& read, const Run& run) {
  const IslandFolder folder(search.folder, search.identity, IslandFolder::Opening::makes);
  folder.remove_leftovers();
  IslandCluster cluster(search, folder, control, note);
  const EpochRunner<Found> runner = [&](const std::vector<optimize::IslandTask>& tasks) {
    const std::size_t epoch = tasks.front().epoch;
    return read_records(folder, epoch, cluster.run(epoch), read);
  };
  try {
    auto found = run(runner);
    cluster.finish();
    return found;
  } catch (...) {
    cluster.finish_quietly();
    throw;
  }
}

/// Does the task of a search unless it is done or its epoch closed, writes its record, and says
/// what became of it. `find` gets an engine for the epochs before, and gives the record's text;
/// nothing where the run ends before. Throws RunCut, and writes nothing then.
template <class Found>
std::string work_on_task(
    const IslandSearch& search, const RunControl& control, const RecordReader<Found>& read,
    const std::function<std::optional<std::string>(const EpochRunner<Found>& before)>& find) {
  const IslandFolder folder(search.folder, search.identity, IslandFolder::Opening::finds);
  const std::string result = result_name(*search.task);
  const std::string name = folder.file(result);
  if (folder.has_result(result)) return name + " is there";
  if (folder.is_closed(search.task->epoch)) return name + ": the epoch is closed";
  const std::optional<std::string> record =
      find([&](const std::vector<optimize::IslandTask>& tasks) {
        const std::size_t epoch = tasks.front().epoch;
        return read_records(folder, epoch,
                            folder.closed({.number = epoch, .islands = tasks.size()}), read);
      });
  control.end_if_cut();
  if (!record) return name + ": the run ends before";
  folder.write_record(*search.task, *record);
  return name + " is written";
}

}  // namespace waferloom::cluster
