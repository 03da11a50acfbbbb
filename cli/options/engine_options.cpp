#include "cli/options/engine_options.h"

#include "cli/console/failure.h"
#include "cluster/task_array.h"

namespace waferloom::cli {

OperandSpec engine_operand() {
  return {kEngineWords, "Behind --: options for parallel or sbatch.", false, true, {}, true};
}

std::string engine_of(const ArgumentValues& values) {
  const auto engine = values.find("engine");
  return engine == values.end() ? "local" : engine->second.front();
}

void need_engine(const std::string& engine) {
  const auto program = cluster::missing_program(engine);
  if (!program) return;
  throw Failure(FailureKind::usage,
                "--engine " + engine + ": there is no program " + *program +
                    " here; scripts/install_dependencies.sh cluster installs it");
}

}  // namespace waferloom::cli
