#include "model/describe.h"
#include "model/workload.h"

namespace waferloom {

template <>
const TypeRows& rows_of<NumberFormat>() {
  static const TypeRows rows =
      report_rows({row("bits", &NumberFormat::bits, {.range = NumberRange{1, 16}}),
                   row("group", &NumberFormat::group,
                       {"numbers that share a scale of 16 bits; 0: none", kCount})});
  return rows;
}

template <>
const TypeRows& rows_of<KeptNumbers>() {
  static const TypeRows rows =
      report_rows({row("weights", &KeptNumbers::weights, {.or_null = false}),
                   row("caches", &KeptNumbers::caches, {.or_null = false})});
  return rows;
}

Row kept_row() {
  const auto says_so = [](const Workload& workload) {
    return workload.kept.weights.has_value() || workload.kept.caches.has_value();
  };
  return where<Workload>(
      says_so, row("kept", &Workload::kept, {"how the network keeps numbers, where it says so"}));
}

}  // namespace waferloom
