#include "cli/engines/task_array.h"

#include "cli/engines/processes.h"

namespace waferloom::cli {

std::string task_line(const TaskArray& array, const std::string& number) {
  const std::string line = shell_line(array.words(number));
  if (array.work_folder.empty()) return line;
  return "cd " + shell_line({array.work_folder}) + " && " + line;
}

void need_engine(const std::string& engine) {
  if (engine == "parallel") need_program(engine, "parallel");
  if (engine == "slurm") {
    for (const char* program : {"sbatch", "scontrol", "squeue", "scancel"}) {
      need_program(engine, program);
    }
  }
}

}  // namespace waferloom::cli
