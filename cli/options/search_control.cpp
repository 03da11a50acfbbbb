#include "cli/options/search_control.h"

#include "cli/console/interrupt.h"

namespace waferloom::cli {

optimize::RunControl search_control(const CommonOptions& options) {
  optimize::RunControl control;
  control.start = options.start;
  control.time_limit = options.time_limit;
  control.seed = options.seed;
  control.effort = options.effort;
  control.effort_given = options.effort_given;
  control.threads = options.threads;
  control.stop = &stop_flag();
  return control;
}

optimize::RunControl search_control(const CommonOptions& options, Progress& progress) {
  optimize::RunControl control = search_control(options);
  control.on_progress = [&progress](const std::string& text, const std::string& name) {
    progress.update(text, name);
  };
  return control;
}

}  // namespace waferloom::cli
