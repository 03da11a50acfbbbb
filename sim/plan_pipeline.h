#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/hardware.h"
#include "model/mesh.h"
#include "model/plan.h"
#include "model/problem.h"
#include "model/routes.h"
#include "model/run_control.h"
#include "model/wafer.h"
#include "model/workload.h"
#include "sim/collective.h"
#include "sim/pipeline_spec.h"
#include "sim/tile_groups.h"
#include "sim/time.h"

namespace waferloom::sim {

/// The work of a stage on a micro-batch of all replicas. It does not depend on the stage's place.
struct StageWork {
  std::string name;                    ///< "s0", "s1", …; interleaved "s0.0", "s1.0", …, "s0.1"
  std::vector<std::size_t> operators;  ///< of the workload, ascending
  std::int64_t forward_flop = 0;
  std::int64_t backward_flop = 0;
  std::int64_t parameters = 0;
  double flop_per_s = 0;  ///< of its tiles
  ElementCost element_cost{};
};

/// Bytes of a micro-batch between two stages.
struct StageEdge {
  std::size_t from = 0;
  std::size_t to = 0;
  std::int64_t bytes = 0;
};

/// Bytes of a micro-batch over the wafer's edge.
struct StageEnd {
  std::size_t stage = 0;
  std::string name;  ///< of the operator
  std::int64_t bytes = 0;
  bool input = true;
};

/// A workload cut into stages. With an interleaved schedule these are parts: part i runs on the
/// tiles of stage i mod pipeline.
struct PlanCut {
  std::vector<StageWork> stages;
  std::vector<StageEdge> edges;  ///< by from, then to
  std::vector<StageEnd> ends;
  std::int64_t sample_flop = 0;  ///< of a sample; in training with backward
  /// "s0 -> s1".
  std::string edge_name(const StageEdge& edge) const {
    return stages[edge.from].name + " -> " + stages[edge.to].name;
  }
};

/// Cuts a workload into the stages of a plan. Neighbouring operators become a stage: as the plan
/// binds them, or so that the largest stage has the least possible work. A tensor that several
/// operators of a stage take moves there once. Throws RequestError, with one sentence, if the plan
/// does not fit the workload, or if the hardware has no peak rate for the plan's data type.
PlanCut cut_plan(const Workload& workload, const Plan& plan, const Hardware& hardware);

/// What stays in the SRAM of a stage's tiles between micro-batches (PALM, Algorithm 1 and the text
/// before it). The last four values also say what stays while the stage works on an operator.
enum class SramUse : std::uint8_t {
  resident,           ///< all stays
  activation_stream,  ///< weights, gradients and optimizer states stay; activations stream
  weight_stream,      ///< activations stay; weights, gradients and optimizer states stream
  weight_stationary,  ///< nothing stays; an operator reads weights once, its input several times
  input_stationary,   ///< nothing stays; an operator reads its input once, weights several times
  blocks,             ///< nothing stays; the sums of an operator's products build up in blocks
  mapped,             ///< a layer goes partition by partition, as the plan has them
};
inline constexpr std::array<std::string_view, 7> kSramUseNames{"resident",
                                                               "activation stream",
                                                               "weight stream",
                                                               "weight stationary",
                                                               "input stationary",
                                                               "blocks",
                                                               "mapped"};
constexpr std::span<const std::string_view> words_of(SramUse /*of*/) { return kSramUseNames; }

/// Bytes between a stage's tiles and the memory behind them.
struct MemoryTraffic {
  std::int64_t read = 0;
  std::int64_t written = 0;
};

struct OperatorMemory {
  std::size_t index = 0;  ///< of the workload's operator
  SramUse use = SramUse::resident;
  MemoryTraffic forward;   ///< of a micro-batch
  MemoryTraffic backward;  ///< of a micro-batch, with recomputation
};

/// Bytes of all tiles of a stage together, all replicas included.
struct StageMemory {
  std::int64_t weights = 0;
  std::int64_t gradients = 0;
  std::int64_t optimizer_states = 0;
  std::int64_t activations = 0;  ///< of the micro-batches in flight
  std::int64_t working = 0;      ///< the most that an operator needs besides while it runs
  std::int64_t in_flight = 0;    ///< the most micro-batches between forward and backward
  SramUse use = SramUse::resident;
  std::vector<OperatorMemory> operators;
  MemoryTraffic forward;   ///< of a micro-batch
  MemoryTraffic backward;  ///< of a micro-batch
  MemoryTraffic update;    ///< of a batch

  std::int64_t total() const {
    return weights + gradients + optimizer_states + activations + working;
  }
};

/// Where a plan's data lie for good.
enum class MemoryHome : std::uint8_t {
  unknown,  ///< the hardware says nothing of any memory
  sram,     ///< there is nothing behind it
  tile,     ///< a memory that each tile has of its own
  edge,     ///< behind the ports of the wafer's edge, for all stages together
};
inline constexpr std::array<std::string_view, 4> kMemoryHomeNames{"unknown", "SRAM", "tile memory",
                                                                  "edge memory"};
constexpr std::span<const std::string_view> words_of(MemoryHome /*of*/) { return kMemoryHomeNames; }
std::string_view home_name(MemoryHome home);

/// What the stages of a plan need to remember, and whether there is room for it.
struct PlanMemory {
  std::vector<StageMemory> stages;  ///< of the cut; interleaved several have the same tiles
  MemoryHome home = MemoryHome::unknown;
  std::optional<std::int64_t> capacity;  ///< of a tile, or of all behind the edge
  /// Bytes of every stage's tiles or, behind the edge, of all together alone.
  std::vector<std::int64_t> needs;
  std::size_t lost_ports = 0;       ///< behind the edge: that do not count, on lost tiles
  std::vector<std::int64_t> tiles;  ///< by stage
  std::vector<bool> fits;           ///< by stage: whether there is room; behind the edge all alike
  bool fits_all() const;
  /// "stage s0 needs 12 GB of SRAM, its 4 tiles have 1 GB"; empty if it fits.
  std::string complaint() const;
};

/// The memory of a plan with definite recompute. The parts of an interleaved schedule are taken
/// where their activations together are most, and work on one operator at a time. Throws
/// RequestError beyond 2^60 bytes. O(operators + turns).
PlanMemory plan_memory(const Workload& workload, const Plan& plan, const Hardware& hardware,
                       const PlanCut& cut);

/// A plan with Recompute::if_needed decided, and its memory.
struct SettledPlan {
  Plan plan;
  PlanMemory memory;
};

/// Decides for the first of none, selective and full that fits, for full if none does. Throws as
/// plan_memory does.
SettledPlan settled_plan(const Workload& workload, const Plan& plan, const Hardware& hardware,
                         const PlanCut& cut);

struct TransferFlows;

/// An exchange among a stage's tiles, of a micro-batch or of a batch's update.
struct ExchangeUse {
  enum class When : std::uint8_t { forward, backward, update };
  When when = When::forward;
  Degrees degrees{};
  std::optional<Dimension> among{};  ///< along this dimension; nothing: an all-to-all of all tiles
  std::int64_t bytes = 0;
  /// An all-gather stands for a reduce-scatter, too: half of the all-reduce each.
  CollectiveKind kind = CollectiveKind::all_reduce;
  /// Along rows of an image: what goes to neighbours alone, of whatever kind.
  std::optional<BorderRows> border{};
  /// Of a tensor from or to a stage of another tensor degree, or a branch: its flows, whatever the
  /// rest says.
  std::shared_ptr<const TransferFlows> transfer{};
  std::optional<Rectangle> tiles{};  ///< of a branch: its part of the stage's tiles
};

/// The times of a stage for a micro-batch. It computes at the achievable part of its tiles' peak
/// rate. Its tiles do the exchanges that the cuts of operators need (PALM, Table III). If an
/// operator is cut differently from an operator of the stage that it comes after, the tensor
/// between them goes from all tiles to all.
struct StageService {
  Picoseconds forward = 0;   ///< with exchange
  Picoseconds backward = 0;  ///< with exchange and recomputation
  Picoseconds forward_exchange = 0;
  Picoseconds backward_exchange = 0;
  Picoseconds tensor_exchange = 0;  ///< of forward and backward: among the parts of an operator
  /// Of forward and backward: among replicas, for gradients and parameters that they divide (ZeRO 2
  /// and 3).
  Picoseconds data_exchange = 0;
  Picoseconds recompute = 0;  ///< of backward: what it computes again, with exchange
  Picoseconds update = 0;     ///< exchange of a batch's gradients and parameters among replicas
  /// The part of `update` that comes after the last backward: all of it unless it overlaps.
  Picoseconds update_left = 0;
  /// Traffic of parameters and states between tiles and their own memories, once a batch.
  Picoseconds update_memory = 0;
  std::vector<ExchangeUse> exchanges{};  ///< the exchanges of all these times
};

class Collective;
class StageSums;

/// How the operators of a stage that exchange anything are cut.
struct StageCuts {
  std::vector<Degrees> used{};  ///< each once
  bool hands = false;           ///< some hand what they have to all of their tensor group
  /// Those that take rows of their neighbours, each way once.
  std::vector<std::pair<Degrees, BorderRows>> borders{};
};

/// The mesh and the exchanges of stages that were priced on it before, for whoever prices
/// thousands of plans. Exchanges of one cut on stages of one shape take the same time wherever
/// these lie alike among the groups of tiles, as long as nothing is dead. All functions
/// may be called from several threads at once; what they answer does not depend on the order.
class ExchangeCache {
 public:
  /// Keeps the hardware, which has to live longer.
  ExchangeCache(const Hardware& hardware, Contention contention, const RunControl& control = {});
  /// Of exchanges that take no time: what a plan takes at least is known without them.
  struct Free {};
  ExchangeCache(Free free, const Hardware& hardware);
  ~ExchangeCache();

  const Hardware& hardware() const { return hardware_; }
  const Mesh& mesh() const { return mesh_; }
  Contention contention() const { return contention_; }

  /// The exchanges of a stage on these tiles, as the constructor of StageSums has them, and throws
  /// as that does; RunCut, but never for what is known. The answer lives as long as the cache.
  /// O(log entries) for what is known.
  const StageSums& of(const Plan& own, const Rectangle& tiles, const StageCuts& cuts);

  /// From now on nothing cuts it: what is still asked belongs to a result that is kept. Not while
  /// others ask.
  void ignore_cuts() { control_ = {}; }

 private:
  using Key = std::vector<std::int64_t>;
  Key place_of(const Plan& own, const Rectangle& tiles) const;
  std::shared_ptr<const Collective> collective_of(const Key& place, const Plan& own,
                                                  const Rectangle& tiles, const ExchangeUse& use);

  const Hardware& hardware_;
  Contention contention_;
  bool is_free_ = false;
  RunControl control_;
  Mesh mesh_;
  std::mutex mutex_;
  std::map<Key, std::unique_ptr<const StageSums>> known_;  ///< of stages
  std::map<Key, std::shared_ptr<const Collective>> collectives_;
};

/// Rectangles of equally many tiles for the stages of a plan, in their order. Blocks are groups of
/// the mesh where those have as many tiles, otherwise the nearest to squares of which enough fit;
/// strips are as long as the mesh is high, or wide. Both step around dead tiles, on which stages
/// may differ in shape (clear_blocks of model/plan.h). Throws RequestError,
/// with one sentence, where they do not fit.
std::vector<Rectangle> lay_out_stages(const Plan& plan, const Wafer& mesh, const Grouping& groups);
/// A part of a mesh as a mesh of its own, with its dead tiles. O(dead rectangles).
Wafer wafer_of_part(const Wafer& mesh, const Rectangle& part);

/// The same on a hardware and its groups. Where the plan binds stages to tiles, these; it has to
/// where its stages are of several sizes. On switched hardware stages fill nodes one behind the
/// other: whole ones where their tiles are a multiple of a node's, otherwise as much of each as
/// divides them, without those on dead tiles; only s-shape is known there.
std::vector<Rectangle> lay_out_stages(const Plan& plan, const Hardware& hardware);
/// The part of the mesh that a plan's stages are kept to; all of it where it does not say. Throws
/// PlanFault where the mesh has no such part.
Rectangle part_of_mesh(const Plan& plan, const Hardware& hardware);

/// The channels between a stage and the memory behind the wafer's edge.
struct StageStream {
  std::size_t read = 0;  ///< index of the channel
  std::size_t written = 0;
};

/// How a tensor goes to a stage of another tensor degree of which every tile needs all of it, and
/// in training its gradient back (GroupTransfer).
struct StageTransfer {
  std::size_t edge = 0;  ///< of the cut
  TransferStrategy strategy = TransferStrategy::sum_first;
  std::int64_t adapters = 1;  ///< of a replica of either stage, for another
};

/// A branch of a stage that runs side by side with others (Plan::side_by_side), and its tiles.
struct BranchPlace {
  std::size_t stage = 0;  ///< of the cut
  std::vector<std::size_t> operators;
  Rectangle tiles;
};

/// A workload as a pipeline on a wafer, with the stages of the plan's cut.
struct PlannedPipeline {
  Plan plan;  ///< settled
  PlanCut cut;
  PlanMemory memory;
  std::vector<Rectangle> tiles;            ///< by stage of the plan
  std::vector<StageService> services;      ///< by stage of the cut
  std::vector<StageTransfer> transfers{};  ///< by edge, ascending; of the other edges none
  std::vector<BranchPlace> branches{};     ///< by stage, those that run side by side
  PipelineSpec spec;
  /// By stage: its channels in `spec` from and to memory; nothing if it does not stream.
  std::vector<std::optional<StageStream>> streams;

  /// The tiles of a stage of the cut.
  const Rectangle& tiles_of(std::size_t stage) const { return tiles[stage % tiles.size()]; }
};

/// Whether streams between SRAM and memory take time.
enum class MemoryModel : std::uint8_t { ignored, simulated };

/// Lays the stages of a plan on rectangles of the mesh. The rectangles must not overlap, and each
/// has as many tiles as the plan gives the stage. Tensors between stages move on lanes. Inputs come
/// through the ports; in inference the output leaves through them. Streams between SRAM and memory
/// go through the ports too. If tiles have memories of their own, the streams stay there, and a
/// stage takes at least the time of its streams. Throws RequestError, with one sentence, if the
/// plan cannot be laid out so; RunCut.
PlannedPipeline plan_pipeline(const Workload& workload, const Plan& plan, const Hardware& hardware,
                              const std::vector<Rectangle>& tiles, Contention contention,
                              MemoryModel memory_model = MemoryModel::simulated,
                              const RunControl& control = {});

/// The branches of a plan, given the tiles of its stages. Throws PlanFault where a stage's tiles
/// cannot be divided so.
std::vector<BranchPlace> branch_places(const Workload& workload, const Plan& plan,
                                       const Hardware& hardware,
                                       const std::vector<Rectangle>& tiles);

/// A plan with its cut and its memory. They do not depend on the places of stages.
struct CutPlan {
  PlanCut cut;
  SettledPlan settled;
};

/// Throws RequestError, with one sentence, if the plan cannot be cut so.
CutPlan cut_and_settle(const Workload& workload, const Plan& plan, const Hardware& hardware);

/// The rest of plan_pipeline, on the hardware of the cache. Many plans can share the cache.
PlannedPipeline lay_out_pipeline(const Workload& workload, CutPlan cut,
                                 const std::vector<Rectangle>& tiles, ExchangeCache& exchanges,
                                 MemoryModel memory_model);

/// The stages of a plan as a problem, and facts about them that a problem does not hold.
struct PlanStages {
  Problem problem;                ///< that of plan_problem
  std::int64_t time_unit_us = 1;  ///< microseconds of a unit of its times: 1, 10, 100, …
  /// Bytes of a micro-batch on each of the problem's connections, in both directions.
  std::vector<std::int64_t> connection_bytes;
  /// Names of the tensors on each connection, as in routes and reports; without gradients.
  std::vector<std::vector<std::string>> connection_tensors;
  /// Operators of each stage, of all its parts, ascending.
  std::vector<std::vector<std::size_t>> operators;
};
/// Throws as plan_problem does. `places` may give a rectangle for each stage. Then a stage has only
/// that shape, at any place; throws if their number, or the number of tiles of any, is wrong.
/// `known` holds exchanges of the same hardware that were priced before. It saves time and does not
/// change the result.
PlanStages plan_stages(const Workload& workload, const Plan& plan, const Hardware& hardware,
                       MemoryModel memory_model = MemoryModel::simulated,
                       const std::vector<Rectangle>& places = {}, ExchangeCache* known = nullptr);

/// The stages of a plan as kernels that the placer can lay out.
///
/// Shapes of a kernel are the rectangles of the stage's tiles with sides of a ratio up to 4. If
/// there are none, the shape is the rectangle nearest to a square. The time of a shape is that of a
/// micro-batch: forward, backward, all-reduces and a share of the update of a batch. If streams are
/// simulated, it is at least the time that the busiest link or port needs for the streams of stages
/// of that shape (shape_streams.h). Times are in microseconds; if a stage takes more than 9,000 s,
/// in 10, 100, … microseconds. Edges weigh as their bytes, the heaviest 1. Time and distance weigh
/// 1. Throws RequestError, with one sentence, if a stage has no rectangle that fits the mesh, or if
/// streams have no port.
Problem plan_problem(const Workload& workload, const Plan& plan, const Hardware& hardware,
                     MemoryModel memory_model = MemoryModel::simulated,
                     ExchangeCache* known = nullptr);

/// What a micro-batch moves between the stages of a plan and over the wafer's edge: tensors,
/// gradients, inputs and outputs, and what streams from and to memory, whose reads and writes of
/// one stage share ports (TrafficTensor::store). Of the links inside stages as much is kept as the
/// exchanges of the stage that exchanges longest can take of a micro-batch.
Traffic plan_traffic(const PlannedPipeline& planned, const Hardware& hardware);

/// Gives the pipeline of a plan routes of that traffic. Throws RequestError where a tensor
/// has none.
void set_plan_routes(PlannedPipeline& planned, const Hardware& hardware, const Routes& routes);

}  // namespace waferloom::sim
