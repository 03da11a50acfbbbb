#include "cli/failure.h"
#include "cli/optimize_job.h"
namespace waferloom {
int optimize_workload(const OptimizeJob&) { throw Failure(FailureKind::usage, "not yet"); }
}  // namespace waferloom
