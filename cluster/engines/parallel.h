#pragma once

#include "cluster/task_array.h"
#include "model/run_control.h"

namespace waferloom::cluster {

/// Hands the tasks to GNU parallel and waits; a SIGTERM, which a cut is handed on as, ends running
/// tasks, too. What becomes of them is for their files to say: the exit code that it answers counts
/// tasks that failed, up to 100, and is larger where parallel itself did.
int run_by_parallel(const TaskArray& array, const RunControl& control);

}  // namespace waferloom::cluster
