#include "model/describe.h"
#include "model/workload.h"

namespace waferloom {
namespace {

bool says_so(const KeptNumbers& kept) { return kept.weights || kept.caches; }

}  // namespace

template <>
const TypeRows& rows_of<NumberFormat>() {
  static const TypeRows rows =
      report_rows({row("bits", &NumberFormat::bits, {"bits of a number", NumberRange{1, 16}}),
                   row("group", &NumberFormat::group,
                       {"numbers that share a scale of 16 bits; 0: none", kCount})});
  return rows;
}

template <>
const TypeRows& rows_of<KeptNumbers>() {
  static const TypeRows rows = report_rows(
      {row("weights", &KeptNumbers::weights,
           {.meaning = "matrices and filters of layers", .or_null = false}),
       row("caches", &KeptNumbers::caches,
           {.meaning = "keys and values that wait for later tokens", .or_null = false})});
  return rows;
}

Row kept_row() {
  return where<Workload>([](const Workload& workload) { return says_so(workload.kept); },
                         row("kept", &Workload::kept, {kKeptMeaning}));
}

Row kept_numbers_row() {
  return where<KeptNumbers>(
      [](const KeptNumbers& kept) { return says_so(kept); },
      computed<KeptNumbers>("kept",
                            [](const KeptNumbers& kept) -> const KeptNumbers& { return kept; },
                            {kKeptMeaning}));
}

}  // namespace waferloom
