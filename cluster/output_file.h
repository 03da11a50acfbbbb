#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace waferloom::cluster {

/// A file that will be written. Made before work begins, so that a path that cannot be
/// written is an error then: InputError for a missing or unwritable folder, a symbolic link, a
/// folder, a device, a write-protected file.
class OutputFile {
 public:
  explicit OutputFile(std::string path);

  const std::string& path() const { return path_; }

  /// Replaces the file by these bytes at once: temporary file in the same folder, fsync, rename.
  /// Whoever reads meanwhile, and whatever kills the program, sees the old file or the new one.
  /// Throws InputError if that fails; nothing is left behind then.
  void write(std::string_view bytes) const;

 private:
  friend class OutputStream;

  std::string path_;
  std::string folder_;
};

/// A file that is written piece by piece. Nobody sees it before commit(), which replaces the old
/// file at once; without that nothing is left behind, unless the program is killed. Throws
/// InputError.
class OutputStream {
 public:
  explicit OutputStream(const OutputFile& file);
  ~OutputStream();
  OutputStream(const OutputStream&) = delete;
  OutputStream& operator=(const OutputStream&) = delete;
  void append(std::string_view bytes);
  void commit();

 private:
  class TemporaryFile;
  const OutputFile& file_;
  std::unique_ptr<TemporaryFile> temporary_;
};

/// A path that cannot be written, and why.
struct Unwritable {
  std::string path;
  std::string why;
};
/// Throws InputError: "PATH: cannot be written: WHY".
[[noreturn]] void fail_to_write(const Unwritable& target);

/// Writes all bytes to an open descriptor. Throws InputError, which names `path`.
void write_to(int descriptor, std::string_view bytes, const std::string& path);

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
