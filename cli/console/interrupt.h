#pragma once

#include <atomic>

namespace waferloom::cli {

class Progress;

/// Makes SIGINT and SIGTERM ask the program to stop instead of killing it. A second SIGINT ends it
/// at once; files are whole even then (output_file.h). Blocking reads return early.
void install_signal_handlers();

/// True once the program should stop; handed to searches, which set it themselves where a callback
/// fails.
std::atomic<bool>& stop_flag();

/// Whether a signal came.
bool interrupted();
/// 130 for SIGINT, 143 for SIGTERM; only after interrupted().
int interrupted_exit_code();
/// The exit code of a command that has written its best so far: 0, or after a signal
/// interrupted_exit_code(), with a note.
int exit_code_with_best(Progress& progress);
/// Throws Failure::interrupted if a signal came.
void throw_if_interrupted();

}  // namespace waferloom::cli
