#pragma once

#include "cli/engines/task_array.h"

namespace waferloom::cli {

/// Hands the tasks to GNU parallel and waits; a SIGTERM, which a signal is handed on as, ends
/// running tasks, too. What becomes of them is for their files to say: the exit code that it
/// answers counts tasks that failed, up to 100, and is larger where parallel itself did.
int run_by_parallel(const TaskArray& array);

}  // namespace waferloom::cli
