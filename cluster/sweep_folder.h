#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/run_folder.h"
#include "model/run_control.h"
#include "sweep/manifest.h"
#include "sweep/results.h"

namespace waferloom::cluster {

/// The program that works on a run.
struct RunReader {
  std::string program;  ///< its version
  /// Gives the bytes of a file that counts as an input of the program. Throws InputError.
  std::function<std::string(const std::string& path)> read;
};

/// The folder of a sweep, which `sweep plan` made. Besides what all run folders have:
///
///     space.json  manifest.jsonl  inputs/   never changed again, as run.json
///     results/XX/ID.json                    XX the first two digits of the point's id
class SweepFolder : public RunFolder {
 public:
  /// Opens it. Throws InputError if it is none, or of another version of the program.
  SweepFolder(std::string path, RunReader reader);

  const sweep::RunFacts& facts() const { return facts_; }

  /// Gives points to `take` until it says false: those whose index is `part` modulo `parts`. Reads
  /// line by line. Throws InputError for a manifest that is not whole.
  void for_each_point(const std::function<bool(const sweep::Point&)>& take, std::uint64_t part = 0,
                      std::uint64_t parts = 1) const;

  /// What became of a point, by its files: an answer before a failure. Nothing if it has none that
  /// is whole.
  std::optional<sweep::PointStatus> status(const std::string& id) const;
  /// Its result, read. Nothing if it has none that is whole, or its file holds something else.
  std::optional<sweep::PointResult> result(const std::string& id) const;
  /// Puts a result in place; an answer takes an earlier failure away. Throws InputError.
  void write_outcome(const std::string& id, const sweep::PointOutcome& outcome) const;

 private:
  RunReader reader_;
  sweep::RunFacts facts_;
};

/// Makes a run folder: all of it appears at once. Throws InputError if something of that name is
/// there, or it cannot be written; RunCut. `points` gives all lines of the manifest to its
/// argument, and returns how many.
struct NewRun {
  sweep::RunFacts facts;
  std::string space;  ///< the text of the space
  std::map<std::string, std::string> inputs;
  std::function<std::uint64_t(const std::function<void(std::string_view)>& append)> points;
};
std::uint64_t write_run_folder(const std::string& path, NewRun run, const RunControl& control);

/// Throws InputError if something of that name is there, or its folder cannot be written to.
void check_new_run(const std::string& path);

}  // namespace waferloom::cluster
