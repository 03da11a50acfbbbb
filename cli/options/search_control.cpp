#include "cli/options/search_control.h"

#include "cli/console/interrupt.h"

namespace waferloom::cli {

RunControl run_control(const CommonOptions& options) {
  RunControl control;
  control.start = options.start;
  control.time_limit = options.time_limit;
  control.stop = &stop_flag();
  return control;
}

RunControl run_control(const CommonOptions& options, Progress& progress) {
  RunControl control = run_control(options);
  control.on_progress = [&progress](const ProgressNote& note) {
    progress.update(note.text, note.name);
  };
  return control;
}

optimize::SearchControl search_control(const CommonOptions& options) {
  optimize::SearchControl control;
  static_cast<RunControl&>(control) = run_control(options);
  control.seed = options.seed;
  control.effort = options.effort;
  control.effort_given = options.effort_given;
  control.threads = options.threads;
  return control;
}

optimize::SearchControl search_control(const CommonOptions& options, Progress& progress) {
  optimize::SearchControl control = search_control(options);
  static_cast<RunControl&>(control) = run_control(options, progress);
  return control;
}

}  // namespace waferloom::cli
