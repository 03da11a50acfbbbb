#include "benchmarks_ispd2020/case_report.h"

#include "model/describe.h"
#include "model/placement.h"

namespace waferloom {
namespace ispd2020 {
namespace {

struct CasesReport {
  const std::vector<ListedCase>* cases;
};

std::optional<ExactDecimal> best_published(const ListedCase& listed) {
  if (!listed.half_best) return std::nullopt;
  return ExactDecimal{distance_text(*listed.half_best)};
}

}  // namespace
}  // namespace ispd2020

template <>
const TypeRows& rows_of<Weights>() {
  static const auto exact = [](Decimal6 weight) { return ExactDecimal{to_string(weight)}; };
  static const TypeRows rows = report_rows(
      {computed<Weights>("time", [](const Weights& at) { return exact(at.time); }, {kExactMeaning}),
       computed<Weights>("distance", [](const Weights& at) { return exact(at.distance); },
                         {kExactMeaning}),
       computed<Weights>("adapter", [](const Weights& at) { return exact(at.adapter); },
                         {kExactMeaning})});
  return rows;
}

template <>
const TypeRows& rows_of<ispd2020::ListedCase>() {
  using ispd2020::ListedCase;
  const auto problem = [](const ListedCase& listed) -> const Problem& { return *listed.problem; };
  const auto wafer = [](const ListedCase& listed) -> const Wafer& {
    return listed.problem->wafer();
  };
  static const TypeRows rows = report_rows(joined(
      {{row("case", &ListedCase::name)},
       through<ListedCase>(
           problem, {row("name", &Problem::name, {"The header's test=."}),
                     row("kernels", &Problem::kernel_count, {.range = kPositiveCount}),
                     computed<Problem>("connections",
                                       [](const Problem& at) { return at.connections().size(); },
                                       {.range = kCount})}),
       through<ListedCase>(
           wafer, {group("wafer", {row("width", &Wafer::width, {.range = kPositiveCount}),
                                   row("height", &Wafer::height, {.range = kPositiveCount})})}),
       through<ListedCase>(problem,
                           {row("memory_limit_words", &Problem::memory_limit, {.range = kCount}),
                            row("weights", &Problem::weights)}),
       {computed<ListedCase>("best_published", ispd2020::best_published, {kExactMeaning})}}));
  return rows;
}

template <>
const TypeRows& rows_of<ispd2020::CasesReport>() {
  using ispd2020::CasesReport;
  using ispd2020::ListedCase;
  static const TypeRows rows =
      report_file("waferloom/cases/1",
                  {computed<CasesReport>(
                      "cases", [](const CasesReport& report) -> const std::vector<ListedCase>& {
                        return *report.cases;
                      })});
  return rows;
}

namespace ispd2020 {

Report cases_report(const std::vector<ListedCase>& cases) {
  return described_report(CasesReport{&cases});
}

std::string cases_schema() {
  return schema_text(rows_of<CasesReport>(), "Report of waferloom cases");
}

}  // namespace ispd2020
}  // namespace waferloom
