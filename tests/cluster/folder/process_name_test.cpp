#include "cluster/folder/process_name.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace waferloom::cluster {
namespace {

TEST_CASE("a process has ended before its parent asks how, and not while it runs") {
  CHECK_FALSE(has_ended_here({host_name(), getpid()}));
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) _exit(0);
  siginfo_t end{};
  REQUIRE(waitid(P_PID, static_cast<id_t>(child), &end, WEXITED | WNOWAIT) == 0);
  CHECK(has_ended_here({host_name(), child}));
  CHECK_FALSE(has_ended_here({"another." + host_name(), child}));
  REQUIRE(waitpid(child, nullptr, 0) == child);
  CHECK(has_ended_here({host_name(), child}));
}

}  // namespace
}  // namespace waferloom::cluster
