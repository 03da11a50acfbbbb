#include "model/plan.h"

#include <fmt/format.h>

namespace waferloom {

Plan Plan::of_part(std::size_t part) const {
  Plan own = *this;
  if (stages.empty()) return own;
  own.tensor = stages[part].tensor.value_or(tensor);
  own.data = stages[part].data.value_or(data);
  if (samples() % own.data != 0) {
    throw PlanFault({"stages"},
                    fmt::format("the {} replicas of stage s{} cannot share {} samples evenly",
                                own.data, part, samples()));
  }
  own.micro_batch = samples() / own.data;
  return own;
}

Degrees Plan::degrees_of(const Operator& op) const {
  auto own = degrees.find(op.name);
  if (own == degrees.end()) own = degrees.find(op.name.substr(0, op.name.rfind('.')));
  const Degrees as_all = waferloom::degrees_of(op.kind, {.data = data, .tensor = tensor});
  if (own == degrees.end()) return as_all;
  Degrees cut = own->second;
  if (cut.is_by_plan()) {
    cut.batch = as_all.batch;
    cut.out = as_all.out;
  }
  return cut;
}

std::int64_t optimizer_bytes(Optimizer optimizer) {
  constexpr std::int64_t kFull = 4;  // of a number in full precision
  return optimizer == Optimizer::adam ? 3 * kFull : 0;
}

std::string_view layout_name(StageLayout layout) {
  return kStageLayoutNames[static_cast<std::size_t>(layout)];
}

std::string_view recompute_name(Recompute recompute) {
  return kRecomputeNames[static_cast<std::size_t>(recompute)];
}

}  // namespace waferloom
