#include "cli/files/output_folder.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/console/failure.h"

namespace waferloom::cli {
namespace {

namespace fs = std::filesystem;

/// A folder beside the target that is removed, with what is in it, unless it was renamed.
class TemporaryFolder {
 public:
  TemporaryFolder(const std::string& parent, std::string target)
      : path_(parent + "/.waferloom.XXXXXX"), target_(std::move(target)) {
    if (mkdtemp(path_.data()) == nullptr) cluster::fail_to_write(target_, std::strerror(errno));
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!renamed_) fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  void rename_to_target() {
    const mode_t mask = umask(0);
    umask(mask);
    if (chmod(path_.c_str(), 0777 & ~mask) != 0 || rename(path_.c_str(), target_.c_str()) != 0) {
      cluster::fail_to_write(target_, std::strerror(errno));
    }
    renamed_ = true;
  }

 private:
  std::string path_;
  std::string target_;
  bool renamed_ = false;
};

void write_into(const std::string& folder, const std::vector<OutputFolder::File>& files) {
  for (auto file = files.rbegin(); file != files.rend(); ++file) {
    OutputFile(folder + "/" + file->name).write(file->bytes);
  }
}

}  // namespace

OutputFolder::OutputFolder(std::string path, const std::vector<std::string>& names,
                           const std::vector<std::string>& inputs)
    : path_(std::move(path)) {
  while (path_.size() > 1 && path_.ends_with('/')) path_.pop_back();
  const fs::path parts(path_);
  parent_ = parts.has_parent_path() ? parts.parent_path().string() : ".";
  if (fs::is_symlink(path_)) cluster::fail_to_write(path_, "it is a symbolic link");
  if (!fs::exists(path_)) {
    OutputFile probe(path_);  // the same demands on the parent
    return;
  }
  if (!fs::is_directory(path_)) cluster::fail_to_write(path_, "it is not a folder");
  std::vector<OutputFile> files;
  files.reserve(names.size());
  for (const std::string& name : names) files.emplace_back(path_ + "/" + name);
  std::vector<const OutputFile*> pointers;
  for (const OutputFile& file : files) pointers.push_back(&file);
  check_distinct(pointers, inputs);
}

void OutputFolder::write(const std::vector<File>& files) const {
  if (fs::exists(path_)) {
    write_into(path_, files);
    return;
  }
  TemporaryFolder folder(parent_, path_);
  write_into(folder.path(), files);
  folder.rename_to_target();
}

}  // namespace waferloom::cli
