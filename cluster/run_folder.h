#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace waferloom::cluster {

/// A folder in which tasks of one run leave their results, on a file system that machines share. A
/// sweep's and one of islands differ in what run.json says and in how points are named.
///
///     run.json               what is run
///     results/GROUP/NAME     a file a point, put there by a rename. Its last line says that it is
///                            whole: a power failure may leave a name without bytes
///     running/WHAT.HOST.PID  held by a process while it works
///     engine/                what engines were given, their job ids, what tasks say
class RunFolder {
 public:
  explicit RunFolder(std::string path);

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::string run_file() const { return file("run.json"); }
  /// The absolute name of one of its files, of the folder itself for "": what runs elsewhere may
  /// have another working folder.
  std::string absolute(const std::string& name) const;

  /// Whether a result, "results/GROUP/NAME", is there and whole.
  bool has_result(const std::string& name) const;
  /// The names of whole results of a group, ascending. The folder is listed, not asked for each
  /// name: a file system over a network remembers for a while that a name was not there.
  std::vector<std::string> whole_results(const std::string& group) const;
  /// Puts a result in place by a rename; `text` ends in the line that says that it is whole. Nobody
  /// sees a part of it. Throws InputError.
  void write_result(const std::string& name, std::string_view text) const;
  /// Takes away what killed tasks left half written: files of processes of this machine that have
  /// ended, and those that are older than a day.
  void remove_leftovers() const;

 private:
  std::string path_;
};

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
