#include "model/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

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

DegreesByName::DegreesByName(std::initializer_list<Map::value_type> all)
    : held_(std::make_shared<Map>(all)) {}

const DegreesByName::Map& DegreesByName::all() const {
  static const Map none;
  return held_ ? *held_ : none;
}

const Degrees* DegreesByName::find(std::string_view name) const {
  const auto at = all().find(name);
  return at == all().end() ? nullptr : &at->second;
}

Degrees& DegreesByName::operator[](const std::string& name) {
  if (!held_ || held_.use_count() > 1) {
    held_ = std::make_shared<Map>(all());
  } else {
    // What the last of the others read of it, in another thread, was before this.
    std::atomic_thread_fence(std::memory_order_acquire);
  }
  return (*held_)[name];
}

const Branch* Plan::branch_of(std::string_view name) const {
  for (const SideBySide& group : side_by_side) {
    for (const Branch& branch : group.branches) {
      const auto& own = branch.operators;
      if (std::find(own.begin(), own.end(), name) != own.end()) return &branch;
    }
  }
  return nullptr;
}

std::int64_t Plan::tensor_of(const Operator& op) const {
  const Branch* const branch = side_by_side.empty() ? nullptr : branch_of(op.name);
  return branch == nullptr ? tensor : branch->tensor;
}

Degrees Plan::degrees_of(const Operator& op) const {
  const auto by_plan = [&] {
    return waferloom::degrees_of(op.kind, {.data = data, .tensor = tensor_of(op)});
  };
  if (degrees.empty()) return by_plan();
  const std::string_view name = op.name;
  const Degrees* own = degrees.find(name);
  if (own == nullptr) own = degrees.find(name.substr(0, name.rfind('.')));
  if (own == nullptr) return by_plan();
  Degrees cut = *own;
  if (cut.is_by_plan()) {
    const Degrees as_all = by_plan();
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
