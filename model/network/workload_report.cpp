#include "model/describe.h"
#include "model/workload.h"

namespace waferloom {
namespace {

struct CountedOperator {
  const Workload* workload;
  const Operator* counted_operator;
  OperatorCount counted;
  std::vector<AllReduce> all_reduces;
};

struct CountedReport {
  const Workload* workload;
  const OperatorCut* cut;
  OperatorCount total;
};

enum class KindWord : std::uint8_t {};
constexpr std::span<const std::string_view> words_of(KindWord /*of*/) { return kOperatorKindNames; }

std::vector<std::string> names_before(const CountedOperator& at) {
  std::vector<std::string> names;
  for (const std::size_t before : at.counted_operator->after) {
    names.push_back(at.workload->operators[before].name);
  }
  return names;
}

std::vector<CountedOperator> counted_operators(const CountedReport& report) {
  std::vector<CountedOperator> all;
  for (const Operator& op : report.workload->operators) {
    const Degrees degrees = degrees_of(op.kind, *report.cut);
    all.push_back(
        {report.workload, &op, count(op.kind), all_reduces(op.kind, report.cut->samples, degrees)});
  }
  return all;
}

/// As kept_row, and how many numbers are kept so.
Row counted_kept_row() {
  const auto kept = [](const CountedReport& report) -> const KeptNumbers& {
    return report.workload->kept;
  };
  const auto weights = [](const CountedReport& report) -> const NumberFormat& {
    return *report.workload->kept.weights;
  };
  const auto numbers = [](const CountedReport& report) { return report.total.matrix_parameters; };
  const auto caches = [](const KeptNumbers& numbers_kept) -> const NumberFormat& {
    return *numbers_kept.caches;
  };
  const auto has_weights = [](const CountedReport& report) {
    return report.workload->kept.weights.has_value();
  };
  const auto has_caches = [](const KeptNumbers& numbers_kept) {
    return numbers_kept.caches.has_value();
  };
  const auto says_any = [](const CountedReport& report) {
    return report.workload->kept.weights || report.workload->kept.caches;
  };
  std::vector<Row> weight_rows =
      joined({through<CountedReport>(weights, rows_of<NumberFormat>().rows),
              {computed<CountedReport>("numbers", numbers, {"that are kept so", kCount})}});
  return where<CountedReport>(
      says_any,
      group("kept",
            joined({{where<CountedReport>(has_weights, group("weights", std::move(weight_rows)))},
                    through<CountedReport>(
                        kept, {where<KeptNumbers>(has_caches,
                                                  computed<KeptNumbers>("caches", caches))})}),
            {kKeptMeaning}));
}

}  // namespace

template <>
const TypeRows& rows_of<OperatorCount>() {
  using Count = OperatorCount;
  static const TypeRows rows = report_rows(
      {row("matrix_flop", &Count::matrix_flop, {.range = kCount}),
       row("element_flop", &Count::element_flop, {.range = kCount}),
       row("backward_flop", &Count::backward_flop, {.range = kCount}),
       row("parameters", &Count::parameters, {.range = kCount}),
       row("active_parameters", &Count::active_parameters,
           {"that a token goes through: without experts that its gate does not choose", kCount}),
       row("cache_elements", &Count::cache, {"keys and values that are cached of a token", kCount}),
       row("input_elements", &Count::input, {.range = kCount}),
       row("output_elements", &Count::output, {.range = kCount}),
       row("saved_elements", &Count::saved, {.range = kCount}),
       row("saved_attention_elements", &Count::saved_attention, {.range = kCount})});
  return rows;
}

template <>
const TypeRows& rows_of<AllReduce>() {
  static const TypeRows rows = report_rows(
      {row("phase", &AllReduce::phase), row("elements", &AllReduce::elements, {.range = kCount}),
       row("members", &AllReduce::members, {.range = NumberRange{2, kCount.most}})});
  return rows;
}

template <>
const TypeRows& rows_of<CountedOperator>() {
  const auto counted = [](const CountedOperator& at) -> const OperatorCount& { return at.counted; };
  const auto kind = [](const CountedOperator& at) {
    return static_cast<KindWord>(at.counted_operator->kind.index());
  };
  static const TypeRows rows = report_rows(joined(
      {{computed<CountedOperator>(
            "name", [](const CountedOperator& at) { return at.counted_operator->name; }),
        computed<CountedOperator>("kind", kind), computed<CountedOperator>("after", names_before)},
       through<CountedOperator>(counted, rows_of<OperatorCount>().rows),
       {row("all_reduces", &CountedOperator::all_reduces)}}));
  return rows;
}

template <>
const TypeRows& rows_of<CountedReport>() {
  const auto workload = [](const CountedReport& report) -> const Workload& {
    return *report.workload;
  };
  const auto cut = [](const CountedReport& report) -> const OperatorCut& { return *report.cut; };
  static const TypeRows rows = report_file(
      "waferloom/operators/1",
      joined(
          {through<CountedReport>(workload,
                                  {row("name", &Workload::name),
                                   row("tokens", &Workload::tokens, {.range = kPositiveCount})}),
           through<CountedReport>(cut,
                                  {row("samples", &OperatorCut::samples, {.range = kPositiveCount}),
                                   row("data", &OperatorCut::data, {.range = kPositiveCount}),
                                   row("tensor", &OperatorCut::tensor, {.range = kPositiveCount})}),
           {counted_kept_row(), row("total", &CountedReport::total),
            computed<CountedReport>("operators", counted_operators, {.items = kPositiveCount})}}));
  return rows;
}

Report operators_report(const Workload& workload, const OperatorCut& cut) {
  return described_report(CountedReport{&workload, &cut, count(workload)});
}

std::string operators_schema() {
  return schema_text(rows_of<CountedReport>(), "Report of waferloom workload");
}

}  // namespace waferloom
