#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "cli/console/common_options.h"

namespace waferloom::cli {

/// What a command says on stderr while it works: one line that is rewritten on a terminal, plain
/// lines of at most 80 columns, at most one a second, elsewhere, nothing if quiet. With NO_COLOR or
/// on a dumb terminal no escape sequence is sent. May be used from several threads.
class Progress {
 public:
  /// With `limited`, the time is shown beside the time limit, which counts from the program's
  /// start.
  explicit Progress(const CommonOptions& options, bool limited = false);
  /// Takes the line away.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// What is going on now, and with what; the time since the program's start is put in front. If
  /// verbose, every update is a line that stays, and is whole. Elsewhere `name` gives way to the
  /// terminal's columns, or to 80, from its left.
  void update(const std::string& text, const std::string& name);
  /// Takes the line away for good, before results go to stdout.
  void finish();
  /// A line that stays, only if verbose.
  void detail(const std::string& text);
  /// A line that stays, unless quiet.
  void note(const std::string& text);

 private:
  void tick();
  void redraw();
  void erase();
  void line(const std::string& text);
  /// The line from the time on, shortened to `columns` if it can be.
  std::string shown(std::size_t columns) const;

  const CommonOptions& options_;
  bool limited_ = false;
  bool terminal_ = false;
  bool escapes_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::string text_;       ///< what is shown on the rewritten line
  std::string name_;       ///< behind it
  std::size_t drawn_ = 0;  ///< its columns on the terminal now
  bool finished_ = false;
  optimize::Clock::time_point last_line_;
  bool any_line_ = false;
  std::thread ticker_;  ///< keeps the clock on a terminal running
};

/// Whether stderr may be coloured.
bool colour_on_stderr();

}  // namespace waferloom::cli
