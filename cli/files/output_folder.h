#pragma once

#include <string>
#include <vector>

#include "cli/files/output_file.h"

namespace waferloom::cli {

/// A folder of results that a command will write. Made before work begins: Failure::input if its
/// parent is missing or cannot be written to, or the path is something else than a folder.
class OutputFolder {
 public:
  /// The folder `path` of files `names`, of which none may be an input (Failure::usage).
  OutputFolder(const std::vector<std::string>& names, std::string path,
               const std::vector<std::string>& inputs);

  const std::string& path() const { return path_; }

  struct File {
    std::string name;
    std::string bytes;
  };
  /// Writes all of them. A new folder appears with everything in it, or not at all; in one that is
  /// there files are replaced one by one, each at once, the first of `files` last. Throws
  /// Failure::input.
  void write(const std::vector<File>& files) const;

 private:
  std::string path_;
};

}  // namespace waferloom::cli
