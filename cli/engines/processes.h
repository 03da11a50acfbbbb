#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace waferloom::cli {

/// Words as one line for a shell, quoted where they need it.
std::string shell_line(const std::vector<std::string>& words);

/// The file of this program. Throws Failure::internal if the system does not tell.
std::string own_program();

/// Throws Failure::usage if a program that an engine needs is not in PATH.
void need_program(const std::string& engine, const std::string& program);

/// Whether PATH has a program.
bool is_installed(const std::string& program);

/// The exit code that a status of waitpid says; 128 + signal where a signal ended the process.
int exit_code_of_status(int status);

/// Starts a program that reads nothing and whose stdout goes to the descriptor `output`, nowhere
/// for -1. Throws Failure::input if it cannot be run.
pid_t start_program(const std::vector<std::string>& words, int output);

/// Whether a child has ended; its exit code then.
bool has_ended(pid_t child, int* code);

/// How a program is waited for.
struct Waiting {
  bool quiet = false;            ///< its stdout goes nowhere, not to stderr
  bool hands_on_signals = true;  ///< false: it ends by itself, also after a signal to this program
};

/// Runs a program and waits for it. A signal is handed on as SIGTERM. Returns its exit code, 128 +
/// signal where a signal ended it.
int run_and_wait(const std::vector<std::string>& words, const Waiting& waiting = {});

/// The output of a program that worked. Throws Failure::input with its exit code if it did not;
/// what it said is on stderr then.
std::string output_of(const std::vector<std::string>& words);

}  // namespace waferloom::cli
