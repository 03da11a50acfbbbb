#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "model/errors.h"
#include "model/mesh.h"
#include "model/text.h"
#include "planner/pipeline/stage_fronts.h"
#include "planner/wafer_pipeline.h"

namespace waferloom::planner {

void demand_samples(std::int64_t batch, std::int64_t replicas) {
  if (replicas <= batch) return;
  throw RequestError(fmt::format("a batch of {} has no sample for each of {}", batch,
                                 counted_text(replicas, "replica")));
}

TensorShape tensor_of(std::int64_t elements) {
  constexpr std::int64_t kMostSide = 262'144;
  for (std::int64_t side = std::min(elements, kMostSide); side > 0; --side) {
    if (elements / side > kMostSide) break;
    if (elements % side == 0) return {elements / side, 1, side};
  }
  // A few more: less than one in a thousand.
  const auto parts = [](std::int64_t whole, std::int64_t of) { return (whole + of - 1) / of; };
  const std::int64_t lines = parts(elements, kMostSide);
  const std::int64_t planes = parts(lines, kMostSide);
  const std::int64_t rows = parts(lines, planes);
  return {rows, planes, parts(elements, rows * planes)};
}

namespace {

struct TensorOf {
  TensorShape operator()(const LinearOperator& at) const { return {at.rows, 1, at.out_features}; }
  TensorShape operator()(const ConvOperator& at) const {
    return {at.out_height(), at.out_width(), at.out_channels};
  }
  TensorShape operator()(const PoolOperator& at) const {
    return {at.window.out_height(), at.window.out_width(), at.channels};
  }
  TensorShape operator()(const TransformerOperator& at) const {
    return {at.sequence, 1, at.hidden};
  }
  TensorShape operator()(const EmbeddingOperator& at) const { return {at.sequence, 1, at.hidden}; }
  TensorShape operator()(const HeadOperator& at) const { return {at.sequence, 1, 1}; }
  TensorShape operator()(const ProductOperator& at) const {
    return {at.batch, at.rows, at.out_features};
  }
  TensorShape operator()(const PatchesOperator& at) const { return {at.tokens(), 1, at.hidden}; }
  /// Others have elements alone.
  template <typename Other>
  TensorShape operator()(const Other& /*at*/) const {
    return {};
  }
};

TensorShape output_tensor(const OperatorKind& kind, std::int64_t elements) {
  const TensorShape shape = std::visit(TensorOf(), kind);
  return shape.elements() == elements ? shape : tensor_of(elements);
}

TensorShape input_tensor(const OperatorKind& kind, std::int64_t elements) {
  if (const auto* convolution = std::get_if<ConvOperator>(&kind)) {
    const Window& window = convolution->window;
    return {window.in_height, window.in_width, convolution->in_channels};
  }
  return tensor_of(elements);
}

/// Of a sample forward, which is what cases have: backward follows from it.
Kernel kernel_of(const PipelineStage& stage, bool trains, std::int64_t element_bytes) {
  constexpr std::int64_t kMillion = 1'000'000;
  auto options = std::make_shared<std::vector<ShapeOption>>();
  for (const StageShape& shape : stage.shapes) {
    if (shape.cycles > kMaxOptionTime / kMillion) {
      throw RequestError(
          fmt::format("stage {} takes {} cycles a sample, more than files of cases take",
                      stage.name, shape.cycles));
    }
    const std::int64_t bytes = shape.weights + shape.scratch + shape.kept + shape.states;
    const std::int64_t words = (bytes + element_bytes - 1) / element_bytes;
    const std::int64_t cycles = trains ? shape.cycles / kTrainingPasses : shape.cycles;
    options->push_back({shape.columns, shape.rows, cycles * kMillion, words, kNoSignature});
  }
  return make_kernel(ShapesFormal{std::move(options)});
}

/// Adds a replica behind what is there.
class CaseBuilder {
 public:
  CaseBuilder(const Workload& workload, const WaferPipeline& pipeline, const OperatorFlow& flow,
              std::int64_t element_bytes, ProblemData& data)
      : workload_(workload),
        pipeline_(pipeline),
        flow_(flow),
        element_bytes_(element_bytes),
        data_(data) {
    for (std::size_t s = 0; s < pipeline.stages.size(); ++s) {
      const PipelineStage& stage = pipeline.stages[s];
      stage_of_.resize(stage.last + 1, s);
    }
  }

  void add_replica(const std::string& suffix) {
    const std::size_t base = data_.kernels.size();
    for (const PipelineStage& stage : pipeline_.stages) {
      data_.kernels.push_back(
          {next_id_++, stage.name + suffix, kernel_of(stage, pipeline_.trains(), element_bytes_)});
    }
    for (std::size_t i = 0; i < workload_.operators.size(); ++i) {
      add_input(i, base, suffix);
      add_output(i, base, suffix);
    }
  }

 private:
  void add_input(std::size_t at, std::size_t base, const std::string& suffix) {
    if (flow_.input[at] == 0) return;
    const TensorShape shape = input_tensor(workload_.operators[at].kind, flow_.input[at]);
    add_terminal(Terminal::Kind::input, "in." + workload_.operators[at].name + suffix, shape,
                 base + stage_of_[at]);
  }

  void add_output(std::size_t at, std::size_t base, const std::string& suffix) {
    const OperatorKind& kind = workload_.operators[at].kind;
    const TensorShape shape = output_tensor(kind, flow_.output[at]);
    if (flow_.last_consumer[at] == workload_.operators.size()) {
      add_terminal(Terminal::Kind::output, "out." + workload_.operators[at].name + suffix, shape,
                   base + stage_of_[at]);
      return;
    }
    // A stage takes a tensor once, whatever it does with it.
    std::vector<std::size_t> consumers;
    for (std::size_t i = at + 1; i < workload_.operators.size(); ++i) {
      const auto& after = flow_.after[i];
      if (!std::binary_search(after.begin(), after.end(), at)) continue;
      if (stage_of_[i] == stage_of_[at]) continue;
      if (consumers.empty() || consumers.back() != stage_of_[i]) consumers.push_back(stage_of_[i]);
    }
    for (const std::size_t consumer : consumers) {
      data_.connections.push_back(
          {base + stage_of_[at], base + consumer, shape, weight_of(flow_.output[at])});
    }
  }

  /// A tile of distance costs as the tensor's part of the largest, in hundredths.
  Decimal6 weight_of(std::int64_t elements) const {
    constexpr std::int64_t kSteps = 100;
    const std::int64_t largest = *std::max_element(flow_.output.begin(), flow_.output.end());
    const std::int64_t steps = std::max<std::int64_t>(1, elements * kSteps / largest);
    return Decimal6{steps * (Decimal6::kOne / kSteps)};
  }

  void add_terminal(Terminal::Kind kind, const std::string& name, const TensorShape& shape,
                    std::size_t kernel) {
    data_.terminals.push_back({next_id_++, name, kind, shape});
    data_.terminal_connections.push_back({data_.terminals.size() - 1, kernel, shape});
  }

  const Workload& workload_;
  const WaferPipeline& pipeline_;
  const OperatorFlow& flow_;
  std::int64_t element_bytes_;
  ProblemData& data_;
  std::vector<std::size_t> stage_of_{};  // by operator
  std::int64_t next_id_ = 0;
};

}  // namespace

namespace {

/// Whether the smallest rectangles of all stages have room, before they are built.
void check_room(const PipelinePlan& plan, const Hardware& hardware) {
  Int128 least = 0;
  for (const PipelinePlan::Stage& stage : plan.stages) {
    Int128 area = Int128(stage.shapes.front().rows) * stage.shapes.front().columns;
    for (const PipelinePlan::Shape& shape : stage.shapes) {
      area = std::min(area, Int128(shape.rows) * shape.columns);
    }
    least += area;
  }
  const std::int64_t tiles = usable_tiles(hardware.wafer);
  if (least * plan.replicas <= tiles) return;
  throw RequestError(fmt::format("{} of stages on {} tiles at least do not fit the {} tiles of {}",
                                 counted_text(plan.replicas, "replica"), to_string(least), tiles,
                                 hardware.name));
}

/// Of a plan that trains cycles are those of forward and backward; of others nothing is kept.
void check_training(const PipelinePlan& plan) {
  if (plan.batch > 0) demand_samples(plan.batch, plan.replicas);
  for (const PipelinePlan::Stage& stage : plan.stages) {
    for (const PipelinePlan::Shape& shape : stage.shapes) {
      if (plan.batch > 0 && (shape.cycles == 0 || shape.cycles % kTrainingPasses != 0)) {
        throw RequestError(fmt::format("stage {} takes {} cycles in training, no multiple of {}",
                                       stage.name, shape.cycles, kTrainingPasses));
      }
      if (plan.batch > 0 || (shape.kept == 0 && shape.states == 0 && shape.update_cycles == 0)) {
        continue;
      }
      throw RequestError("stage " + stage.name +
                         " has kept, states or update_cycles, which are of a plan with a batch");
    }
  }
}

}  // namespace

WaferPipeline planned_pipeline(const PipelinePlan& plan, const Workload& workload,
                               const Hardware& hardware) {
  if (plan.workload != workload.name) {
    throw RequestError("the plan is for " + plan.workload + ", not for " + workload.name);
  }
  if (plan.hardware != hardware.name) {
    throw RequestError("the plan is for " + plan.hardware + ", not for " + hardware.name);
  }
  if (!hardware.sram_bytes_per_tile) {
    throw RequestError(hardware.name + " does not say its sram_bytes_per_tile");
  }
  check_room(plan, hardware);
  check_training(plan);
  WaferPipeline pipeline;
  pipeline.batch = plan.batch;
  pipeline.period_cycles = plan.period_cycles;
  pipeline.replicas = plan.replicas;
  pipeline.left_out = plan.left_out;
  std::size_t next = 0;
  for (const PipelinePlan::Stage& planned : plan.stages) {
    PipelineStage stage{planned.name, next, next + planned.operators.size() - 1, {}};
    for (const std::string& name : planned.operators) {
      if (next == workload.operators.size() || workload.operators[next].name != name) {
        throw RequestError(fmt::format(
            "stage {} has operator {}, where {} has {}", planned.name, name, workload.name,
            next == workload.operators.size() ? "no more" : workload.operators[next].name));
      }
      ++next;
    }
    for (const PipelinePlan::Shape& shape : planned.shapes) {
      StageShape& added = stage.shapes.emplace_back();
      added.rows = shape.rows;
      added.columns = shape.columns;
      added.cycles = shape.cycles;
      added.edge_cycles = shape.edge_cycles;
      added.weights = shape.weights;
      added.scratch = shape.scratch;
      added.buffers = shape.buffers;
      added.kept = shape.kept;
      added.states = shape.states;
      added.update_cycles = shape.update_cycles;
    }
    pipeline.stages.push_back(std::move(stage));
  }
  if (next < workload.operators.size()) {
    throw RequestError("no stage has operator " + workload.operators[next].name);
  }
  return pipeline;
}

Problem pipeline_case(const Workload& workload, const Hardware& hardware,
                      const WaferPipeline& pipeline) {
  ProblemData data;
  data.name = workload.name;
  data.wafer = joined_wafer(hardware);
  data.wafer.dead.insert(data.wafer.dead.end(), pipeline.left_out.begin(), pipeline.left_out.end());
  data.memory_limit =
      std::max<std::int64_t>(1, (*hardware.sram_bytes_per_tile - hardware.program_bytes_per_tile) /
                                    hardware.element_bytes);
  data.replicas = pipeline.replicas;
  const OperatorFlow flow = operator_flow(workload);
  CaseBuilder builder(workload, pipeline, flow, hardware.element_bytes, data);
  for (std::int64_t replica = 1; replica <= pipeline.replicas; ++replica) {
    builder.add_replica(pipeline.replicas > 1 ? fmt::format("@{}", replica) : "");
  }
  return Problem(std::move(data));
}

}  // namespace waferloom::planner
