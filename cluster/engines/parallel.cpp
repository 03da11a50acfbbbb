#include "cluster/engines/parallel.h"

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/processes.h"

namespace waferloom::cluster {

int run_by_parallel(const TaskArray& array, const RunControl& control) {
  std::vector<std::string> words{"parallel", "--will-cite"};
  words.insert(words.end(), array.extra.begin(), array.extra.end());
  // Whole lines, each a command: in a template it would take braces of file names for its own.
  words.emplace_back(":::");
  for (const std::uint64_t task : array.tasks)
    words.push_back(task_line(array, std::to_string(task)));
  return run_and_wait(words, control, array.quiet ? ChildOutput::nowhere : ChildOutput::on_stderr);
}

}  // namespace waferloom::cluster
