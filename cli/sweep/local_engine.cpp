#include <signal.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "cli/sweep/submission.h"
#include "cli/sweep/task.h"
#include "cluster/processes.h"

namespace waferloom::cli {
namespace {

constexpr std::chrono::milliseconds kTick{50};
constexpr int kTicksPerCount = 20;

}  // namespace

void submit_locally(const Submission& submission, const RunControl& control) {
  std::vector<pid_t> children;
  bool told = false;
  for (std::uint64_t k = 0; k < submission.tasks; ++k) {
    children.push_back(cluster::start_program(exec_words(submission, std::to_string(k)), -1));
  }
  for (int tick = 0; !children.empty(); ++tick) {
    if (!told && control.is_cut()) {
      for (const pid_t child : children) kill(child, SIGTERM);
      told = true;
    }
    std::erase_if(children, [](pid_t child) {
      int ignored = 0;
      return cluster::has_ended(child, &ignored);
    });
    if (tick % kTicksPerCount == kTicksPerCount - 1) {
      const PointCounts counts = count_points(submission.run);
      control.tell(points_text(counts), "");
    }
    if (!children.empty()) std::this_thread::sleep_for(kTick);
  }
}

}  // namespace waferloom::cli
