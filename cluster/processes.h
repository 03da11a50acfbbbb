#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "model/run_control.h"

namespace waferloom::cluster {

/// Words as one line for a shell, quoted where they need it.
std::string shell_line(const std::vector<std::string>& words);

/// The file of this program. Throws std::runtime_error if the system does not tell.
std::string own_program();

/// Whether PATH has a program.
bool is_installed(const std::string& program);

/// The exit code that a status of waitpid says; 128 + signal where a signal ended the process.
int exit_code_of_status(int status);

/// Starts a program that reads nothing and whose stdout goes to the descriptor `output`, nowhere
/// for -1. Throws EngineError if it cannot be run.
pid_t start_program(const std::vector<std::string>& words, int output);

/// Whether a child has ended; its exit code then.
bool has_ended(pid_t child, int* code);

/// Where the stdout of a program goes.
enum class ChildOutput { on_stderr, nowhere };

/// Runs a program and waits for it. A cut of the control is handed on as SIGTERM. Returns its exit
/// code, 128 + signal where a signal ended it.
int run_and_wait(const std::vector<std::string>& words, const RunControl& control,
                 ChildOutput output = ChildOutput::on_stderr);

/// The output of a program that worked. Throws EngineError with its exit code if it did not; what
/// it said is on stderr then.
std::string output_of(const std::vector<std::string>& words);

}  // namespace waferloom::cluster
