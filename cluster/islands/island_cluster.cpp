#include "cluster/islands/island_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "cluster/engines/parallel.h"
#include "cluster/slurm.h"
#include "cluster/task_array.h"

// Problem: islands on machines that come and go, with the same result as on one.
// Idea: an epoch is an array of tasks that need nothing of each other; the next one waits for its
// end, however that was. A task finds out by itself what it begins with, from the files of the
// epochs before, so nobody has to stay in between: this only waits, and may be started again.
namespace waferloom::cluster {
namespace {

TaskArray tasks_of(const IslandSearch& search, const IslandFolder& folder, std::size_t epoch,
                   std::vector<std::uint64_t> islands) {
  TaskArray array;
  array.folder = folder.absolute("engine");
  array.tasks = std::move(islands);
  array.words = [&search, epoch](const std::string& island) {
    std::vector<std::string> words = search.task_words;
    words.insert(words.end(), {"--task", fmt::format("{}/{}", epoch + 1, island)});
    return words;
  };
  array.work_folder = std::filesystem::current_path().string();
  array.extra = search.extra;
  array.quiet = search.quiet;
  return array;
}

std::string array_name(std::size_t epoch) { return fmt::format("epoch-{}", epoch + 1); }

}  // namespace

std::string IslandCluster::epoch_text(std::size_t epoch) const {
  return fmt::format("epoch {} of {}", epoch + 1, search_.counts.epochs);
}

/// Islands of an epoch without a record, counted from 1.
std::vector<std::uint64_t> IslandCluster::missing(std::size_t epoch) const {
  const std::vector<std::size_t> done = folder_.done(epoch);
  std::vector<std::uint64_t> islands;
  for (std::size_t i = 0; i < search_.counts.islands; ++i) {
    if (!std::binary_search(done.begin(), done.end(), i)) islands.push_back(i + 1);
  }
  return islands;
}

std::vector<std::optional<std::string>> IslandCluster::run(std::size_t epoch) {
  const std::size_t islands = search_.counts.islands;
  if (folder_.is_closed(epoch)) return folder_.closed({epoch, islands});
  int parallel_code = 0;
  try {
    parallel_code = do_missing(epoch);
    control_.end_if_cut();
  } catch (const std::runtime_error&) {
    if (!control_.interrupted()) throw;
    finish();
    return folder_.so_far({epoch, islands});
  }
  if (folder_.done(epoch).empty()) {
    const std::string code =
        parallel_code == 0 ? "" : fmt::format("exit code {} of parallel; ", parallel_code);
    throw EngineError(folder_.nothing_left(epoch) + "; " + code + where_told());
  }
  std::vector<std::optional<std::string>> texts = folder_.closed({epoch, islands});
  tell_lost(epoch, texts);
  return texts;
}

/// The exit code of parallel, 0 of Slurm.
int IslandCluster::do_missing(std::size_t epoch) {
  if (search_.engine == "slurm") {
    do_on_slurm(epoch);
    return 0;
  }
  std::vector<std::uint64_t> islands = missing(epoch);
  if (islands.empty()) return 0;
  control_.tell({fmt::format("{}, {} islands", epoch_text(epoch), islands.size()), folder_.path()});
  return run_by_parallel(tasks_of(search_, folder_, epoch, std::move(islands)), control_);
}

void IslandCluster::do_on_slurm(std::size_t epoch) {
  if (!submitted_) {
    submitted_ = true;
    submit_from(adopt_jobs(epoch));
  }
  wait_for(epoch);
  if (!has_adopted_ || folder_.is_closed(epoch) || missing(epoch).empty()) return;
  // What the earlier call had submitted was cancelled, or is lost: anew from here.
  has_adopted_ = false;
  finish();
  submit_from(epoch);
  wait_for(epoch);
}

/// Takes over the jobs of an earlier call that was killed. Answers the first epoch behind theirs.
std::size_t IslandCluster::adopt_jobs(std::size_t epoch) {
  for (const SlurmJob& job : living_slurm_jobs(folder_.absolute("engine"))) {
    for (std::size_t of = epoch; of < search_.counts.epochs; ++of) {
      if (job.name != array_name(of)) continue;
      note_("job " + job.number + " of an earlier call: " + epoch_text(of));
      jobs_[of] = job.number;
    }
  }
  has_adopted_ = !jobs_.empty();
  return jobs_.empty() ? epoch : jobs_.rbegin()->first + 1;
}

void IslandCluster::submit_from(std::size_t epoch) {
  SlurmArray array{"", search_.counts.islands, jobs_.empty() ? "" : jobs_.rbegin()->second};
  for (; epoch < search_.counts.epochs; ++epoch) {
    std::vector<std::uint64_t> tasks = missing(epoch);
    if (tasks.empty()) continue;
    array.name = array_name(epoch);
    array.behind = submit_to_slurm(tasks_of(search_, folder_, epoch, std::move(tasks)), array);
    jobs_[epoch] = array.behind;
    note_("job " + array.behind + " of Slurm: " + epoch_text(epoch));
  }
}

/// Waits for the job of an epoch; it has none where all its tasks were done before.
void IslandCluster::wait_for(std::size_t epoch) {
  const auto job = jobs_.find(epoch);
  if (job == jobs_.end()) return;
  wait_for_slurm({job->second}, control_, [&] {
    control_.tell({fmt::format("{}, {} of {} islands are done", epoch_text(epoch),
                               folder_.done(epoch).size(), search_.counts.islands),
                   folder_.path()});
  });
}

void IslandCluster::tell_lost(std::size_t epoch,
                              const std::vector<std::optional<std::string>>& texts) {
  std::string lost;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!texts[i]) lost += fmt::format("{}{}", lost.empty() ? " " : ", ", i + 1);
  }
  if (lost.empty()) return;
  note_(epoch_text(epoch) + ": lost the tasks of islands" + lost + "; " + where_told());
}

/// Where users find what tasks said.
std::string IslandCluster::where_told() const {
  return search_.engine == "slurm" ? folder_.absolute("engine") + " has what its tasks said"
                                   : "what its tasks said is above";
}

void IslandCluster::finish() {
  // The last epoch first: one whose turn it is by the end of the one before must not begin.
  std::vector<std::string> jobs;
  for (auto job = jobs_.rbegin(); job != jobs_.rend(); ++job) jobs.push_back(job->second);
  cancel_slurm_jobs(jobs);
  jobs_.clear();
}

void IslandCluster::finish_quietly() noexcept {
  try {
    finish();
  } catch (const std::runtime_error&) {  // the first failure is told
  }
}

}  // namespace waferloom::cluster
