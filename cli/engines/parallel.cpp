#include "cli/engines/parallel.h"

#include "cli/engines/processes.h"

namespace waferloom::cli {

void run_by_parallel(const TaskArray& array) {
  std::vector<std::string> words{"parallel", "--will-cite"};
  words.insert(words.end(), array.extra.begin(), array.extra.end());
  // parallel joins the words of a command with blanks, and hands the line to a shell.
  words.push_back(task_line(array, "{}"));
  words.emplace_back(":::");
  for (const std::uint64_t task : array.tasks) words.push_back(std::to_string(task));
  run_and_wait(words, {.quiet = array.quiet});
}

}  // namespace waferloom::cli
