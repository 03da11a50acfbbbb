#include "cluster/task_array.h"

#include "cluster/processes.h"

namespace waferloom::cluster {

std::string task_line(const TaskArray& array, const std::string& number) {
  const std::string line = shell_line(array.words(number));
  if (array.work_folder.empty()) return line;
  return "cd " + shell_line({array.work_folder}) + " && " + line;
}

std::optional<std::string> missing_program(const std::string& engine) {
  std::vector<std::string> needed;
  if (engine == "parallel") needed = {"parallel"};
  if (engine == "slurm") needed = {"sbatch", "scontrol", "squeue", "scancel"};
  for (const std::string& program : needed) {
    if (!is_installed(program)) return program;
  }
  return std::nullopt;
}

}  // namespace waferloom::cluster
