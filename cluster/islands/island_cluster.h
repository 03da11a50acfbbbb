#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cluster/islands.h"
#include "cluster/islands/island_folder.h"
#include "cluster/task_array.h"
#include "model/run_control.h"

namespace waferloom::cluster {

/// Runs the tasks of islands on GNU parallel or Slurm, an epoch a call. Knows nothing of what they
/// search.
class IslandCluster {
 public:
  /// All have to live longer.
  IslandCluster(const IslandSearch& search, const IslandFolder& folder, const RunControl& control,
                const Note& note)
      : search_(search), folder_(folder), control_(control), note_(note) {}

  /// Has done what is missing of an epoch, and closes it. Texts of records in the order of the
  /// islands; nothing for those that were lost. After a cut: what there is so far, and the epoch
  /// stays open. Slurm gets all epochs that are left at the first call, each behind the one before.
  /// Throws EngineError if the engine refuses, and for an epoch without any result.
  std::vector<std::optional<std::string>> run(std::size_t epoch);

  /// Cancels what is still waiting or running: of epochs that were not needed.
  void finish();
  /// The same where something failed already, of which the user hears.
  void finish_quietly() noexcept;

 private:
  std::vector<std::uint64_t> missing(std::size_t epoch) const;
  int do_missing(std::size_t epoch);
  void do_on_slurm(std::size_t epoch);
  std::size_t adopt_jobs(std::size_t epoch);
  std::string where_told() const;
  void submit_from(std::size_t epoch);
  void wait_for(std::size_t epoch);
  void tell_lost(std::size_t epoch, const std::vector<std::optional<std::string>>& texts);
  std::string epoch_text(std::size_t epoch) const;

  const IslandSearch& search_;
  const IslandFolder& folder_;
  const RunControl& control_;
  const Note& note_;
  bool submitted_ = false;
  bool has_adopted_ = false;                 // jobs of an earlier call
  std::map<std::size_t, std::string> jobs_;  // of Slurm, by epoch
};

}  // namespace waferloom::cluster
