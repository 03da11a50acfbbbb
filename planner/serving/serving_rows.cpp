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
  return {
      row("compute_s", &ServingTime::compute_s, {"seconds of computing", kAmount}),
      row("memory_s", &ServingTime::memory_s, {"seconds of traffic with the memory", kAmount}),
      row("serialization_s", &ServingTime::serialization_s,
          {"seconds in which bytes of all-reduces go over links", kAmount}),
      row("latency_s", &ServingTime::latency_s, {"seconds of the steps of all-reduces", kAmount}),
      row("total_s", &ServingTime::total_s, {"seconds of the layer", total})};
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
      {{row("tensor", &Point::tensor, {"tensor degree: chips that share a layer", kPositiveCount}),
        row("pipeline", &Point::pipeline,
            {"pipeline degree: stages one behind the other", kPositiveCount}),
        computed<Point>("fits", [](const Point& point) { return point.lacks.empty(); },
                        {"whether a chip's memory holds its part"}),
        row("memory_bytes", &Point::memory_bytes, {"bytes of a chip", kAmount}),
        row("ttft_s", &Point::ttft_s, {"seconds to the first token", kAboveZero}),
        row("prefill_tokens_per_s", &Point::prefill_tokens_per_s,
            {"tokens of prompts a second", kAboveZero}),
        row("tpot_s", &Point::tpot_s, {"seconds of an output token", kAboveZero}),
        row("decode_tokens_per_s", &Point::decode_tokens_per_s,
            {"output tokens a second", kAboveZero})},
       through<Point>(prefill, {group("prefill_layer", planner::time_rows(kAboveZero),
                                      {"seconds of a layer in prefill, by part"})}),
       through<Point>(decode, {group("decode_layer", planner::time_rows(kAboveZero),
                                     {"seconds of a layer in decode, by part"})}),
       through<Point>(
           prefill_ends,
           {group("prefill_ends", planner::time_rows(kAmount),
                  {"seconds of the prompt's embedding, and of the head for its last token"})}),
       through<Point>(decode_ends, {group("decode_ends", planner::time_rows(kAmount),
                                          {"seconds of embedding and head of a token"})})}));
  return rows;
}

template <>
const TypeRows& rows_of<planner::DraftWindow>() {
  using planner::DraftWindow;
  using planner::SpeculationTime;
  const auto time = [](const DraftWindow& at) -> const SpeculationTime& { return at.time; };
  static const TypeRows rows = report_rows(joined(
      {{row("window", &DraftWindow::window,
            {"tokens that the draft guesses ahead", kPositiveCount})},
       through<DraftWindow>(
           time,
           {row("tokens", &SpeculationTime::tokens, {"tokens expected of a step", kPositiveCount}),
            row("draft_s", &SpeculationTime::draft_s,
                {"seconds of the draft network in a step", kAmount}),
            row("verify_s", &SpeculationTime::verify_s,
                {"seconds of the network that verifies in a step", kAboveZero}),
            row("tokens_per_s", &SpeculationTime::tokens_per_s,
                {"output tokens a second", kAboveZero}),
            row("speed_up", &SpeculationTime::speed_up,
                {"rate over that without speculation", kAboveZero})})}));
  return rows;
}

template <>
const TypeRows& rows_of<planner::AreaPoint>() {
  using planner::AreaPoint;
  static const TypeRows rows = report_rows(
      {row("compute_share", &AreaPoint::share, {"share of the chip's area for computing", kShare}),
       row("flop_per_s", &AreaPoint::flop_per_s,
           {"FLOP/s of all chips; 0: nothing fits the SRAM", kAmount}),
       row("tensor", &AreaPoint::tensor,
           {"chips that share a layer, of the best degrees", kPositiveCount}),
       row("partitions", &AreaPoint::partitions,
           {"partitions of a layer, of its best mapping", kCount}),
       listed_row(row("bound", &AreaPoint::bound,
                      {"what bounds the longest partition: compute or memory"}),
                  planner::kAreaBounds)});
  return rows;
}

template <>
const TypeRows& rows_of<planner::AreaCurve>() {
  using planner::AreaCurve;
  static const TypeRows rows = report_rows(
      {computed<AreaCurve>("memory", [](const AreaCurve& curve) { return curve.memory.name; },
                           {"name of the memory above the chip"}),
       computed<AreaCurve>("bytes_per_s",
                           [](const AreaCurve& curve) { return curve.memory.bytes_per_s; },
                           {"bytes a second of this memory", kAboveZero}),
       computed<AreaCurve>("best_share",
                           [](const AreaCurve& curve) { return curve.points[curve.best].share; },
                           {"share of the area for computing with the best rate", kShare}),
       row("points", &AreaCurve::points,
           {.meaning = "rates by share of the area", .items = kPositiveCount})});
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
                               [](const ServedReport& report) { return report.job->model.name; },
                               {"name of the workload"}),
        computed<ServedReport>("system",
                               [](const ServedReport& report) { return report.job->system.name; },
                               {"name of the system"})},
       through<ServedReport>(
           stack, {row("layers", &LayerStack::layers, {"layers of the network", kPositiveCount})}),
       through<ServedReport>(
           options,
           {row("prompt", &Options::prompt, {"tokens of a prompt", kPositiveCount}),
            row("context", &Options::context, {"tokens that decode looks back on", kCount}),
            row("samples", &Options::samples, {"requests at once", kPositiveCount}),
            row("operand_bytes", &Options::operand_bytes,
                {"bytes of a value of weights and caches", kAboveZero})}),
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
      group("speculation",
            joined({{computed<Served>(
                        "draft", [](const Served& report) { return report.job->draft->model.name; },
                        {"name of the draft network"})},
                    through<Served>(speculation,
                                    {row("scheme", &Speculation::scheme, {"how guesses are made"}),
                                     row("acceptance", &Speculation::acceptance,
                                         {"probability that a guessed token is right", kShare})}),
                    {computed<Served>("windows", windows_of, {"rates by window"})}}),
            {"speculative decoding; null without a draft network"}));
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
              through<Served>(
                  found, {row("points", &Found::points, {"rates by tensor and pipeline degree"})}),
              {planner::speculation_row()},
              through<Served>(
                  found, {nullable<Found>(has_areas,
                                          row("areas", &Found::areas,
                                              {"rates by share of the chip's area, for each memory "
                                               "above the chip; null: they were not asked for"}))}),
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
