#include "cli/console/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace waferloom::cli {
namespace {

constexpr std::chrono::milliseconds kTick{200};
constexpr std::chrono::seconds kPlainInterval{1};
constexpr std::size_t kNarrowTerminal = 80;
constexpr std::size_t kPlainLine = 80;
constexpr std::size_t kWholeLine = 1'000'000;

bool set_and_not_empty(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool dumb_terminal() {
  const char* term = std::getenv("TERM");
  return term == nullptr || std::strcmp(term, "dumb") == 0;
}

std::size_t terminal_columns() {
  struct winsize size = {};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kNarrowTerminal;
  return size.ws_col;
}

/// "  1.5 s  " or "  1.5 of 5 s  ".
std::string elapsed_text(const CommonOptions& options, bool limited) {
  char text[64];
  const double elapsed = seconds_since(options.start);
  if (limited && options.time_limit) {
    const double limit = std::chrono::duration<double>(*options.time_limit).count();
    std::snprintf(text, sizeof text, "%7.1f of %g s  ", elapsed, limit);
  } else {
    std::snprintf(text, sizeof text, "%7.1f s  ", elapsed);
  }
  return text;
}

/// Only as many of the last characters as fit, dots in front.
std::string shortened_from_left(const std::string& name, std::size_t columns) {
  const std::string dots = "...";
  if (name.size() <= columns) return name;
  if (columns <= dots.size()) return "";
  return dots + name.substr(name.size() - (columns - dots.size()));
}

}  // namespace

Progress::Progress(const CommonOptions& options, bool limited)
    : options_(options), limited_(limited) {
  terminal_ = isatty(STDERR_FILENO) != 0 && !options.quiet;
  escapes_ = colour_on_stderr();
  if (terminal_) ticker_ = std::thread([this] { tick(); });
}

Progress::~Progress() { finish(); }

void Progress::finish() {
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
    erase();
  }
  wake_.notify_all();
  if (ticker_.joinable()) ticker_.join();
}

void Progress::tick() {
  std::unique_lock lock(mutex_);
  while (!finished_) {
    redraw();
    wake_.wait_for(lock, kTick);
  }
}

void Progress::redraw() {
  if (text_.empty()) return;
  std::string sent = shown(terminal_columns() - 1);
  const std::size_t columns = sent.size();
  if (escapes_) {
    sent += "\033[K";
  } else if (drawn_ > columns) {
    sent.append(drawn_ - columns, ' ');
  }
  std::fprintf(stderr, "\r%s", sent.c_str());
  drawn_ = columns;
}

std::string Progress::shown(std::size_t columns) const {
  std::string shown = elapsed_text(options_, limited_) + text_;
  if (shown.size() + 2 < columns) {
    shown += "  " + shortened_from_left(name_, columns - shown.size() - 2);
  }
  shown.resize(std::min(shown.size(), columns));
  return shown;
}

void Progress::erase() {
  if (drawn_ == 0) return;
  std::fprintf(stderr, "\r%s\r", escapes_ ? "\033[K" : std::string(drawn_, ' ').c_str());
  drawn_ = 0;
}

void Progress::line(const std::string& text) {
  erase();
  std::fprintf(stderr, "%s\n", text.c_str());
}

void Progress::update(const std::string& text, const std::string& name) {
  if (options_.quiet) return;
  const std::lock_guard lock(mutex_);
  if (finished_) return;
  text_ = text;
  name_ = name;
  if (options_.verbose) line(shown(kWholeLine));
  if (terminal_) redraw();
  if (terminal_ || options_.verbose) return;
  const auto now = optimize::Clock::now();
  if (any_line_ && now < last_line_ + kPlainInterval) return;
  any_line_ = true;
  last_line_ = now;
  line(shown(kPlainLine));
}

void Progress::detail(const std::string& text) {
  if (!options_.verbose) return;
  note(text);
}

void Progress::note(const std::string& text) {
  if (options_.quiet) return;
  const std::lock_guard lock(mutex_);
  line(text);
}

bool colour_on_stderr() {
  return isatty(STDERR_FILENO) != 0 && !set_and_not_empty("NO_COLOR") && !dumb_terminal();
}

}  // namespace waferloom::cli
