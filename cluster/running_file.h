#pragma once

#include <string>
#include <vector>

#include "cluster/run_folder.h"

namespace waferloom::cluster {

/// Says, while it lives, that this process works on a run: a file running/WHAT.HOST.PID that it
/// holds locked (flock). The file goes with it; what a killed process left is not locked, and
/// counts for nothing.
class RunningFile {
 public:
  /// `what` is "task" or "submit". Throws InputError.
  RunningFile(const RunFolder& run, const std::string& what);
  ~RunningFile();
  RunningFile(const RunningFile&) = delete;
  RunningFile& operator=(const RunningFile&) = delete;

 private:
  std::string path_;
  int number_ = -1;
};

/// A process that works on a run.
struct RunningProcess {
  std::string what;  ///< "task", "submit"
  std::string host;
  int pid = 0;
};

/// Those whose files are locked, in the order of their names. O(files).
std::vector<RunningProcess> running_processes(const RunFolder& run);

}  // namespace waferloom::cluster
