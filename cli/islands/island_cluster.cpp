#include "cli/islands/island_cluster.h"

#include <algorithm>
#include <filesystem>

#include "cli/console/failure.h"
#include "cli/console/interrupt.h"
#include "cli/engines/parallel.h"
#include "cli/engines/slurm.h"

// Problem: islands on machines that come and go, with the same result as on one.
// Idea: an epoch is an array of tasks that need nothing of each other; the next one waits for its
// end, however that was. A task finds out by itself what it begins with, from the files of the
// epochs before, so nobody has to stay in between: this only waits, and may be started again.
namespace waferloom::cli {
namespace {

TaskArray tasks_of(const IslandRequest& request, const IslandFolder& folder, std::size_t epoch,
                   std::vector<std::uint64_t> islands) {
  TaskArray array;
  array.folder = folder.engine_folder();
  array.tasks = std::move(islands);
  array.words = [&request, epoch](const std::string& island) {
    std::vector<std::string> words = request.task_words;
    words.insert(words.end(), {"--task", std::to_string(epoch + 1) + "/" + island});
    return words;
  };
  array.work_folder = std::filesystem::current_path().string();
  array.extra = request.extra;
  array.quiet = request.quiet;
  return array;
}

}  // namespace

std::string IslandCluster::epoch_text(std::size_t epoch) const {
  return "epoch " + std::to_string(epoch + 1) + " of " + std::to_string(request_.counts.epochs);
}

/// Islands of an epoch without a record, counted from 1.
std::vector<std::uint64_t> IslandCluster::missing(std::size_t epoch) const {
  const std::vector<std::size_t> done = folder_.done(epoch);
  std::vector<std::uint64_t> islands;
  for (std::size_t i = 0; i < request_.counts.islands; ++i) {
    if (!std::binary_search(done.begin(), done.end(), i)) islands.push_back(i + 1);
  }
  return islands;
}

std::vector<std::optional<std::string>> IslandCluster::run(std::size_t epoch) {
  const std::size_t islands = request_.counts.islands;
  if (folder_.is_closed(epoch)) return folder_.closed(epoch, islands);
  try {
    do_missing(epoch);
    throw_if_interrupted();
  } catch (const Failure&) {
    if (!interrupted()) throw;
    finish();
    return folder_.so_far(epoch, islands);
  }
  std::vector<std::optional<std::string>> texts = folder_.closed(epoch, islands);
  tell_lost(epoch, texts);
  return texts;
}

void IslandCluster::do_missing(std::size_t epoch) {
  if (request_.engine == "slurm") {
    if (!submitted_) submit_from(epoch);
    if (jobs_.contains(epoch)) wait_for(jobs_.at(epoch), epoch);
    return;
  }
  std::vector<std::uint64_t> islands = missing(epoch);
  if (islands.empty()) return;
  progress_.update(epoch_text(epoch) + ", " + std::to_string(islands.size()) + " islands",
                   folder_.path());
  run_by_parallel(tasks_of(request_, folder_, epoch, std::move(islands)));
}

void IslandCluster::submit_from(std::size_t epoch) {
  submitted_ = true;
  for (const std::string& job : living_slurm_jobs(folder_.engine_folder())) {
    progress_.note("waiting for job " + job + " of an earlier call");
    wait_for(job, epoch);
  }
  const std::size_t islands = request_.counts.islands;
  const std::uint64_t most = most_slurm_tasks();
  if (islands >= most) {
    throw Failure(FailureKind::usage, "--islands: this Slurm numbers tasks of an array below " +
                                          std::to_string(most) + " (MaxArraySize), found " +
                                          std::to_string(islands));
  }
  SlurmArray array{"slurm", islands, ""};
  try {
    for (; epoch < request_.counts.epochs; ++epoch) {
      std::vector<std::uint64_t> tasks = missing(epoch);
      if (tasks.empty()) continue;
      array.name = "epoch-" + std::to_string(epoch + 1);
      array.behind = submit_to_slurm(tasks_of(request_, folder_, epoch, std::move(tasks)), array);
      jobs_[epoch] = array.behind;
      progress_.note("job " + array.behind + " of Slurm: " + epoch_text(epoch));
    }
  } catch (const Failure&) {
    finish();
    throw;
  }
}

void IslandCluster::wait_for(const std::string& job, std::size_t epoch) {
  SlurmWatch watch({job});
  do {
    progress_.update(epoch_text(epoch) + ", " + std::to_string(folder_.done(epoch).size()) +
                         " of " + std::to_string(request_.counts.islands) + " islands are done",
                     folder_.path());
  } while (watch.still_runs());
}

void IslandCluster::tell_lost(std::size_t epoch,
                              const std::vector<std::optional<std::string>>& texts) {
  std::string lost;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!texts[i]) lost += (lost.empty() ? " " : ", ") + std::to_string(i + 1);
  }
  if (lost.empty()) return;
  progress_.note(epoch_text(epoch) + ": lost the tasks of islands" + lost + "; " +
                 folder_.engine_folder() + " has what they said");
}

void IslandCluster::finish() {
  std::vector<std::string> jobs;
  for (const auto& [epoch, job] : jobs_) jobs.push_back(job);
  if (!jobs.empty() && slurm_knows(jobs)) cancel_slurm_jobs(jobs);
  jobs_.clear();
}

}  // namespace waferloom::cli
