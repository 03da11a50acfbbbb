#include <fmt/format.h>

#include <array>
#include <memory>
#include <utility>

#include "model/describe.h"
#include "model/machine/json_rectangle.h"
#include "model/plan.h"
#include "model/plan/made_for.h"
#include "model/wafer.h"

// What is read of wafer plans' files. They are reports of the planner, which say much more: of what
// is only reported nothing is asked.
namespace waferloom {
namespace {

constexpr NumberRange kNumber{1, 1'000'000'000};
constexpr NumberRange kSpareRows{0, kMaxWaferSide};
/// Bytes or cycles of a stage.
constexpr NumberRange kSize{0, std::int64_t{1} << 60};
constexpr NumberRange kTrainedBatch{0, 1'000'000};
constexpr NumberRange kUpdate{0, kNumber.most};
constexpr RealRange kReal{0, 1e18};
constexpr RealRange kSeconds{0, 1e9};
constexpr NumberRange kAtLeastOne{1, kCount.most};

template <typename WaferPlan>
std::vector<Row> name_rows() {
  return {needed("workload", &WaferPlan::workload), needed("hardware", &WaferPlan::hardware),
          needed("data_type", &WaferPlan::data_type), row("made_for", &WaferPlan::made_for)};
}

template <typename WaferPlan>
TypeRows plan_rows(std::vector<Row> rows,
                   void (*check)(const JsonReader&, const JsonValue&, WaferPlan&) = nullptr) {
  return with_labels(rows_for<WaferPlan>("a wafer plan",
                                         joined({name_rows<WaferPlan>(), std::move(rows)}), check));
}

/// An object of rows of the same owner, of whose other keys nothing is asked.
class PartType final : public ValueType {
 public:
  explicit PartType(std::vector<Row> rows) : rows_(with_labels(report_rows(std::move(rows)))) {}
  void read(const JsonReader& reader, const JsonValue& value, const std::string& what,
            const Row& /*row*/, void* into) const override {
    read_rows(reader, value, what, rows_, into);
  }
  void write(const void* from, ValueSink& sink) const override { write_rows(rows_, from, sink); }
  void describe(const Row& /*row*/, const void* /*otherwise*/, ValueSink& schema) const override {
    describe_rows(rows_, schema);
  }

 private:
  TypeRows rows_;
};

Row part(std::string_view key, std::vector<Row> rows) {
  return needed(Row{key, {}, std::make_shared<PartType>(std::move(rows)), 0, false});
}

/// The names of operators, of which files say more.
constexpr OwnForm<PipelinePlan::Stage> kOperators{
    [](const JsonReader& reader, const JsonValue& value, PipelinePlan::Stage& stage) {
      const auto& operators = reader.array(value, "operators as an array");
      if (operators.empty()) reader.fail(value, "operators, at least one");
      for (const JsonValue& op : operators) {
        reader.expect_object(op, "an operator as an object");
        stage.operators.push_back(reader.string(reader.at(op, "name"), "name as a text"));
      }
    },
    nullptr, [](ValueSink& schema) { schema.pair("type", "array"); }};

void check_at_once(const JsonReader& reader, const JsonValue& file, ResidentPlan& plan) {
  if (plan.at_once <= plan.requests) return;
  reader.fail(reader.at(reader.at(file, "serving"), "at_once"), "at most as many as requests");
}

constexpr std::string_view kWaferPlan = "waferloom/wafer_plan/1";
/// In the order of AnyPlan.
constexpr std::array<std::string_view, 4> kWays{"cut", "pipeline", "resident", "streaming"};

}  // namespace

template <>
const TypeRows& rows_of<PipelinePlan::Shape>() {
  using Shape = PipelinePlan::Shape;
  static const TypeRows rows = with_labels(rows_for<Shape>(
      "a shape",
      {needed("rows", &Shape::rows, {.range = kNumber}),
       needed("columns", &Shape::columns, {.range = kNumber}),
       needed("cycles", &Shape::cycles, {.range = kSize}),
       needed("edge_cycles", &Shape::edge_cycles, {.range = kSize}),
       needed("weights", &Shape::weights, {.range = kSize}),
       needed("scratch", &Shape::scratch, {.range = kSize}),
       needed("buffers", &Shape::buffers, {.range = kSize}),
       row("kept", &Shape::kept, {.range = kSize}), row("states", &Shape::states, {.range = kSize}),
       row("update_cycles", &Shape::update_cycles, {.range = kUpdate})}));
  return rows;
}

template <>
const TypeRows& rows_of<PipelinePlan::Stage>() {
  using Stage = PipelinePlan::Stage;
  static const TypeRows rows = with_labels(rows_for<Stage>(
      "a stage", {needed("name", &Stage::name), needed(formed("operators", kOperators)),
                  needed("shapes", &Stage::shapes, {.items = kAtLeastOne})}));
  return rows;
}

template <>
const TypeRows& rows_of<PipelinePlan>() {
  using P = PipelinePlan;
  static const TypeRows rows = plan_rows<P>(
      {row("batch", &P::batch, {.range = kTrainedBatch}),
       needed("period_cycles", &P::period_cycles, {.range = kNumber}),
       needed("replicas", &P::replicas, {.range = kNumber}),
       needed("samples_per_s", &P::samples_per_s, {.range = kReal}), row("left_out", &P::left_out),
       needed("stages", &P::stages, {.items = kAtLeastOne})});
  return rows;
}

template <>
const TypeRows& rows_of<ResidentPlan>() {
  using P = ResidentPlan;
  static const TypeRows rows = plan_rows<P>(
      {needed("prompt", &P::prompt, {.range = kNumber}),
       needed("output", &P::output, {.range = kNumber}),
       needed("requests", &P::requests, {.range = kNumber}), row("caches", &P::caches),
       part("serving", {row("at_once", &P::at_once, {.range = kNumber}),
                        needed("tpot_s", &P::tpot_s, {.range = kSeconds}),
                        part("decode", {needed("rows", &P::region_rows, {.range = kNumber}),
                                        needed("columns", &P::region_columns, {.range = kNumber}),
                                        needed("regions", &P::regions, {.range = kNumber}),
                                        row("spare_rows", &P::spare_rows, {.range = kSpareRows}),
                                        row("places", &P::places)})})},
      check_at_once);
  return rows;
}

template <>
const TypeRows& rows_of<StreamingPlan::Part>() {
  using Part = StreamingPlan::Part;
  static const TypeRows rows = with_labels(rows_for<Part>(
      "a part", {needed("repeat", &Part::repeat, {.range = kNumber}),
                 needed("weight_bytes", &Part::weight_bytes, {.range = kReal}),
                 needed("backward_weight_bytes", &Part::backward_weight_bytes, {.range = kReal}),
                 needed("gradient_bytes", &Part::gradient_bytes, {.range = kReal}),
                 needed("forward_cycles", &Part::forward_cycles, {.range = kReal}),
                 needed("backward_cycles", &Part::backward_cycles, {.range = kReal}),
                 row("fixed_s", &Part::fixed_s, {.range = kSeconds})}));
  return rows;
}

template <>
const TypeRows& rows_of<StreamingPlan>() {
  using P = StreamingPlan;
  static const TypeRows rows =
      plan_rows<P>({row("trains", &P::trains),
                    part("best", {needed("rows", &P::rows, {.range = kNumber}),
                                  needed("columns", &P::columns, {.range = kNumber}),
                                  row("spare_rows", &P::spare_rows, {.range = kSpareRows}),
                                  row("place", &P::place, {.or_null = false}),
                                  row("micro_batches", &P::micro_batches, {.range = kNumber}),
                                  needed("step_s", &P::step_s, {.range = kReal}),
                                  needed("parts", &P::parts, {.items = kAtLeastOne})})});
  return rows;
}

namespace {

template <typename WaferPlan>
WaferPlan read_wafer_plan(std::string_view text, const std::string& source) {
  return read_described<WaferPlan>(JsonReader(source, "wafer_plan"), parse_json(text, source));
}

}  // namespace

PipelinePlan read_pipeline_plan(std::string_view text, const std::string& source) {
  return read_wafer_plan<PipelinePlan>(text, source);
}
ResidentPlan read_resident_plan(std::string_view text, const std::string& source) {
  return read_wafer_plan<ResidentPlan>(text, source);
}
StreamingPlan read_streaming_plan(std::string_view text, const std::string& source) {
  return read_wafer_plan<StreamingPlan>(text, source);
}

AnyPlan read_any_plan(std::string_view text, const std::string& source) {
  const std::optional<JsonValue> plan = json_if_any(text);
  if (!plan || JsonReader::text_or_none(*plan, "schema") != kWaferPlan) {
    return read_plan(text, source);
  }
  const std::string_view way = JsonReader::text_or_none(*plan, "way");
  if (way == kWays[1]) return read_pipeline_plan(text, source);
  if (way == kWays[2]) return read_resident_plan(text, source);
  if (way == kWays[3]) return read_streaming_plan(text, source);
  const JsonReader reader(source, "wafer_plan");
  reader.fail(reader.at(*plan, "way"), "one of pipeline, resident and streaming");
}

std::string_view way_of(const AnyPlan& plan) {
  if (const auto* cut = std::get_if<Plan>(&plan)) {
    return kCutWayNames.at(static_cast<std::size_t>(cut->way));
  }
  return kWays.at(plan.index());
}

namespace {

struct NetworkOf {
  std::string_view operator()(const Plan& plan) const { return plan.made_for.network; }
  template <typename WaferPlan>
  std::string_view operator()(const WaferPlan& plan) const {
    return plan.workload;
  }
};

struct HardwareOf {
  std::string_view operator()(const Plan& plan) const { return plan.made_for.machine; }
  template <typename WaferPlan>
  std::string_view operator()(const WaferPlan& plan) const {
    return plan.hardware;
  }
};

}  // namespace

std::string_view network_of(const AnyPlan& plan) { return std::visit(NetworkOf(), plan); }
std::string_view hardware_of(const AnyPlan& plan) { return std::visit(HardwareOf(), plan); }

const MadeFor& made_for(const AnyPlan& plan) {
  return std::visit([](const auto& of) -> const MadeFor& { return of.made_for; }, plan);
}

}  // namespace waferloom
