#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "kernels/int128.h"
#include "model/describe.h"
#include "model/plan.h"
#include "model/plan/made_for.h"
#include "model/text.h"
#include "model/wafer.h"

namespace waferloom {

template <>
struct described::Choice<DegreesByName> {
  using Type = Named<DegreesByName, Degrees>;
};

namespace {

constexpr std::array<std::string_view, 4> kSchedules{"inference", "gpipe", "1f1b", "interleaved"};
constexpr NumberRange kChunks{2, 1'000};
constexpr NumberRange kBatch{1, 1'000'000};
constexpr NumberRange kPlanDegree{1, 16'000'000};

/// Sets a schedule by a word, or by "interleaved:" and a number; false for another text.
bool set_schedule(Plan& plan, const std::string& text) {
  const std::string_view word(text);
  const std::size_t colon = word.find(':');
  const auto at = std::find(kSchedules.begin(), kSchedules.end(), word.substr(0, colon));
  if (at == kSchedules.end()) return false;
  plan.schedule = static_cast<Schedule>(at - kSchedules.begin());
  const bool is_interleaved = plan.schedule == Schedule::interleaved;
  if (is_interleaved != (colon != std::string_view::npos)) return false;
  if (!is_interleaved) return true;
  const std::string_view number = word.substr(colon + 1);
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), plan.chunks);
  return error == std::errc() && end == number.data() + number.size() &&
         plan.chunks >= kChunks.least && plan.chunks <= kChunks.most;
}

void describe_spelling(ValueSink& schema, std::string_view pattern, std::string_view otherwise) {
  schema.pair("type", "string");
  schema.pair("pattern", pattern);
  schema.pair("default", otherwise);
}

constexpr OwnForm<Plan> kSchedule{
    [](const JsonReader& reader, const JsonValue& value, Plan& plan) {
      const std::string expected = "schedule as inference, gpipe, 1f1b or interleaved:2 (or more)";
      if (!set_schedule(plan, reader.string(value, expected))) reader.fail(value, expected);
    },
    [](const Plan& plan, ValueSink& sink) { sink.text(schedule_text(plan)); },
    [](ValueSink& schema) {
      describe_spelling(schema, "^(inference|gpipe|1f1b|interleaved:[1-9][0-9]*)$",
                        schedule_text(Plan()));
    }};

std::string expected_routing() {
  constexpr std::array<std::string_view, kRoutingNames.size() + 2> kRuleWords{
      "planned",        kRoutingNames[0], kRoutingNames[1],
      kRoutingNames[2], kRoutingNames[3], "a file of routes that ends in .json"};
  return "routing as " + alternatives(kRuleWords);
}

/// A rule, planned routes, or a file of them.
bool set_routing(Plan& plan, const std::string& text) {
  if (const auto rule = routing_named(text)) {
    plan.routing = *rule;
  } else if (text.ends_with(".json")) {
    plan.routes = text;
  } else {
    return text == routing_name(Routing::planned);
  }
  return true;
}

constexpr OwnForm<Plan> kRouting{
    [](const JsonReader& reader, const JsonValue& value, Plan& plan) {
      const std::string expected = expected_routing();
      if (!set_routing(plan, reader.string(value, expected))) reader.fail(value, expected);
    },
    [](const Plan& plan, ValueSink& sink) {
      sink.text(plan.routes.empty() ? routing_name(plan.routing) : plan.routes);
    },
    [](ValueSink& schema) {
      describe_spelling(schema, "^(planned|xy|yx|o1turn|adaptive|.*\\.json)$",
                        routing_name(Plan().routing));
    }};

/// A map from kernels to words of a list.
constexpr OwnForm<LayerMapping> kSharding{
    [](const JsonReader& reader, const JsonValue& value, LayerMapping& layer) {
      reader.expect_object(value, "sharding as an object by kernel");
      const std::string expected = "sharding as " + alternatives(kLayerShardings);
      for (std::size_t i = 0; i < value.keys.size(); ++i) {
        const std::string& word = reader.string(value.items[i], expected);
        const bool is_known = std::find(kLayerShardings.begin(), kLayerShardings.end(), word) !=
                              kLayerShardings.end();
        if (!is_known) reader.fail(value.items[i], expected);
        layer.sharding[value.keys[i]] = word;
      }
    },
    [](const LayerMapping& layer, ValueSink& sink) {
      sink.open_object();
      for (const auto& [kernel, word] : layer.sharding) sink.pair(kernel, word);
      sink.close();
    },
    [](ValueSink& schema) {
      schema.pair("type", "object");
      schema.key("additionalProperties");
      schema.open_object();
      describe_words(kLayerShardings, schema);
      schema.close();
    }};

void check_degrees(const JsonReader& reader, const JsonValue& value, Degrees& degrees) {
  if (value.keys == std::vector<std::string>{"experts"}) {
    degrees.batch = degrees.out = 0;  // as the plan has them
  }
  const Int128 ways = Int128(degrees.batch) * degrees.rows * degrees.out * degrees.in;
  if (ways > kPlanDegree.most) {
    reader.fail(value.position,
                fmt::format("an operator is cut at most {} ways", kPlanDegree.most));
  }
  if (degrees.out % degrees.experts == 0) return;
  reader.fail(reader.at(value, "experts"), fmt::format("experts that divide out, {}", degrees.out));
}

void check_layer(const JsonReader& reader, const JsonValue& value, LayerMapping& /*layer*/) {
  const JsonValue* partitions = JsonReader::find(value, "partitions");
  if (partitions == nullptr) return;
  std::set<std::string> seen;
  for (const JsonValue& partition : partitions->items) {
    for (const JsonValue& name : partition.items) {
      if (!seen.insert(name.text).second) {
        reader.fail(name, "a kernel that is in no other partition");
      }
    }
  }
}

/// A pipeline that a file does not tell has as many stages as are listed.
void check_stages(const JsonReader& reader, const JsonValue& file, Plan& plan) {
  const JsonValue* value = JsonReader::find(file, "stages");
  if (value == nullptr) return;
  const auto count = static_cast<std::int64_t>(plan.stages.size());
  if (JsonReader::find(file, "pipeline") == nullptr && count % plan.chunks == 0) {
    plan.pipeline = count / plan.chunks;
  }
  if (count == 0 || count != plan.parts()) {
    reader.fail(value->position,
                fmt::format("expected as many stages as the pipeline has, {}, found {}",
                            plan.parts(), count));
  }
  for (std::int64_t i = plan.pipeline; i < count; ++i) {
    if (!plan.stages[static_cast<std::size_t>(i)].tiles) continue;
    reader.fail(value->position,
                fmt::format("parts of an interleaved schedule have the tiles of the first {}",
                            plan.pipeline));
  }
}

/// Where a key stands, or the schedule that takes it.
TextPosition key_or_schedule(const JsonValue& file, std::string_view key) {
  const JsonValue* value = JsonReader::find(file, key);
  return (value != nullptr ? *value : *JsonReader::find(file, "schedule")).position;
}

void check_interleaving(const JsonReader& reader, const JsonValue& file, const Plan& plan) {
  if (plan.schedule != Schedule::interleaved) return;
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    for (const char* key : {"tensor", "data"}) {
      const JsonValue* value = JsonReader::find(reader.at(file, "stages").items[i], key);
      if (value == nullptr) continue;
      reader.fail(value->position, "stages of an interleaved schedule have the plan's degrees");
    }
  }
  if (plan.pipeline < 2) {
    reader.fail(
        key_or_schedule(file, "pipeline"),
        fmt::format("expected pipeline of at least 2 stages for an interleaved schedule, found {}",
                    plan.pipeline));
  }
  if (plan.micro_batches % plan.pipeline != 0) {
    reader.fail(key_or_schedule(file, "micro_batches"),
                fmt::format("expected micro_batches in multiples of the {} stages of an "
                            "interleaved schedule, found {}",
                            plan.pipeline, plan.micro_batches));
  }
}

void check_replicas(const JsonReader& reader, const JsonValue& file, const Plan& plan) {
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    const std::int64_t replicas = plan.stages[i].data.value_or(plan.data);
    if (plan.samples() % replicas == 0) continue;
    const JsonValue& stage = reader.at(file, "stages").items[i];
    reader.fail(
        JsonReader::find(stage, "data")->position,
        fmt::format(
            "expected data of stage s{} to divide the {} samples of micro_batch x data, found {}",
            i, plan.samples(), replicas));
  }
}

void check_plan(const JsonReader& reader, const JsonValue& file, Plan& plan) {
  check_stages(reader, file, plan);
  check_interleaving(reader, file, plan);
  check_replicas(reader, file, plan);
}

/// What every plan has, and reports echo.
std::vector<Row> value_rows() {
  return {
      row("tensor", &Plan::tensor,
          {"tensor degree: ways that every operator is cut; its tiles exchange partial results",
           kPlanDegree}),
      row("data", &Plan::data,
          {"data degree: replicas of the network, each with samples of its own", kPlanDegree}),
      row("pipeline", &Plan::pipeline,
          {"stages one behind the other, each of tensor · data tiles", kPlanDegree}),
      row("micro_batch", &Plan::micro_batch,
          {"samples of a replica that go through a stage at once", kBatch}),
      row("micro_batches", &Plan::micro_batches,
          {"micro-batches of a replica: a batch has data · micro_batches · micro_batch samples",
           kBatch}),
      formed("schedule", kSchedule,
             {"the order in which stages work on micro-batches: inference, gpipe, 1f1b, or "
              "interleaved:v with v parts of the network for each stage"}),
      row("layout", &Plan::layout,
          {"how stages lie on the mesh if nothing places them: blocks, every other row backwards, "
           "or strips over the whole mesh"}),
      where<Plan>([](const Plan& plan) { return plan.within.has_value(); },
                  row("within", &Plan::within,
                      {.meaning = "the part of the mesh that stages are laid out on; by default "
                                  "all of it",
                       .or_null = false})),
      formed("routing", kRouting,
             {"planned; a rule: xy, yx, o1turn, adaptive; or a file of routes beside the plan, "
              "which ends in .json"}),
      row("groups", &Plan::groups,
          {"contiguous: the tiles of a replica are neighbours; strided: those with the same part "
           "in all replicas are"}),
      row("collective", &Plan::collective, {"the algorithm of all-reduces"}),
      where<Plan>(
          [](const Plan& plan) { return plan.strategy_between != StrategyBetween::cheaper; },
          row("strategy_between", &Plan::strategy_between,
              {"how tensors go between stages of other tensor degrees: sum-first; sum-behind, of "
               "tensors that are sums (PALM, Eq. 7 and 8); or the cheaper of both"})),
      row("recompute", &Plan::recompute,
          {"what forward computes again before backward to save memory: nothing, the scores of "
           "attention, all but inputs of operators, or the first of these that fits"}),
      row("reuse", &Plan::reuse,
          {"how products go through SRAM whose sides both stream: whole rows or columns of one "
           "side stay (PALM, Algorithm 1), or sums build up in blocks where that moves less"}),
      row("sequence_parallel", &Plan::sequence_parallel,
          {"whether tiles of a tensor group share what lies between the products of a layer, which "
           "each of them keeps and passes whole otherwise"}),
      row("optimizer", &Plan::optimizer,
          {"adam keeps 12 bytes of every parameter: a copy in full precision and two moments; sgd "
           "keeps none"}),
      row("zero", &Plan::zero,
          {"what replicas divide among themselves (ZeRO): 1 the optimizer's states, 2 gradients "
           "too, 3 parameters too",
           NumberRange{0, 3}}),
      row("overlap", &Plan::overlap,
          {"whether gradients are reduced while the operators before them go backward"}),
      row("data_type", &Plan::data_type,
          {"type of numbers whose peak rate counts: a key of the hardware's "
           "peak_flop_per_s_per_tile"}),
      row("leave_out", &Plan::leave_out,
          {.meaning = "names of operators that take no part", .item = "the name of an operator"})};
}

}  // namespace

template <>
const TypeRows& rows_of<StageBinding>() {
  static const TypeRows rows = rows_for<StageBinding>(
      "a stage",
      {needed(
           "to", &StageBinding::to,
           {"name of the stage's last operator: it has those behind the stage before, up to this"}),
       row("tensor", &StageBinding::tensor,
           {.meaning = "tensor degree of this stage; by default the plan's",
            .range = kPlanDegree,
            .or_null = false}),
       row("data", &StageBinding::data,
           {.meaning = "data degree of this stage; by default the plan's",
            .range = kPlanDegree,
            .or_null = false}),
       row("tiles", &StageBinding::tiles,
           {.meaning = "where the stage lies; where one stage says it, or stages have several "
                       "sizes, all have to, or a placement is given",
            .or_null = false})});
  return rows;
}

template <>
const TypeRows& rows_of<Degrees>() {
  const auto is_said = [](const Degrees& degrees) { return !degrees.is_by_plan(); };
  const auto is_divided = [](const Degrees& degrees) {
    return degrees.is_by_plan() || degrees.experts > 1;
  };
  static const TypeRows rows = rows_for<Degrees>(
      "degrees",
      {where<Degrees>(is_said, row("batch", &Degrees::batch,
                                   {"parts that samples are cut into", kPlanDegree})),
       where<Degrees>(is_said, row("rows", &Degrees::rows,
                                   {"parts that rows or tokens are cut into", kPlanDegree})),
       where<Degrees>(is_said,
                      row("out", &Degrees::out,
                          {"parts that outputs of an operator are cut into", kPlanDegree})),
       where<Degrees>(
           is_said,
           row("in", &Degrees::in,
               {"parts that inputs of an operator are cut into; partial results are summed",
                kPlanDegree})),
       where<Degrees>(
           is_divided,
           row("experts", &Degrees::experts,
               {"parts that the tiles of a tensor group divide a layer's experts into; alone: all "
                "else is cut by data and tensor",
                kPlanDegree}))},
      check_degrees);
  return rows;
}

template <>
const TypeRows& rows_of<Branch>() {
  static const TypeRows rows = rows_for<Branch>(
      "a branch",
      {needed("operators", &Branch::operators,
              {.meaning = "names of its operators, in the order in which they run",
               .items = {1, kCount.most},
               .item = "the name of an operator"}),
       needed("tensor", &Branch::tensor,
              {"tensor degree of its operators; it has tensor · data tiles of the stage",
               kPlanDegree})});
  return rows;
}

template <>
const TypeRows& rows_of<SideBySide>() {
  static const TypeRows rows = rows_for<SideBySide>(
      "branches side by side", {needed("branches", &SideBySide::branches,
                                       {.meaning = "the branches, in the order of their tiles",
                                        .items = {2, kCount.most}})});
  return rows;
}

template <>
const TypeRows& rows_of<LayerMapping>() {
  const auto is_sharded = [](const LayerMapping& layer) { return !layer.sharding.empty(); };
  static const TypeRows rows = rows_for<LayerMapping>(
      "layer",
      {where<LayerMapping>(is_sharded, formed("sharding", kSharding,
                                              {"by kernel: the extent that is cut, or none"})),
       row("partitions", &LayerMapping::partitions,
           {.meaning = "lists of names of kernels, in the order in which they run",
            .item = "a partition",
            .inner_item = "the name of a kernel",
            .or_null = false})},
      check_layer);
  return rows;
}

template <>
const TypeRows& rows_of<Plan>() {
  const auto is_mapped = [](const Plan& plan) { return !plan.layer.empty(); };
  const auto is_parallel = [](const Plan& plan) { return !plan.side_by_side.empty(); };
  const auto is_known = [](const Plan& plan) { return plan.made_for.is_known(); };
  const auto is_of_chips = [](const Plan& plan) { return plan.way == CutWay::chips; };
  static const TypeRows rows = rows_for<Plan>(
      "a plan",
      joined({{format_row("waferloom/plan/1"),
               where<Plan>(is_of_chips, row("way", &Plan::way,
                                            {"whose models chose the degrees: those of tiles, or "
                                             "those of chips; it runs alike"}))},
              value_rows(),
              {row("stages", &Plan::stages,
                   {.meaning = "what every stage has; as many as the pipeline is long, or they are "
                               "its length; by default stages of equal work",
                    .items = {1, kCount.most},
                    .or_null = false}),
               row("degrees", &Plan::degrees,
                   {.meaning = "by name of an operator, or `layer` for all of layer.1, layer.2, …: "
                               "how it is cut if not by data and tensor alone",
                    .or_null = false}),
               where<Plan>(is_parallel,
                           row("side_by_side", &Plan::side_by_side,
                               {.meaning = "branches of stages that run at once, each on a part of "
                                           "its stage's tiles; other operators run in turn",
                                .or_null = false})),
               where<Plan>(is_mapped,
                           row("layer", &Plan::layer,
                               {"how a layer's kernels are mapped onto a stage's tiles, as "
                                "the planner chose it; where activations stream, tensors between "
                                "partitions go to memory"})),
               where<Plan>(is_known, row("made_for", &Plan::made_for,
                                         {.meaning = "the network and the machine that it was made "
                                                     "for; others are taken with a warning",
                                          .or_null = false})),
               remark_row("comment")}}),
      check_plan);
  return rows;
}

std::string schedule_text(const Plan& plan) {
  const std::string name(kSchedules[static_cast<std::size_t>(plan.schedule)]);
  return plan.schedule == Schedule::interleaved ? fmt::format("{}:{}", name, plan.chunks) : name;
}

Plan read_plan(std::string_view text, const std::string& source) {
  return read_described<Plan>(JsonReader(source, "plan"), parse_json(text, source));
}

std::string plan_text(const Plan& plan) {
  return written_text([&](ValueSink& sink) { write_rows(rows_of<Plan>(), &plan, sink); });
}

std::string plan_schema() { return schema_text(rows_of<Plan>(), "A plan (docs/plans.md)"); }

InputError plan_error(std::string_view text, const std::string& source, const PlanFault& fault) {
  const JsonValue file = parse_json(text, source);
  for (const std::string_view key : fault.keys()) {
    const JsonValue* value = JsonReader::find(file, key);
    if (value != nullptr) return InputError(source, {{value->position, fault.what()}});
  }
  return InputError(source, kWholeSource, fault.what());
}

}  // namespace waferloom
