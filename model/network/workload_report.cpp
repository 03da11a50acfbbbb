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
              {computed<CountedReport>("numbers", numbers, {"numbers that are kept so", kCount})}});
  return where<CountedReport>(
      says_any,
      group("kept",
            joined({{where<CountedReport>(has_weights, group("weights", std::move(weight_rows),
                                                             {"how weights are kept"}))},
                    through<CountedReport>(
                        kept,
                        {where<KeptNumbers>(has_caches, computed<KeptNumbers>(
                                                            "caches", caches,
                                                            {"how keys and values are kept"}))})}),
            {kKeptMeaning}));
}

}  // namespace

template <>
const TypeRows& rows_of<OperatorCount>() {
  using Count = OperatorCount;
  static const TypeRows rows = report_rows(
      {row("matrix_flop", &Count::matrix_flop,
           {"FLOP of matrix products in forward, of a sample", kCount}),
       row("element_flop", &Count::element_flop, {"other FLOP in forward, of a sample", kCount}),
       row("backward_flop", &Count::backward_flop, {"FLOP of backward, of a sample", kCount}),
       row("parameters", &Count::parameters, {"numbers that are learned", kCount}),
       row("active_parameters", &Count::active_parameters,
           {"parameters that a token goes through: without experts that its gate does not choose",
            kCount}),
       row("cache_elements", &Count::cache,
           {"numbers of keys and values that are cached of a token", kCount}),
       row("input_elements", &Count::input, {"numbers of the input, of a sample", kCount}),
       row("output_elements", &Count::output, {"numbers of the output, of a sample", kCount}),
       row("saved_elements", &Count::saved,
           {"numbers that backward needs of forward, of a sample", kCount}),
       row("saved_attention_elements", &Count::saved_attention,
           {"of these, numbers of attention, which are cheap to compute again", kCount}),
       row("moved_elements", &Count::moved,
           {"numbers that element-wise operations of forward read and write, of a sample, where "
            "each is a kernel of its own",
            kCount})});
  return rows;
}

template <>
const TypeRows& rows_of<AllReduce>() {
  static const TypeRows rows = report_rows(
      {row("phase", &AllReduce::phase, {"when it runs: in forward, in backward, or once a batch"}),
       row("elements", &AllReduce::elements, {"numbers that every member has", kCount}),
       row("members", &AllReduce::members, {"members of the group", NumberRange{2, kCount.most}})});
  return rows;
}

template <>
const TypeRows& rows_of<CountedOperator>() {
  const auto counted = [](const CountedOperator& at) -> const OperatorCount& { return at.counted; };
  const auto kind = [](const CountedOperator& at) {
    return static_cast<KindWord>(at.counted_operator->kind.index());
  };
  static const TypeRows rows = report_rows(
      joined({{computed<CountedOperator>(
                   "name", [](const CountedOperator& at) { return at.counted_operator->name; },
                   {"name of the operator"}),
               computed<CountedOperator>("kind", kind, {"kind of the operator"}),
               computed<CountedOperator>("after", names_before,
                                         {"names of the operators whose outputs it takes"})},
              through<CountedOperator>(counted, rows_of<OperatorCount>().rows),
              {row("all_reduces", &CountedOperator::all_reduces,
                   {"all-reduces that it needs when it is cut as asked"})}}));
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
          {through<CountedReport>(workload, {row("name", &Workload::name, {"name of the network"}),
                                             row("tokens", &Workload::tokens,
                                                 {"tokens of a sample", kPositiveCount})}),
           through<CountedReport>(
               cut, {row("samples", &OperatorCut::samples,
                         {"samples at once, as asked for", kPositiveCount}),
                     row("data", &OperatorCut::data, {"data degree, as asked for", kPositiveCount}),
                     row("tensor", &OperatorCut::tensor,
                         {"tensor degree, as asked for", kPositiveCount})}),
           {counted_kept_row(), row("total", &CountedReport::total, {"sums over all operators"}),
            computed<CountedReport>("operators", counted_operators,
                                    {.meaning = "every operator", .items = kPositiveCount})}}));
  return rows;
}

Report operators_report(const Workload& workload, const OperatorCut& cut) {
  return described_report(CountedReport{&workload, &cut, count(workload)});
}

std::string operators_schema() {
  return schema_text(rows_of<CountedReport>(), "Report of waferloom workload");
}

}  // namespace waferloom
