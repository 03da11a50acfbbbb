#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace waferloom::cli {

/// A file that a command will write. Made before work begins, so that a path that cannot be
/// written is an error then: Failure::input for a missing or unwritable folder, a symbolic link, a
/// folder, a device, a write-protected file.
class OutputFile {
 public:
  explicit OutputFile(std::string path);

  const std::string& path() const { return path_; }

  /// Replaces the file by these bytes at once: temporary file in the same folder, fsync, rename.
  /// Whoever reads meanwhile, and whatever kills the program, sees the old file or the new one.
  /// Throws Failure::input if that fails; nothing is left behind then.
  void write(std::string_view bytes) const;

 private:
  friend class OutputStream;

  std::string path_;
  std::string folder_;
};

/// A file that is written piece by piece. Nobody sees it before commit(), which replaces the old
/// file at once; without that nothing is left behind, unless the program is killed. Throws
/// Failure::input.
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

/// Throws Failure::usage if two outputs are one file, or one of them is also an input ("-" is
/// none).
void check_distinct(const std::vector<const OutputFile*>& outputs,
                    const std::vector<std::string>& inputs);

/// Throws Failure::input: "PATH: cannot be written: WHY".
[[noreturn]] void fail_to_write(const std::string& path, const std::string& why);

/// Writes all bytes to an open descriptor. Throws Failure::input, which names `path`.
void write_to(int descriptor, std::string_view bytes, const std::string& path);

/// Writes to stdout; Failure::input if that fails. The only writer to stdout.
void write_stdout(std::string_view bytes);

}  // namespace waferloom::cli
