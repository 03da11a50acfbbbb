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
      {computed<Weights>("time", [](const Weights& at) { return exact(at.time); },
                         {"cost of a unit of time"}),
       computed<Weights>("distance", [](const Weights& at) { return exact(at.distance); },
                         {"cost of a tile of distance"}),
       computed<Weights>("adapter", [](const Weights& at) { return exact(at.adapter); },
                         {"cost of an adapter mismatch"})});
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
      {{row("case", &ListedCase::name, {"name of the case, as commands take it"})},
       through<ListedCase>(
           problem,
           {row("name", &Problem::name, {"name in its header, test="}),
            row("kernels", &Problem::kernel_count, {"kernels of the case", kPositiveCount}),
            computed<Problem>("connections",
                              [](const Problem& at) { return at.connections().size(); },
                              {"edges between kernels", kCount})}),
       through<ListedCase>(
           wafer, {group("wafer",
                         {row("width", &Wafer::width, {"tiles of a row", kPositiveCount}),
                          row("height", &Wafer::height, {"rows of tiles", kPositiveCount})},
                         {"the wafer"})}),
       through<ListedCase>(problem, {row("memory_limit_words", &Problem::memory_limit,
                                         {"words of memory a tile", kCount}),
                                     row("weights", &Problem::weights, {"weights of the cost"})}),
       {computed<ListedCase>("best_published", ispd2020::best_published,
                             {"the best total that is published; null of generated cases"})}}));
  return rows;
}

template <>
const TypeRows& rows_of<ispd2020::CasesReport>() {
  using ispd2020::CasesReport;
  using ispd2020::ListedCase;
  static const TypeRows rows = report_file(
      "waferloom/cases/1",
      {computed<CasesReport>(
          "cases",
          [](const CasesReport& report) -> const std::vector<ListedCase>& { return *report.cases; },
          {"every case"})});
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
