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
  return own != degrees.end() ? own->second
                              : waferloom::degrees_of(op.kind, {.data = data, .tensor = tensor});
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
