#pragma once

#include <optional>
#include <string>

namespace waferloom::cluster {

/// A process on some machine, as names of files in a run folder have it: "HOST.PID".
struct ProcessName {
  std::string host;
  int pid = 0;
};

/// The name of this machine.
std::string host_name();

/// "HOST.PID" of this process; no other, on no other host, has it.
std::string own_process_name();

/// Reads "HOST.PID", where the host may have dots; nothing for another text.
std::optional<ProcessName> read_process_name(const std::string& text);

/// Whether a process is one of this machine that has ended.
bool has_ended_here(const ProcessName& process);

}  // namespace waferloom::cluster
