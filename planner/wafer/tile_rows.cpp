#include "kernels/tile_parts.h"
#include "model/describe.h"
#include "planner/tile_operators.h"
#include "planner/wafer/plan_rows.h"

namespace waferloom {
namespace planner {
namespace {

constexpr std::string_view kTileBackings[] = {"measured", "calibrated", "closed form"};

struct TileReport {
  const TileJob* job;
  const TileFindings* found;
  const TileInside* inside;
  const Hardware* hardware;
};

/// An algorithm for the operator.
struct PricedAlgorithm {
  const TileReport* report = nullptr;
  const TileChoice* choice = nullptr;
  TrustRow trust;
  std::optional<MovedWords> inside;
  double cycles() const { return choice->cost.parts.total(); }
};

std::vector<PricedAlgorithm> priced_algorithms(const TileReport& report) {
  std::vector<PricedAlgorithm> all;
  for (const TileChoice& choice : report.found->choices) {
    const std::size_t at = all.size();
    all.push_back(
        {&report, &choice,
         tile_trust(*report.job, choice, *report.hardware, report.found->data_type),
         at < report.inside->size() ? std::optional((*report.inside)[at]) : std::nullopt});
  }
  return all;
}

std::string_view program_of(const PricedAlgorithm& priced) {
  const TileProgram program = tile_program(priced.report->job->kind, priced.choice->algorithm);
  return kTileProgramNames[static_cast<std::size_t>(program)];
}

double seconds_of(const PricedAlgorithm& priced) {
  return priced.cycles() / as_double(priced.report->hardware->clock_hz);
}

double share_of_roofline(const PricedAlgorithm& priced) {
  return priced.report->found->roofline_cycles / priced.cycles();
}

Row cycle_parts_row() {
  return group(
      "parts",
      {row("start", &OperatorParts::start, {"cycles in which programs take their steps", kAmount}),
       row("local", &OperatorParts::local, {"cycles of multiply-adds on tiles", kAmount}),
       row("words", &OperatorParts::words, {"cycles of words over the busiest link", kAmount}),
       row("hops", &OperatorParts::hops, {"cycles of the longest way", kAmount})},
      {"cycles by part; they add up"});
}

std::vector<Row> algorithm_head_rows() {
  using Priced = PricedAlgorithm;
  const auto choice = [](const Priced& priced) -> const TileChoice& { return *priced.choice; };
  const auto trust = [](const Priced& priced) -> const TrustRow& { return priced.trust; };
  const auto fits = [](const TileChoice& at) { return at.lacks.empty(); };
  return joined(
      {through<Priced>(choice, {row("algorithm", &TileChoice::algorithm, {"the algorithm"})}),
       through<Priced>(
           trust,
           {listed_row(row("backing", &TrustRow::kind,
                           {"measured on this machine, calibrated on it, or a closed form alone"}),
                       kTileBackings)}),
       {computed<Priced>(
           "program", program_of,
           {"the program whose figures count, by its key in the hardware file; empty: none"})},
       through<Priced>(trust, {measured_row(), row("in_range", &TrustRow::inside,
                                                   {"whether mesh and blocks lie in the measured "
                                                    "range; null where that is not told"})}),
       through<Priced>(
           choice, {computed<TileChoice>("fits", fits, {"whether a tile's memory holds it"})})});
}

std::vector<Row> algorithm_cost_rows() {
  using Priced = PricedAlgorithm;
  using Cost = MeshOperator;
  const auto cost = [](const Priced& priced) -> const Cost& { return priced.choice->cost; };
  const auto parts = [](const Priced& priced) -> const OperatorParts& {
    return priced.choice->cost.parts;
  };
  const auto tiles = [](const Cost& at) { return at.used.rows * at.used.columns; };
  return joined(
      {{row("cycles", &Priced::cycles, {"cycles of the operator", kAmount}),
        computed<Priced>("seconds", seconds_of, {"seconds of the operator", kAmount})},
       through<Priced>(parts, {cycle_parts_row()}),
       through<Priced>(
           cost, {computed<Cost>("tiles_used", tiles, {"tiles that it uses", kPositiveCount})}),
       {computed<Priced>("share_of_roofline", share_of_roofline,
                         {"roofline_cycles / cycles", kAmount})},
       through<Priced>(cost, {row("words_per_link", &Cost::words_per_link,
                                  {"words of 32 bits over the busiest link", kAmount}),
                              row("link_share", &Cost::link_share,
                                  {"share of the cycles that the busiest link works", kAmount}),
                              row("colours", &Cost::colours, {"colours that it needs", kCount}),
                              row("bytes_per_tile", &Cost::bytes_per_tile,
                                  {"bytes of the fullest tile", kCount})}),
       {row("inside", &Priced::inside,
            {.meaning = "cycles if programs cost nothing, in closed form and as the words moved; "
                        "with --inside alone",
             .or_null = false})}});
}

}  // namespace
}  // namespace planner

template <>
const TypeRows& rows_of<planner::MovedWords>() {
  using planner::MovedWords;
  static const TypeRows rows = report_rows(
      {row("closed_form", &MovedWords::closed_form, {"cycles in closed form", kAmount}),
       row("moved", &MovedWords::moved, {"cycles as its words moved in simulation", kCount})});
  return rows;
}

template <>
const TypeRows& rows_of<planner::PricedAlgorithm>() {
  static const TypeRows rows =
      report_rows(joined({planner::algorithm_head_rows(), planner::algorithm_cost_rows()}));
  return rows;
}

template <>
const TypeRows& rows_of<planner::TileReport>() {
  using planner::TileFindings;
  using planner::TileReport;
  const auto job = [](const TileReport& report) -> const TileJob& { return *report.job; };
  const auto found = [](const TileReport& report) -> const TileFindings& { return *report.found; };
  const auto hardware = [](const TileReport& report) -> const Hardware& {
    return *report.hardware;
  };
  static const TypeRows rows = report_file(
      "waferloom/tile/1",
      joined(
          {through<TileReport>(job, {row("operator", &TileJob::kind,
                                         {"the operator: gemm, gemv, reduction and so on"})}),
           through<TileReport>(hardware,
                               {row("hardware", &Hardware::name, {"name of the hardware"})}),
           through<TileReport>(
               found, {row("data_type", &TileFindings::data_type, {"type of its numbers"})}),
           through<TileReport>(job, {row("tiles", &TileJob::tiles, {"the rectangle of tiles"})}),
           through<TileReport>(hardware, {row("clock_hz", &Hardware::clock_hz,
                                              {"cycles of a tile in a second", kPositiveCount})}),
           through<TileReport>(
               found,
               {row("roofline_cycles", &TileFindings::roofline_cycles,
                    {"cycles of the multiply-adds on all tiles, and of nothing else", kAmount}),
                row("bound_cycles", &TileFindings::bound_cycles,
                    {"cycles that no algorithm beats, of a reduction or all-reduce along a line; "
                     "else null"})}),
           {computed<TileReport>("algorithms", planner::priced_algorithms,
                                 {.meaning = "the algorithms, the fastest that fits first",
                                  .items = kPositiveCount})}}));
  return rows;
}

namespace planner {

Report tile_report(const TileJob& job, const TileFindings& found, const TileInside& inside,
                   const Hardware& hardware) {
  return described_report(TileReport{&job, &found, &inside, &hardware});
}

std::string tile_schema() {
  return schema_text(rows_of<TileReport>(), "Report of waferloom model tile",
                     "what an operator costs on a rectangle of tiles");
}

}  // namespace planner
}  // namespace waferloom
