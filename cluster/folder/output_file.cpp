#include "cluster/output_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "cluster/folder/own_file.h"
#include "model/errors.h"

namespace waferloom::cluster {
namespace {

namespace fs = std::filesystem;

/// Permissions of the file to replace, or what a new file gets.
mode_t wanted_mode(const std::string& path) {
  struct stat status = {};
  if (lstat(path.c_str(), &status) == 0) return status.st_mode & 0777;
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

void check_target(const std::string& path) {
  struct stat status = {};
  if (lstat(path.c_str(), &status) != 0) {
    if (errno != ENOENT) fail_to_write({path, std::strerror(errno)});
    return;
  }
  if (S_ISLNK(status.st_mode)) fail_to_write({path, "it is a symbolic link"});
  if (S_ISDIR(status.st_mode)) fail_to_write({path, "it is a folder"});
  if (!S_ISREG(status.st_mode)) fail_to_write({path, "it is not a regular file"});
  if (access(path.c_str(), W_OK) != 0) fail_to_write({path, std::strerror(errno)});
}

}  // namespace

void fail_to_write(const Unwritable& target) {
  throw InputError(target.path, kWholeSource, "cannot be written: " + target.why);
}

/// A temporary file that is removed unless it was renamed.
class OutputStream::TemporaryFile {
 public:
  explicit TemporaryFile(const OutputFile& file)
      : path_(file.folder_ + "/.waferloom.XXXXXX"), target_(file.path_) {
    number_ = mkostemp(path_.data(), O_CLOEXEC);
    if (number_ < 0) fail_to_write({target_, std::strerror(errno)});
  }
  ~TemporaryFile() {
    if (number_ >= 0) close(number_);
    if (!renamed_) unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void append(std::string_view bytes) { write_to(number_, bytes, target_); }

  void rename_to_target() {
    demand(fchmod(number_, wanted_mode(target_)) == 0);
    demand(fsync(number_) == 0);
    const int closed = close(number_);
    number_ = -1;
    demand(closed == 0);
    demand(rename(path_.c_str(), target_.c_str()) == 0);
    renamed_ = true;
  }

 private:
  void demand(bool worked) const {
    if (!worked) fail_to_write({target_, std::strerror(errno)});
  }

  std::string path_;
  std::string target_;
  int number_ = -1;
  bool renamed_ = false;
};

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  const fs::path parts(path_);
  const std::string name = parts.filename().string();
  folder_ = parts.has_parent_path() ? parts.parent_path().string() : ".";
  if (name.empty() || name == "." || name == "..") fail_to_write({path_, "it is a folder"});
  if (path_ == "-") fail_to_write({path_, "expected the name of a file"});
  struct stat status = {};
  if (stat(folder_.c_str(), &status) != 0)
    fail_to_write({path_, "folder " + folder_ + ": " + std::strerror(errno)});
  if (!S_ISDIR(status.st_mode)) fail_to_write({path_, folder_ + " is not a folder"});
  if (access(folder_.c_str(), W_OK | X_OK) != 0) {
    fail_to_write({path_, "folder " + folder_ + ": " + std::strerror(errno)});
  }
  check_target(path_);
}

void OutputFile::write(std::string_view bytes) const {
  OutputStream stream(*this);
  stream.append(bytes);
  stream.commit();
}

OutputStream::OutputStream(const OutputFile& file) : file_(file) {
  check_target(file.path_);
  temporary_ = std::make_unique<TemporaryFile>(file);
}

OutputStream::~OutputStream() = default;

void OutputStream::append(std::string_view bytes) { temporary_->append(bytes); }

void OutputStream::commit() {
  temporary_->rename_to_target();
  make_lasting(file_.folder_);  // not every file system can
}

void write_to(int descriptor, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_to_write({path, std::strerror(errno)});
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace waferloom::cluster
