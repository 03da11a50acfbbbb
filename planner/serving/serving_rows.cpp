#include "model/describe.h"
#include "planner/dfmodel.h"
#include "planner/serving.h"

namespace waferloom {
namespace planner {
namespace {

struct ServedReport {
  const ServingJob* job;
  const ServingFindings* found;
  const std::vector<std::string>* warnings;
};

/// Speculation with so many drafted tokens.
struct DraftWindow {
  std::int64_t window = 1;
  SpeculationTime time{};
};

std::vector<DraftWindow> windows_of(const ServedReport& report) {
  std::vector<DraftWindow> windows;
  for (const SpeculationTime& time : report.found->windows) {
    windows.push_back({static_cast<std::int64_t>(windows.size()) + 1, time});
  }
  return windows;
}

/// What bounds a point of areas; nothing where nothing fits.
constexpr std::string_view kAreaBounds[] = {"", kPartitionBoundNames[0], kPartitionBoundNames[1],
                                            kPartitionBoundNames[2]};

std::vector<Row> time_rows(const RealRange& total) {
  return {row("compute_s", &ServingTime::compute_s, {.range = kAmount}),
          row("memory_s", &ServingTime::memory_s, {.range = kAmount}),
          row("serialization_s", &ServingTime::serialization_s, {.range = kAmount}),
          row("latency_s", &ServingTime::latency_s, {.range = kAmount}),
          row("total_s", &ServingTime::total_s, {.range = total})};
}

}  // namespace
}  // namespace planner

template <>
const TypeRows& rows_of<planner::ServingPoint>() {
  using planner::ServingTime;
  using Point = planner::ServingPoint;
  const auto prefill = [](const Point& point) -> const ServingTime& { return point.prefill; };
  const auto decode = [](const Point& point) -> const ServingTime& { return point.decode; };
  const auto prefill_ends = [](const Point& point) -> const ServingTime& {
    return point.prefill_ends;
  };
  const auto decode_ends = [](const Point& point) -> const ServingTime& {
    return point.decode_ends;
  };
  static const TypeRows rows = report_rows(joined(
      {{row("tensor", &Point::tensor, {.range = kPositiveCount}),
        row("pipeline", &Point::pipeline, {.range = kPositiveCount}),
        computed<Point>("fits", [](const Point& point) { return point.lacks.empty(); }),
        row("memory_bytes", &Point::memory_bytes, {.range = kAmount}),
        row("ttft_s", &Point::ttft_s, {.range = kAboveZero}),
        row("prefill_tokens_per_s", &Point::prefill_tokens_per_s, {.range = kAboveZero}),
        row("tpot_s", &Point::tpot_s, {.range = kAboveZero}),
        row("decode_tokens_per_s", &Point::decode_tokens_per_s, {.range = kAboveZero})},
       through<Point>(prefill, {group("prefill_layer", planner::time_rows(kAboveZero))}),
       through<Point>(decode, {group("decode_layer", planner::time_rows(kAboveZero))}),
       through<Point>(prefill_ends,
                      {group("prefill_ends", planner::time_rows(kAmount),
                             {"Embedding of the prompt, and the head for its last token."})}),
       through<Point>(decode_ends, {group("decode_ends", planner::time_rows(kAmount),
                                          {"Embedding and head of a token."})})}));
  return rows;
}

template <>
const TypeRows& rows_of<planner::DraftWindow>() {
  using planner::DraftWindow;
  using planner::SpeculationTime;
  const auto time = [](const DraftWindow& at) -> const SpeculationTime& { return at.time; };
  static const TypeRows rows = report_rows(
      joined({{row("window", &DraftWindow::window, {.range = kPositiveCount})},
              through<DraftWindow>(
                  time, {row("tokens", &SpeculationTime::tokens, {.range = kPositiveCount}),
                         row("draft_s", &SpeculationTime::draft_s, {.range = kAmount}),
                         row("verify_s", &SpeculationTime::verify_s, {.range = kAboveZero}),
                         row("tokens_per_s", &SpeculationTime::tokens_per_s, {.range = kAboveZero}),
                         row("speed_up", &SpeculationTime::speed_up, {.range = kAboveZero})})}));
  return rows;
}

template <>
const TypeRows& rows_of<planner::AreaPoint>() {
  using planner::AreaPoint;
  static const TypeRows rows =
      report_rows({row("compute_share", &AreaPoint::share, {.range = kShare}),
                   row("flop_per_s", &AreaPoint::flop_per_s, {.range = kAmount}),
                   row("tensor", &AreaPoint::tensor, {.range = kPositiveCount}),
                   row("partitions", &AreaPoint::partitions, {.range = kCount}),
                   listed_row(row("bound", &AreaPoint::bound), planner::kAreaBounds)});
  return rows;
}

template <>
const TypeRows& rows_of<planner::AreaCurve>() {
  using planner::AreaCurve;
  static const TypeRows rows = report_rows(
      {computed<AreaCurve>("memory", [](const AreaCurve& curve) { return curve.memory.name; }),
       computed<AreaCurve>("bytes_per_s",
                           [](const AreaCurve& curve) { return curve.memory.bytes_per_s; },
                           {.range = kAboveZero}),
       computed<AreaCurve>("best_share",
                           [](const AreaCurve& curve) { return curve.points[curve.best].share; },
                           {.range = kShare}),
       row("points", &AreaCurve::points, {.items = kPositiveCount})});
  return rows;
}

namespace planner {
namespace {

std::vector<Row> job_rows() {
  using Options = ServingOptions;
  const auto stack = [](const ServedReport& report) -> const LayerStack& {
    return report.job->model;
  };
  const auto options = [](const ServedReport& report) -> const Options& {
    return report.job->options;
  };
  const auto kept = [](const ServedReport& report) -> const KeptNumbers& {
    return report.job->model.kept;
  };
  return joined(
      {{computed<ServedReport>("workload",
                               [](const ServedReport& report) { return report.job->model.name; }),
        computed<ServedReport>("system",
                               [](const ServedReport& report) { return report.job->system.name; })},
       through<ServedReport>(stack,
                             {row("layers", &LayerStack::layers, {.range = kPositiveCount})}),
       through<ServedReport>(options, {row("prompt", &Options::prompt, {.range = kPositiveCount}),
                                       row("context", &Options::context, {.range = kCount}),
                                       row("samples", &Options::samples, {.range = kPositiveCount}),
                                       row("operand_bytes", &Options::operand_bytes,
                                           {"Of a value of weights and caches.", kAboveZero})}),
       through<ServedReport>(kept, {kept_numbers_row()})});
}

Row speculation_row() {
  using Served = ServedReport;
  const auto has_draft = [](const Served& report) { return report.job->draft.has_value(); };
  const auto speculation = [](const Served& report) -> const Speculation& {
    return report.job->draft->speculation;
  };
  return nullable<Served>(
      has_draft,
      group(
          "speculation",
          joined({{computed<Served>(
                      "draft", [](const Served& report) { return report.job->draft->model.name; })},
                  through<Served>(speculation,
                                  {row("scheme", &Speculation::scheme),
                                   row("acceptance", &Speculation::acceptance, {.range = kShare})}),
                  {computed<Served>("windows", windows_of)}})));
}

}  // namespace
}  // namespace planner

template <>
const TypeRows& rows_of<planner::ServedReport>() {
  using Found = planner::ServingFindings;
  using Served = planner::ServedReport;
  const auto found = [](const Served& report) -> const Found& { return *report.found; };
  const auto has_areas = [](const Found& findings) { return !findings.areas.empty(); };
  const auto warnings = [](const Served& report) -> const std::vector<std::string>& {
    return *report.warnings;
  };
  static const TypeRows rows = report_file(
      "waferloom/serving/1",
      joined({planner::job_rows(),
              through<Served>(found, {row("points", &Found::points)}),
              {planner::speculation_row()},
              through<Served>(found, {nullable<Found>(has_areas, row("areas", &Found::areas))}),
              {computed<Served>("warnings", warnings, {kWarningsMeaning})}}));
  return rows;
}

namespace planner {

Report serving_report(const ServingJob& job, const ServingFindings& found,
                      const std::vector<std::string>& warnings) {
  return described_report(ServedReport{&job, &found, &warnings});
}

std::string serving_schema() {
  return schema_text(rows_of<ServedReport>(), "Report of waferloom model serving");
}

}  // namespace planner
}  // namespace waferloom
