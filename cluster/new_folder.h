#pragma once

#include <string>

namespace waferloom::cluster {

/// A folder that is made beside its target, and taken away unless it was renamed: the target
/// appears with everything in it, or not at all. Throws InputError.
class NewFolder {
 public:
  explicit NewFolder(std::string target);
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  const std::string& path() const { return path_; }
  void rename_to_target();

 private:
  std::string target_;
  std::string path_;
  bool renamed_ = false;
};

}  // namespace waferloom::cluster
