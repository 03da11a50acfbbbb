#pragma once

#include "cli/engines/task_array.h"

namespace waferloom::cli {

/// Hands the tasks to GNU parallel and waits. What becomes of them is for their files to say: its
/// exit code counts tasks.
void run_by_parallel(const TaskArray& array);

}  // namespace waferloom::cli
