#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/kernel.h"
#include "model/errors.h"
#include "model/mesh.h"
#include "model/report.h"
#include "model/wafer.h"
#include "model/workload.h"

namespace waferloom {

/// A chain (operators, layers, kernels in an order) cut into consecutive stages.
template <typename Cost>
struct ChainCut {
  std::vector<std::size_t> first{};  ///< element that each stage begins with; the first is 0
  Cost longest{};                    ///< cost of the costliest stage
};

/// Cuts a chain into exactly `stages` stages, none of them empty. A stage costs the sum of its
/// elements, and the costliest stage costs the least possible (DFModel's objective of stages,
/// section IV-B). Of those cuts the first stages are as long as they may be. Cost is std::int64_t
/// or double. Exact: a binary search over all values of Cost for the least maximum that a greedy
/// cut keeps, at most 64 rounds of O(stages log n). Throws RequestError unless
/// 1 <= stages <= n, std::logic_error for costs below 0 or not finite.
template <typename Cost>
ChainCut<Cost> cut_chain(const std::vector<Cost>& costs, std::size_t stages);

extern template ChainCut<double> cut_chain(const std::vector<double>& costs, std::size_t stages);
extern template ChainCut<std::int64_t> cut_chain(const std::vector<std::int64_t>& costs,
                                                 std::size_t stages);

/// Elements of a chain, and the stages that they are cut into.
struct ChainSize {
  std::size_t elements = 0;
  std::size_t stages = 0;
};
/// Throws RequestError unless 1 <= stages <= elements.
void check_chain(const ChainSize& size);

/// The sums of the first 0, 1, … n costs. Cost as above. Throws std::logic_error for costs below 0
/// or not finite.
template <typename Cost>
std::vector<Cost> prefix_sums(const std::vector<Cost>& costs);

extern template std::vector<double> prefix_sums(const std::vector<double>& costs);

/// In which order the stages of a pipeline work on micro-batches.
enum class Schedule : std::uint8_t {
  inference,                 ///< forward alone, one micro-batch behind the other
  gpipe,                     ///< all of a batch forward, then all backward
  one_forward_one_backward,  ///< backward as soon as it can (1F1B)
  interleaved,               ///< likewise, every stage's tiles working on several parts in turn
};

/// How stages lie on the mesh if nothing places them.
enum class StageLayout : std::uint8_t {
  s_shape,  ///< blocks, row by row, every other row backwards
  line,     ///< strips over the whole mesh, one beside the other
};
inline constexpr std::array<std::string_view, 2> kStageLayoutNames{"s-shape", "line"};
constexpr std::span<const std::string_view> words_of(StageLayout /*of*/) {
  return kStageLayoutNames;
}
std::string_view layout_name(StageLayout layout);

/// How products go through SRAM whose sides both stream.
enum class Reuse : std::uint8_t {
  whole,   ///< whole rows or columns of one side stay (PALM, Algorithm 1)
  blocks,  ///< or sums build up in blocks, where that moves less
};
inline constexpr std::array<std::string_view, 2> kReuseNames{"whole", "blocks"};
constexpr std::span<const std::string_view> words_of(Reuse /*of*/) { return kReuseNames; }

/// How tensors go between stages of other tensor degrees, of which every tile needs all of them
/// (PALM, Fig. 11).
enum class StrategyBetween : std::uint8_t {
  cheaper,     ///< of each tensor what the model prices lower
  sum_first,   ///< added up in the source, then parts of it to all of the destination (Eq. 7)
  sum_behind,  ///< partial sums move and are added up in the destination (Eq. 8), where they can
};
inline constexpr std::array<std::string_view, 3> kStrategyBetweenNames{"cheaper", "sum-first",
                                                                       "sum-behind"};
constexpr std::span<const std::string_view> words_of(StrategyBetween /*of*/) {
  return kStrategyBetweenNames;
}

/// What forward computes again right before backward, so that it need not be kept until then.
enum class Recompute : std::uint8_t {
  none,
  selective,  ///< the scores of attention (Korthikanti et al., 2022)
  full,       ///< all but the input of every operator
  if_needed,  ///< the first of the above with which the plan fits the memory
};
inline constexpr std::array<std::string_view, 4> kRecomputeNames{"none", "selective", "full",
                                                                 "if-needed"};
constexpr std::span<const std::string_view> words_of(Recompute /*of*/) { return kRecomputeNames; }
std::string_view recompute_name(Recompute recompute);
/// Of plans that were made: what was needed is known.
inline constexpr std::span<const std::string_view> kMadeRecomputeNames{kRecomputeNames.data(), 3};

enum class Optimizer : std::uint8_t {
  sgd,   ///< keeps nothing
  adam,  ///< keeps a copy in full precision and two moments of every parameter: 12 bytes
};
inline constexpr std::array<std::string_view, 2> kOptimizerNames{"sgd", "adam"};
constexpr std::span<const std::string_view> words_of(Optimizer /*of*/) { return kOptimizerNames; }
std::int64_t optimizer_bytes(Optimizer optimizer);  ///< that it keeps of a parameter

/// How a plan fixes one stage. What is empty is as the plan has it.
struct StageBinding {
  std::string to;  ///< its last operator; the first is the one after the stage before
  std::optional<std::int64_t> tensor{};
  std::optional<std::int64_t> data{};
  std::optional<Rectangle> tiles{};
  bool operator==(const StageBinding&) const = default;
};

/// Operators of a stage that run on a part of its tiles, in turn.
struct Branch {
  std::vector<std::string> operators;
  std::int64_t tensor = 1;  ///< tensor degree of each; its tiles are `tensor` · the stage's data
  bool operator==(const Branch&) const = default;
};

/// Branches of a stage that run at once, none of which takes anything of another.
struct SideBySide {
  std::vector<Branch> branches;
  bool operator==(const SideBySide&) const = default;
};

/// The dimension of a kernel that is divided among the tiles of a tensor group, if any.
inline constexpr std::array<std::string_view, 5> kLayerShardings{"none", "outer", "M", "K", "N"};

/// How the kernels of a layer are mapped onto the tiles of a stage, as the planner chose it
/// (docs/dfmodel.md). Where a layer's activations do not stay in SRAM, its partitions say which
/// tensors go to memory: those from one to another. The sharding is a record: parts of operators
/// are as the plan's degrees say.
struct LayerMapping {
  std::map<std::string, std::string> sharding;       ///< kernel -> one of kLayerShardings
  std::vector<std::vector<std::string>> partitions;  ///< kernels on the tiles at once, in turn
  bool empty() const { return sharding.empty() && partitions.empty(); }
  bool operator==(const LayerMapping&) const = default;
};

struct Hardware;

/// What a plan was made for, by name and by checksums (CRC-32) of all that plans depend on.
struct MadeFor {
  std::string network;
  std::string network_crc32;
  std::string machine;
  std::string machine_crc32;  ///< empty: of chips that no simulation knows
  bool is_known() const { return !network.empty(); }
  bool operator==(const MadeFor&) const = default;
};
MadeFor made_for(const Workload& workload, const Hardware& hardware);
/// "made for another machine of the name "wse2"": in what a plan was made for others than these;
/// nothing where the plan does not say. O(operators + ports).
std::vector<std::string> made_for_others(const MadeFor& said, const Workload& workload,
                                         const Hardware& hardware);

/// By whose models a plan's degrees were chosen: what it runs on is a fabric in any case.
enum class CutWay : std::uint8_t {
  cut,    ///< those of tiles
  chips,  ///< those of chips (DFModel)
};
inline constexpr std::array<std::string_view, 2> kCutWayNames{"cut", "chips"};
constexpr std::span<const std::string_view> words_of(CutWay /*of*/) { return kCutWayNames; }

/// Degrees by name of an operator, ascending by name. Copies share them until one of them changes:
/// a search copies plans far more often than it changes their degrees.
class DegreesByName {
 public:
  using Map = std::map<std::string, Degrees, std::less<>>;

  DegreesByName() = default;
  DegreesByName(std::initializer_list<Map::value_type> all);

  bool empty() const { return all().empty(); }
  std::size_t size() const { return all().size(); }
  Map::const_iterator begin() const { return all().begin(); }
  Map::const_iterator end() const { return all().end(); }
  /// Null: there are none of that name.
  const Degrees* find(std::string_view name) const;
  /// Throws std::out_of_range.
  const Degrees& at(const std::string& name) const { return all().at(name); }
  /// No copy made before sees what is written here.
  Degrees& operator[](const std::string& name);
  void clear() { held_.reset(); }
  bool operator==(const DegreesByName& other) const {
    return held_ == other.held_ || all() == other.all();
  }

 private:
  const Map& all() const;

  std::shared_ptr<Map> held_;  // null: none
};

/// How a workload is cut and run (docs/plans.md). The tiles of a stage are `tensor` · `data`.
struct Plan {
  CutWay way = CutWay::cut;
  std::int64_t tensor = 1;         ///< ways that every operator is cut
  std::int64_t data = 1;           ///< replicas, each with samples of its own
  std::int64_t pipeline = 1;       ///< stages
  std::int64_t micro_batch = 1;    ///< samples of a replica that go through a stage at once
  std::int64_t micro_batches = 1;  ///< of a batch
  Schedule schedule = Schedule::one_forward_one_backward;
  std::int64_t chunks = 1;  ///< interleaved: parts of the network that a stage's tiles work on
  StageLayout layout = StageLayout::s_shape;
  /// The part of the mesh that stages are laid out on; nothing: all of it. So a plan of a smaller
  /// machine is one of a larger.
  std::optional<Rectangle> within;
  /// The routing rule of all traffic. On switched hardware `planned` means xy.
  Routing routing = Routing::planned;
  std::string routes;  ///< a file of planned routes, seen from the plan's; empty: the router's
  GroupOrder groups = GroupOrder::contiguous;
  CollectiveAlgorithm collective = CollectiveAlgorithm::ring;  ///< of all-reduces
  StrategyBetween strategy_between = StrategyBetween::cheaper;
  Recompute recompute = Recompute::none;
  Reuse reuse = Reuse::whole;
  /// What the tiles of a tensor group would each keep and pass whole between the products of a
  /// layer, each keeps and passes a share of (Korthikanti et al., 2022, section 4.2.2). An
  /// all-reduce is a reduce-scatter and an all-gather then, which move as much.
  bool sequence_parallel = false;
  Optimizer optimizer = Optimizer::adam;
  /// What replicas divide among themselves (ZeRO): 1 optimizer states, 2 gradients too, 3
  /// parameters too.
  std::int64_t zero = 0;
  bool overlap = false;  ///< gradients are reduced while the operators before them go backward
  std::string data_type = "fp16";      ///< whose peak rate the hardware tells
  std::vector<std::string> leave_out;  ///< names of operators that take no part
  /// All stages, in their order; empty: bound by what they compute.
  std::vector<StageBinding> stages;
  /// How operators are cut that are not cut by `data` and `tensor` alone: by name, or for all of
  /// "layer.1", "layer.2", … by "layer". The full name wins. Those that say
  /// `experts` alone (Degrees::is_by_plan) are by `data` and `tensor` besides.
  DegreesByName degrees;
  std::vector<SideBySide> side_by_side;  ///< all other operators run on all tiles of their stage
  LayerMapping layer;
  MadeFor made_for;  ///< unknown where the file does not say

  /// Parts that the network is cut into.
  std::int64_t parts() const { return pipeline * chunks; }
  bool trains() const { return schedule != Schedule::inference; }
  std::int64_t tiles() const { return tensor * data; }
  /// The plan as a part of the network has it: degrees of its own, the same samples. Throws
  /// RequestError if its replicas cannot share them evenly.
  Plan of_part(std::size_t part) const;
  /// How an operator is cut: of a branch with the branch's tensor degree.
  Degrees degrees_of(const Operator& op) const;
  /// The branch that an operator of this name is in; null: it has all tiles of its stage.
  const Branch* branch_of(std::string_view name) const;
  /// The tensor degree of an operator, its branch's or the plan's.
  std::int64_t tensor_of(const Operator& op) const;
  /// That go through a stage at once, in all replicas.
  std::int64_t samples() const { return micro_batch * data; }
};

/// "inference", "gpipe", "1f1b", "interleaved:2".
std::string schedule_text(const Plan& plan);

/// Reads a plan. Throws InputError with source:line:column.
Plan read_plan(std::string_view text, const std::string& source);

/// A plan that the network or the hardware cannot satisfy, and the keys of its file to blame, the
/// worst first.
class PlanFault : public RequestError {
 public:
  PlanFault(std::vector<std::string_view> keys, const std::string& message)
      : RequestError(message), keys_(std::move(keys)) {}
  const std::vector<std::string_view>& keys() const { return keys_; }

 private:
  std::vector<std::string_view> keys_;  // literals
};

/// The fault of a plan that was read from `text`, with the line and the column of the first of its
/// keys' values that the file has.
InputError plan_error(std::string_view text, const std::string& source, const PlanFault& fault);

// Plans of a whole wafer (docs/wafer_plans.md): files of schema waferloom/wafer_plan/1.

/// Where the keys and values of new tokens go.
enum class CacheWay : std::uint8_t {
  balanced,  ///< all tokens shift on, so that every row of a region has as many (WaferLLM)
  appended   ///< behind those of the prompt, all on the last row
};
inline constexpr std::array<std::string_view, 2> kCacheWayNames{"balanced", "appended"};
constexpr std::span<const std::string_view> words_of(CacheWay /*of*/) { return kCacheWayNames; }

/// What a resident plan's file says. Workload and hardware are told by name.
struct ResidentPlan {
  std::string workload;
  std::string hardware;
  std::string data_type;
  std::int64_t prompt = 1;
  std::int64_t output = 1;
  std::int64_t requests = 1;
  std::int64_t at_once = 0;      ///< of them, go through a region; 0: the file does not say
  std::int64_t region_rows = 1;  ///< of decode
  std::int64_t region_columns = 1;
  std::int64_t regions = 1;
  /// Rows of a region's rectangle beyond those that it works as: its lines step around what is
  /// dead.
  std::int64_t spare_rows = 0;
  std::vector<Rectangle> places{};       ///< of the regions; empty where the file does not say
  MadeFor made_for{};                    ///< unknown where the file does not say
  CacheWay caches = CacheWay::balanced;  ///< also where the file does not say
  double tpot_s = 0;                     ///< as planned
};
/// Throws InputError with source:line:column.
ResidentPlan read_resident_plan(std::string_view text, const std::string& source);

/// What it takes to leave a group of tiles for another; all 0 where a move stays in its group.
struct BorderCrossing {
  std::int64_t carry_cycles = 0;    ///< of all links of the border, one use after another
  std::int64_t latency_cycles = 0;  ///< then
  bool operator==(const BorderCrossing&) const = default;
};

/// What a pipeline plan's file says: consecutive operators are stages on rectangles of tiles, of
/// which `place` chooses one for each stage of each replica.
struct PipelinePlan {
  /// A rectangle on which a stage keeps up with the period. Bytes are of a tile.
  struct Shape {
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    std::int64_t cycles = 1;       ///< of a sample, in training with backward
    std::int64_t edge_cycles = 0;  ///< its largest tensor takes over the lanes of the shorter side
    std::int64_t weights = 0;
    std::int64_t scratch = 0;
    std::int64_t buffers = 0;
    // In training, else 0: what samples under way keep for backward, gradients and states, and
    // cycles behind the last sample of a batch until weights are changed.
    std::int64_t kept = 0;
    std::int64_t states = 0;
    std::int64_t update_cycles = 0;
  };
  struct Stage {
    std::string name;
    std::vector<std::string> operators;  ///< of the workload, one behind the other
    std::vector<Shape> shapes;
  };
  std::string workload;
  std::string hardware;
  std::string data_type;
  std::int64_t batch = 0;          ///< in training, of all replicas; 0: forward alone
  std::int64_t period_cycles = 1;  ///< of a sample in each replica
  std::int64_t replicas = 1;
  double samples_per_s = 0;           ///< of all replicas, as planned
  std::vector<Rectangle> left_out{};  ///< tiles that stages keep off
  std::vector<Stage> stages;
  MadeFor made_for{};  ///< unknown where the file does not say
};
/// Throws InputError with source:line:column.
PipelinePlan read_pipeline_plan(std::string_view text, const std::string& source);

/// A token's way through a language model whose layers lie over regions of a wafer, as a simulation
/// needs it: what regions do inside is known in cycles, what moves between them is not.
struct ResidentPass {
  std::int64_t columns = 1;  ///< of the mesh
  std::int64_t rows = 1;
  std::int64_t hop_cycles = 1;
  std::int64_t ramp_cycles = 2;
  std::vector<Rectangle> regions;           ///< in the order of the layers
  std::vector<std::int64_t> cycles;         ///< of each region's layers for a group of requests
  std::int64_t ends_cycles = 0;             ///< of embedding and head, which use all regions
  std::int64_t words = 0;                   ///< of a group's vectors, from a region to the next
  std::int64_t groups = 1;                  ///< of requests, one behind the other
  DeadParts dead{};                         ///< of the mesh
  std::vector<BorderCrossing> crossings{};  ///< of each move to the next region; empty: none
  std::optional<BorderCrossing> back{};     ///< of the token from the last region to the first
};

/// What a streaming plan's file says of its best batch.
struct StreamingPlan {
  struct Part {
    std::int64_t repeat = 1;
    double weight_bytes = 0;
    double backward_weight_bytes = 0;
    double gradient_bytes = 0;
    double forward_cycles = 0;
    double backward_cycles = 0;
    double fixed_s = 0;  ///< of these cycles, whatever the tokens; 0 where the file does not say
  };
  std::string workload;
  std::string hardware;
  std::string data_type;
  bool trains = true;  ///< also where the file does not say; else forward alone
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::int64_t spare_rows = 0;       ///< as of a ResidentPlan
  std::optional<Rectangle> place{};  ///< of its tiles; nothing where the file does not say
  std::int64_t micro_batches = 1;    ///< the parts are of one of them; 1 where a file does not say
  double step_s = 0;                 ///< of a batch, as planned
  std::vector<Part> parts{};
  MadeFor made_for{};  ///< unknown where the file does not say
};
/// Throws InputError with source:line:column.
StreamingPlan read_streaming_plan(std::string_view text, const std::string& source);

/// A micro-batch under weight streaming, as a simulation needs it: what tiles compute is known in
/// cycles, what comes in through ports and leaves is not.
struct StreamingStep {
  /// Layers that are alike, one after another.
  struct Part {
    std::int64_t repeat = 1;
    double weight_words = 0;           ///< in, forward
    double backward_weight_words = 0;  ///< in, backward
    double gradient_words = 0;         ///< out, backward
    std::int64_t forward_cycles = 0;
    std::int64_t backward_cycles = 0;
    double fixed_s = 0;  ///< of these cycles, what a program takes whatever the tokens
  };
  std::int64_t columns = 1;  ///< of the tiles in use
  std::int64_t rows = 1;
  std::int64_t hop_cycles = 1;
  std::int64_t ramp_cycles = 2;
  double port_words_per_cycle = 1;  ///< of all ports together, in either direction
  double word_cycles = 1;           ///< that the busiest link takes for a word of each line
  double lines = 1;                 ///< of tiles, along which weights come in
  std::int64_t entry_cycles = 0;    ///< of the way from the ports to the tiles, once
  bool trains = true;               ///< else forward alone
  std::int64_t micro_batches = 1;   ///< of a batch, one after another
  /// Weights come in once tiles have computed what came before: nothing hides behind another.
  bool weights_wait = false;
  std::vector<Part> parts;  ///< in the order of forward
};

/// What bounds a batch of a step at a clock: what tiles compute, the fixed time of their programs,
/// the ports, or the links that weights stream over. Where weights wait these follow one another;
/// else each counts as if it alone took time.
std::optional<Bottleneck> streaming_bottleneck(const StreamingStep& step, double clock_hz);

/// The file of a plan; read_plan() reads it back.
std::string plan_text(const Plan& plan);

/// A plan of any way, by the file's schema and `way`.
using AnyPlan = std::variant<Plan, PipelinePlan, ResidentPlan, StreamingPlan>;
/// Throws InputError with source:line:column.
AnyPlan read_any_plan(std::string_view text, const std::string& source);
/// "cut", "chips", "pipeline", "resident" or "streaming".
std::string_view way_of(const AnyPlan& plan);
const MadeFor& made_for(const AnyPlan& plan);
/// The network and the machine that a plan is for; of a cut what it was made for, if it says so.
std::string_view network_of(const AnyPlan& plan);
std::string_view hardware_of(const AnyPlan& plan);

/// `waferloom schema plan`, made of the rows of plan/plan_rows.cpp.
std::string plan_schema();

/// Where a stage of a plan lies; `tiles` as on the wafer, after rotation.
struct PlacedStage {
  std::string name;
  Rectangle tiles;
  bool rotated = false;  ///< by 90° against the shape that it was chosen from
  bool operator==(const PlacedStage&) const = default;
};

/// The stages of a plan on a wafer.
struct StagePlacement {
  std::vector<PlacedStage> stages;
  std::string hardware{};  ///< the name of what they were placed on; empty where it is not told
  bool operator==(const StagePlacement&) const = default;
};

/// JSON of placed stages (docs/plans.md), and back. The reader throws InputError with
/// source:line:column; names of stages differ.
std::string stage_placement_text(const StagePlacement& placement);
StagePlacement read_stage_placement(std::string_view text, const std::string& source);
/// `waferloom schema placement`.
std::string placement_schema();

/// Shapes of so many tiles that fit the wafer, the narrowest first. O(sides of the wafer).
std::vector<Extent> shapes_of(const Wafer& wafer, std::int64_t tiles);

/// So many rectangles clear of one another and of dead tiles, row by row, every other row
/// backwards; none where no room is found. All have the first shape of which enough fit in the
/// grid that begins in the corner, blocks on dead tiles passed over. On wafers with dead tiles,
/// where too few are left of shapes equally far from squares, these are tried in rows, then in
/// columns, that begin anywhere and step around dead tiles; then rows, and columns, of several
/// shapes, with those before them. Of rows those that hold most, by dynamic programming:
/// O(shapes² · side · d) for d dead rectangles.
std::vector<Rectangle> clear_blocks(const Wafer& wafer, const std::vector<Extent>& shapes,
                                    std::int64_t count);

/// The most rectangles of so many tiles that clear_blocks finds, given all their shapes.
/// O(shapes · side · d).
std::int64_t most_clear_blocks(const Wafer& wafer, std::int64_t tiles);

}  // namespace waferloom
