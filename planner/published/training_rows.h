#pragma once

#include "planner/published/wafer_procedures.h"
#include "planner/validation.h"

namespace waferloom::planner {

/// Whether a row is a rate of training: it has a model and samples a step, and no settings.
bool is_training_row(const JsonValue& json);

/// Rows of training rates, each configuration planned once.
class TrainingRows {
 public:
  /// A row of {id, machine, model, global_batch_samples, sequence_tokens, value, unit, how, judge,
  /// note}: judged, or with the reason why not. What the row does not say is named as assumed.
  WaferRow row(const JsonValue& json);

 private:
  struct Planned {
    TrainingSettings settings;
    double samples_per_s = 0;
  };
  /// Throws RequestError or InfeasibleError where the machine, the model or the batch cannot be.
  const Planned& planned(const TrainingSettings& asked, const std::string& machine);

  std::vector<std::pair<std::string, Planned>> known_;  // by what was asked
};

}  // namespace waferloom::planner
