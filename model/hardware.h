#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/int128.h"
#include "kernels/tile_cycles.h"
#include "model/option_spec.h"
#include "model/report.h"
#include "model/text.h"
#include "model/wafer.h"

namespace waferloom {

/// Bytes a second; nothing where there is no limit.
using Rate = std::optional<std::int64_t>;

/// Ways of a link out of a tile; north is towards greater y.
enum class Direction : std::uint8_t { east, west, north, south };
inline constexpr std::array<const char*, 4> kDirectionNames{"east", "west", "north", "south"};
inline constexpr std::array<std::string_view, 4> kDirectionWords{"east", "west", "north", "south"};
constexpr std::span<const std::string_view> words_of(Direction /*of*/) { return kDirectionWords; }

/// How tiles are joined.
enum class Topology : std::uint8_t {
  mesh,   ///< each with its neighbours
  torus,  ///< likewise, and the last tile of a row or column with its first
  /// By switches that are never short themselves: the tiles of a row, a node, by the node's; all by
  /// a network between the nodes.
  switched,
};
inline constexpr std::array<std::string_view, 3> kTopologyNames{"mesh", "torus", "switched"};
constexpr std::span<const std::string_view> words_of(Topology /*of*/) { return kTopologyNames; }
/// The networks that a chip's links make.
enum class Networks : std::uint8_t {
  single,  ///< of all links: a transfer may go any way
  /// Two of a torus: a transfer goes east and north alone, or west and south alone.
  opposite,
};
inline constexpr std::array<std::string_view, 2> kNetworksNames{"single", "opposite"};
constexpr std::span<const std::string_view> words_of(Networks /*of*/) { return kNetworksNames; }

/// The four links of a tile on switched hardware, in place of the directions of a mesh.
inline constexpr std::array<const char*, 4> kSwitchedLinkNames{"to-node", "from-node", "to-network",
                                                               "from-network"};

/// Speed of a kind of links. latency_ps is what a hop adds to a message's time.
struct LinkClass {
  Rate bytes_per_s;
  std::int64_t latency_ps = 0;
  bool operator==(const LinkClass&) const = default;
};

/// A directed link that does not work, by the tile that it leaves.
struct DeadLink {
  std::int64_t x = 0;
  std::int64_t y = 0;
  Direction direction = Direction::east;
  bool operator==(const DeadLink&) const = default;
};

/// A port to memory or to the host, on the wafer's edge or `inset` tiles inside of it, at the tile
/// `position` of a side (counted from x = 0 or y = 0). The port serves one transfer after another
/// at its rate; response_ps passes once a transfer.
struct EdgePort {
  Direction side = Direction::west;
  std::int64_t position = 0;
  Rate bytes_per_s;
  std::int64_t response_ps = 0;
  std::optional<std::int64_t> capacity_bytes;  ///< of the memory behind it
  std::int64_t inset = 0;
  bool operator==(const EdgePort&) const = default;
};

/// Column and row of a tile.
struct TilePlace {
  std::int64_t x = 0;
  std::int64_t y = 0;
  bool operator==(const TilePlace&) const = default;
};

/// Hops from a tile to the nearest of a rectangle; 0 within it.
std::int64_t hops_to(const TilePlace& tile, const Rectangle& tiles);

struct Hardware;

/// Throws RequestError, "… takes meshes, not switched hardware", unless it is a mesh.
void demand_mesh(const Hardware& hardware, const std::string& what);

/// The wafer's dead tiles whose routers do not live either: those that are not Hardware::passing.
std::vector<Rectangle> closed_tiles(const Hardware& hardware);

/// Adds dead tiles to a hardware's own; what lies beyond its mesh is dropped.
void add_dead_tiles(Hardware& hardware, const std::vector<Rectangle>& dead);

/// The tile at which a port of a wafer stands.
TilePlace port_tile(const Wafer& wafer, const EdgePort& port);

/// What a router of the cycle-resolved network is made of.
struct RouterSpec {
  std::int64_t flit_bytes = 4;        ///< what a link moves in a cycle
  std::int64_t packet_flits = 16;     ///< of the longest packet, its head included
  std::int64_t virtual_channels = 4;  ///< of an input port
  std::int64_t buffer_flits = 8;      ///< of a virtual channel
  std::int64_t injection_queues = 4;  ///< of a tile
  bool operator==(const RouterSpec&) const = default;
};

/// Along which axis a message goes first.
enum class AxisOrder : std::uint8_t { x_first, y_first };
inline constexpr std::array<std::string_view, 2> kAxisOrderNames{"x-first", "y-first"};
constexpr std::span<const std::string_view> words_of(AxisOrder /*of*/) { return kAxisOrderNames; }

/// A network of a torus whose links go one way along each axis. All tiles are on it.
struct NocNetwork {
  std::string name;                      ///< as traces call it: "NOC_0"
  Direction along_x = Direction::east;   ///< or west
  Direction along_y = Direction::north;  ///< or south
  AxisOrder order = AxisOrder::x_first;
  bool operator==(const NocNetwork&) const = default;
};

/// Networks on chip in which packets hold virtual channels from router to router, and tiles read
/// from one another: what device traces run on. Flits and packets are those of RouterSpec, a hop
/// takes the link's latency.
struct NocSpec {
  std::vector<NocNetwork> networks{};
  Rate link_bytes_per_s{};  ///< that a link keeps up; nothing: a flit a cycle
  Rate tile_bytes_per_s{};  ///< of the end of a tile, each way; nothing: as the links
  Rate dram_bytes_per_s{};  ///< of the end of a tile with a DRAM port; nothing: as other tiles
  /// A read of the own tile without its data; half of it passes before data leave their tile, half
  /// behind their arrival.
  std::int64_t request_ps = 0;
  std::int64_t sends = 1;  ///< packets that an end sends at a time
  /// Virtual channels of a class of packets on a link: as many again are for packets that have
  /// passed from the last tile of a row or column to the first.
  std::int64_t channels = 2;
  std::int64_t buffer_flits = 32;  ///< of a channel, at a router's input
  bool operator==(const NocSpec&) const = default;
};

/// Which border tiles of a rectangle the lanes of planned routes may leave and reach.
enum class LaneSides : std::uint8_t {
  facing,  ///< those of the side that faces the other end
  any,     ///< all: what a kernel that can be turned and mirrored might allow
};

inline constexpr std::array<std::string_view, 2> kLaneSidesNames{"facing", "any"};
constexpr std::span<const std::string_view> words_of(LaneSides /*of*/) { return kLaneSidesNames; }

/// What planned routes have to work with.
struct RoutingSpec {
  LaneSides lane_sides = LaneSides::facing;
  std::int64_t lanes_max = 256;           ///< of a tensor
  std::int64_t colours = 21;              ///< that routes may have
  std::int64_t kernel_colours = 8;        ///< of those, what a kernel keeps on its own tiles
  std::int64_t kernel_link_percent = 50;  ///< of a link inside a kernel, what its own work takes
  bool operator==(const RoutingSpec&) const = default;
};

/// Which ports of a kind a transfer over the wafer's edge uses.
enum class PortChoice : std::uint8_t {
  nearest,  ///< the one with the fewest hops, the first of those that are alike
  all,      ///< an even part through each
};

inline constexpr std::array<std::string_view, 2> kPortChoiceNames{"nearest", "all"};
constexpr std::span<const std::string_view> words_of(PortChoice /*of*/) { return kPortChoiceNames; }

/// What stands behind the wafer's edge where a network's inputs come from and its outputs go to.
enum class EdgeIo : std::uint8_t { host, dram };
inline constexpr std::array<std::string_view, 2> kEdgeIoNames{"host", "dram"};
constexpr std::span<const std::string_view> words_of(EdgeIo /*of*/) { return kEdgeIoNames; }

/// Where a figure comes from: a public source, or the word "assumed".
struct FigureSource {
  std::string key;  ///< as in the file, "link.latency_ps"
  std::string text;
  bool operator==(const FigureSource&) const = default;
};

/// How far a model is from rows that were measured on the machine, of which it knew none: per cent
/// of the absolute relative error.
struct MeasuredBacking {
  std::string what;       ///< "gemm", "gemv", "decode" …: an operator, or a phase of a network
  std::string algorithm;  ///< "meshgemm"
  std::string data_type;  ///< "fp16"
  std::string program;    ///< that was measured, as in kTileProgramNames
  std::int64_t rows = 0;  ///< that were judged
  double median_percent = 0;
  double worst_percent = 0;
  std::string source;  ///< who measured, and how
  /// Tiles of the meshes that were measured, and numbers along the sides of a tile's blocks; 0:
  /// not told.
  std::int64_t least_tiles = 0;
  std::int64_t most_tiles = 0;
  std::int64_t least_block = 0;
  std::int64_t most_block = 0;
  bool operator==(const MeasuredBacking&) const = default;
};

/// What programs that train take on a wafer's tiles while weights stream, as measured: a step is
/// the sum of what follows, nothing hides behind another (docs/wafer_plans.md, "What programs
/// take").
struct TrainingFigures {
  double layer_seconds = 0;       ///< that a layer takes of a micro-batch, whatever its size
  double products_percent = 100;  ///< of the peak that multiply-adds run at
  double ports_percent = 100;     ///< of the host ports' rate that weights and gradients move at
  bool operator==(const TrainingFigures&) const = default;
};

struct Hardware;
struct Machine;
struct BackingKey {
  std::string_view what;
  std::string_view algorithm;  ///< empty: any
  std::string_view data_type;
};
/// How far a model is from what was measured on this machine; null where nothing was.
const MeasuredBacking* find_backing(const Hardware& hardware, const BackingKey& key);

/// A wafer's fabric: what a simulation knows of the machine. The keys of hardware files
/// (docs/formats.md) are these members' names.
struct Hardware {
  std::string name = "unnamed";
  Wafer wafer;
  Topology topology = Topology::mesh;
  Networks networks = Networks::single;
  std::vector<DeadLink> dead_links{};
  /// Of the wafer's dead tiles those whose routers live: nothing can be laid there, routes pass,
  /// and ports may stand there. A harvested row, tiles of memory controllers.
  std::vector<Rectangle> passing{};
  /// Tiles of a group; links between two groups are `group_link`, the others `link`. On switched
  /// hardware a group is a node, and a tile's links to and from the network are `group_link`.
  std::int64_t group_columns = kMaxWaferSide;
  std::int64_t group_rows = kMaxWaferSide;
  LinkClass link{};
  LinkClass group_link{};                  ///< as `link` where a file does not say
  std::optional<LinkClass> column_link{};  ///< within a column of tiles; nothing: as `link`
  std::int64_t endpoint_latency_ps = 0;    ///< once a transfer, besides its hops
  std::int64_t clock_hz = 1'000'000'000;
  std::int64_t cycles_per_time_unit = 1;         ///< of a kernel's time
  std::int64_t element_bytes = 2;                ///< of a tensor
  std::int64_t lanes_max = 64;                   ///< of a transfer between two rectangles
  std::optional<std::int64_t> buffer_samples{};  ///< of every edge; automatic where nothing is said
  std::int64_t adapter_setup_ps = 0;
  std::optional<std::int64_t> sram_bytes_per_tile{};
  std::int64_t program_bytes_per_tile = 0;            ///< of that, what its program takes
  std::optional<std::int64_t> dram_bytes_per_tile{};  ///< of a memory that is a tile's own
  Rate dram_bytes_per_s_per_tile{};
  std::map<std::string, std::int64_t> peak_flop_per_s_per_tile{};  ///< by data type
  /// Multiply-adds that a tile does in a cycle, by data type; the peak rate follows from them.
  std::map<std::string, std::int64_t> multiply_adds_per_cycle{};
  std::optional<std::int64_t> hop_cycles{};   ///< of a word; the link's latency follows from it
  std::optional<std::int64_t> ramp_cycles{};  ///< between a tile and its router, each way
  std::optional<std::int64_t> sram_read_words_per_cycle{};
  std::optional<std::int64_t> sram_write_words_per_cycle{};
  std::optional<std::int64_t> colours_available{};  ///< to programs
  /// What programs of tiles take for their steps, by data type.
  std::map<std::string, TilePrograms> programs{};
  /// What programs that train take, by data type: `programs.training` of a file.
  std::map<std::string, TrainingFigures> training{};
  std::vector<MeasuredBacking> backing{};       ///< what was measured on this machine of our models
  Decimal6 achievable_percent = decimal6(100);  ///< of the peak
  std::map<std::string, Decimal6> achievable_percent_by_type{};  ///< in its place, by data type
  /// Of dram_bytes_per_s_per_tile: what kernels of element-wise operations reach; 0: they take
  /// their operations' time alone.
  Decimal6 element_memory_percent = decimal6(0);
  std::optional<std::int64_t> price_usd{};
  std::optional<std::int64_t> power_w{};
  RouterSpec router{};
  RoutingSpec routing{};
  std::optional<NocSpec> noc{};
  std::vector<EdgePort> host_ports{};
  Rate host_bytes_per_s{};  ///< of all host ports together, in either direction
  std::vector<EdgePort> dram_ports{};
  EdgeIo edge_io = EdgeIo::host;
  PortChoice host_port_choice = PortChoice::nearest;
  PortChoice dram_port_choice = PortChoice::nearest;
  /// Host ports, by place in host_ports, of network inputs and outputs by name.
  std::map<std::string, std::int64_t> host_port_of{};
  std::vector<FigureSource> sources{};
  /// Figures that a file said, by key ("link.latency_ps"); the others have their defaults.
  std::set<std::string> given{};
  bool operator==(const Hardware&) const = default;
};

/// Where a figure of a hardware file comes from, by its key; those of a program may have a source
/// together. Empty if the file does not say.
std::string source_of(const Hardware& hardware, std::string_view key);
/// "programs.waferllm.fp16": the key of a program's figures.
std::string program_key(TileProgram program, std::string_view data_type);

/// The fabric of a machine's file, whatever its form (read_machine). Keys that a hardware file
/// does not have keep the defaults of Hardware; columns and rows have to be. Throws InputError with
/// source:line:column, RequestError where the machine has no fabric.
Hardware read_hardware(std::string_view text, const std::string& source);

/// A figure that is in force, for a report.
struct HardwareFigure {
  std::string key;    ///< "link.latency_ps"
  std::string value;  ///< as JSON
  /// As in the file; "given" for what a file says without a source, "default" for what none says.
  std::string source;
};

/// Every figure of a hardware, in the order of the keys in a file. Ports and dead tiles are
/// counted, not listed.
std::vector<HardwareFigure> hardware_figures(const Hardware& hardware);

/// Keys of hardware_figures that no file gave, so that they are as read_hardware has them by
/// default; those of group_link where link was not given either, and only what its topology has.
std::vector<std::string> defaulted_keys(const Hardware& hardware);

/// What the ports of a kind have together, those on joined tiles (model/mesh.h).
struct PortTotals {
  std::size_t count = 0;  ///< in the file
  std::size_t lost = 0;   ///< of these, on tiles that are dead or cut off
  /// In one direction, each at most what its tile's link takes; nothing: no limit, or no port.
  std::optional<Int128> bytes_per_s;
  std::optional<Int128> own_bytes_per_s;  ///< the same by their own rates, whatever links take
  std::optional<Int128> capacity_bytes;  ///< of the memory behind; nothing: not limited, or no port
};

/// What the tiles of a hardware that are not dead, and its ports, have together.
struct HardwareTotals {
  std::int64_t tiles = 0;  ///< that are not dead
  std::int64_t dead_tiles = 0;
  std::int64_t passing_tiles = 0;  ///< of these: whose routers live
  std::int64_t cut_off_tiles = 0;  ///< live, but no way leads to the largest part
  /// In one direction, of the links between the halves of the columns or of the rows, whichever
  /// have less; nothing: no limit, or switches.
  std::optional<Int128> bisection_bytes_per_s;
  std::optional<Int128> sram_bytes;
  std::optional<Int128> dram_bytes;               ///< of memories that are a tile's own
  std::optional<Int128> dram_bytes_per_s;         ///< of these
  std::map<std::string, Int128> peak_flop_per_s;  ///< by data type
  PortTotals host_ports;                          ///< rate: at most Hardware::host_bytes_per_s
  PortTotals dram_ports;
};

HardwareTotals hardware_totals(const Hardware& hardware);

/// What feeds a machine's chips, for each FLOP of their peak.
struct Balance {
  std::string from;  ///< "sram", the name of a memory, "host", "dimension 0", "bisection"
  double bytes_per_flop = 0;
};
/// Of a chip's SRAM, memories, host and links, and of the bisection of a mesh; what has no limit,
/// or is not known, is left out, and all are where the peak is not known. O(tiles).
std::vector<Balance> machine_balance(const Machine& machine);

/// The most that a kind of instructions does on a tile, or on a chip, where that is not the peak of
/// matrix products of its type.
struct InstructionPeak {
  std::string instruction;  ///< "element-wise", "products of waferllm"
  std::string data_type;    ///< "fp16"
  double flop_per_s = 0;
};
/// Of a chip's units besides those of products, and of a mesh what its programs issue of
/// multiply-adds.
std::vector<InstructionPeak> instruction_peaks(const Machine& machine);

/// A report of schema waferloom/machines/1.
Report machines_report(const std::vector<Machine>& machines);
std::string machines_schema();

/// The JSON Schema (draft 7) of hardware files.
std::string hardware_schema();

// What the planner knows of a machine: chips, the memories behind each, and the network among them.
// Bytes, seconds, bytes/s and FLOP/s everywhere; a product and a sum are one FLOP each. The wafer
// of a simulation is `Hardware`.

/// Part of the peak rate that kernels reach on `samples` samples at once: a · ub / (b + ub), at
/// least `floor` (AMPeD, section IV-A). With half = 0 it is `limit` whatever the samples.
struct Efficiency {
  double limit = 1;  ///< a
  double half = 0;   ///< b: samples that reach half of `limit`
  double floor = 0;
  /// Part of the rate of the chip's memory that kernels of element-wise operations reach, each of
  /// which reads and writes that memory; 0: they take their operations' time alone.
  double memory = 0;
  double at(double samples) const;
  /// Of the rate of the chip's memory what passes over it reach: all where `memory` is 0.
  double of_memory_rate() const { return memory > 0 ? memory : 1; }
  bool operator==(const Efficiency&) const = default;
};

struct Chip {
  /// Peak of matrix products, by type of their operands. Where a file says it, flop_per_s is that
  /// of the type of matrix_bits.
  std::map<std::string, std::int64_t> peak_flop_per_s{};
  double flop_per_s = 0;          ///< peak, of matrix products
  double element_flop_per_s = 0;  ///< peak, of everything else; 0: as flop_per_s
  double sram_bytes = 0;
  double sram_bytes_per_s = 0;  ///< 0: never what bounds a kernel
  double clock_hz = 0;          ///< 0 where it is not known, as the three below
  std::int64_t cores = 0;
  std::int64_t systolic_width = 0;   ///< of a core's array: rows of the output it works on at once
  std::int64_t systolic_height = 0;  ///< columns of the output
  std::int64_t matrix_bits = 16;     ///< operands of the units for matrix products
  std::int64_t element_bits = 16;    ///< of the others
  Efficiency efficiency{};
  std::map<std::string, Efficiency> efficiency_by_type{};  ///< in its place, by data type
  double price_usd = 0;
  double power_w = 0;
  /// The data type that flop_per_s is the peak of: of those of matrix_bits the first that has a
  /// peak; empty where no type is told.
  std::string type() const;
  /// Of products of that type.
  const Efficiency& reached() const;
  bool operator==(const Chip&) const = default;
};

/// A memory of one chip besides its SRAM.
struct MemoryLevel {
  std::string name;
  double bytes = 0;
  double bytes_per_s = 0;
  double latency_s = 0;
  double price_usd = 0;  ///< for each chip
  double power_w = 0;
  bool operator==(const MemoryLevel&) const = default;
};

/// How the chips along one dimension of the network are joined (ASTRA-sim's building blocks).
/// Composed: a torus is a ring of rings, a dragonfly fully connected groups, fully connected.
enum class DimensionTopology : std::uint8_t { line, ring, fully_connected, switched };
inline constexpr std::array<std::string_view, 4> kDimensionTopologyNames{
    "line", "ring", "fully-connected", "switch"};
constexpr std::span<const std::string_view> words_of(DimensionTopology /*of*/) {
  return kDimensionTopologyNames;
}
std::string_view dimension_topology_name(DimensionTopology topology);

/// Chips that differ in one coordinate alone, and what joins them.
struct NetworkDimension {
  DimensionTopology topology = DimensionTopology::ring;
  std::int64_t size = 1;  ///< chips
  /// Of a link in one direction: to one neighbour on a ring or line, to one other chip where all
  /// are connected, to the switch.
  double link_bytes_per_s = 0;
  double latency_s = 0;  ///< of a step between two chips
  double price_usd = 0;  ///< for each link
  double power_w = 0;
  bool operator==(const NetworkDimension&) const = default;
  /// Links of all chips of one such group, each counted once.
  std::int64_t links() const;
  /// Whether simulations know how its chips are joined, as switched hardware, as a torus or as a
  /// mesh; models of chips price every topology. Any two chips are neighbours, and so are three.
  bool is_simulated() const { return topology != DimensionTopology::fully_connected || size <= 3; }
};

/// What training allocates (Centimani, section 4.2.2).
enum class TensorClass : std::uint8_t {
  io,         ///< inputs, outputs, activations
  weights,    ///< weights and biases
  gradients,  ///< of weights and activations, momentum
  algorithm,  ///< mixed precision, stabilised optimizers
  ephemeral,  ///< scratch of libraries and of communication
};
inline constexpr std::size_t kTensorClasses = 5;
inline constexpr std::array<std::string_view, kTensorClasses> kTensorClassNames{
    "io", "weights", "gradients", "algorithm", "ephemeral"};

/// What feeds a chip (Centimani, section 4.3.1); 0: not known, and takes no time.
struct Host {
  double link_bytes_per_s = 0;        ///< to one chip
  double preprocess_bytes_per_s = 0;  ///< samples made ready for one chip, by their bytes
  double cpu_flop_per_s = 0;          ///< peak, beside which a measured machine's is held
  double server_bytes_per_s = 0;      ///< between one chip and a server of parameters
  bool operator==(const Host&) const = default;
};

/// Stages of training that go on beside the others (Centimani, section 4.3.4).
struct Overlap {
  bool load = false;           ///< samples come while the chip computes
  bool preprocess = false;     ///< and are made ready meanwhile
  bool communication = false;  ///< gradients travel while the chip computes
  bool operator==(const Overlap&) const = default;
};

/// The place of a chip's SRAM among its memories; k + 1 is memories[k].
inline constexpr std::size_t kSramLevel = 0;

struct System {
  std::string name = "unnamed";
  Chip chip{};
  std::vector<MemoryLevel> memories{};         ///< nearest first
  std::vector<NetworkDimension> dimensions{};  ///< innermost first; none: one chip
  /// Where each class of tensors lies: kSramLevel, or k + 1 for memories[k]. SRAM where a chip has
  /// no other memory, otherwise memories[0] unless a file says.
  std::array<std::size_t, kTensorClasses> level_of{};
  Host host{};
  Overlap overlap{};
  std::map<std::string, std::string> sources{};  ///< of figures, by key
  std::int64_t chips() const;
  double price_usd() const;  ///< of chips, memories and links
  double power_w() const;
  /// "sram" or the name of a memory.
  std::string level_name(std::size_t level) const;
  double level_bytes(std::size_t level) const;
  bool operator==(const System&) const = default;
};

/// What a hardware's tiles reach of their rates in products of a data type.
Efficiency efficiency_of(const Hardware& hardware, const std::string& data_type);

/// What kernels of element-wise operations and the optimizer's pass reach of the rate of the chip's
/// first memory, which there has to be: all of it where Efficiency::memory is 0.
double element_bytes_per_s(const System& system);

/// FLOP of products that a chip, or a tile of its peak rate, does while element-wise operations
/// move a byte from and to its memory; 0 where no memory bounds these.
double flop_per_byte(const System& system, double samples);
double flop_per_byte(const Hardware& hardware, const std::string& data_type);

/// "ring 8", "ring 4 x ring 2", "one chip".
std::string network_text(const System& system);

/// The chips of a machine's file, whatever its form (read_machine). Throws InputError with
/// source:line:column for unknown or missing keys and numbers out of range.
System read_system(std::string_view text, const std::string& source);

/// Keys of the chip whose values are not the defaults, then "host" and "overlap" where they say
/// something: what a model that does not read them leaves out.
std::vector<std::string> changed_keys(const System& system);

/// The JSON Schema of systems, made of the rows of their keys (machine/system_rows.cpp).
std::string system_schema();

// One machine, whatever a model asks of it. A file describes its chips and what joins them, or the
// mesh of tiles that its one chip is, or both. Simulations and wafer plans see its fabric, the
// papers' models its chips.

struct Machine {
  std::string name = "unnamed";
  System chips{};
  /// Of a mesh what the file says; of chips behind switches, and along rings or lines, a tile a
  /// chip. Nothing where chips are joined by what no simulation knows.
  std::optional<Hardware> fabric{};
  bool tiles_are_chips = false;  ///< the fabric follows from the chips, and not they from it
  std::string why_no_fabric{};   ///< "its 16 chips are a ring", where there is none
  bool operator==(const Machine&) const = default;
};

/// What simulations and wafer plans know of a machine. Throws RequestError, "NAME: …, and
/// simulations take …", where it has none.
const Hardware& fabric_of(const Machine& machine);
/// What the papers' models know of it: a mesh is one chip, with the memory behind its edge. Throws
/// RequestError where no peak rate is known.
const System& chips_of(const Machine& machine);

/// A fabric as one chip (a mesh) or as a chip a tile (switched hardware): sums over the tiles that
/// live. The memory is the tiles' own, or behind the DRAM ports, or behind the host ports that tell
/// its room. O(tiles + ports).
System chips_of_fabric(const Hardware& fabric);

/// A key of a machine's file that is set from elsewhere: "dimensions.1.size", "clock_hz". A key
/// whose first word no machine has is one of its fabric. Items of lists go by number, from 0.
struct MachineChange {
  std::string key;
  JsonValue value{};
  std::string where{};  ///< the source that sets it: a file, or "command line"
  TextPosition at{};
  std::string origin{};  ///< where its figure comes from, if it is told
};

/// Text and name of a machine's file.
struct MachineText {
  std::string text;
  std::string source;
};

/// Finds the base that a file names: nothing if there is none. `from` is the file's source.
using FindBase =
    std::function<std::optional<MachineText>(const std::string& base, const std::string& from)>;
/// Bases that are presets alone.
std::optional<MachineText> find_preset_base(const std::string& base, const std::string& from);

/// What a file is that does not tell: neither its schema nor a key of one form alone.
enum class MachineForm : std::uint8_t { fabric, chips };

/// How a machine is asked for, beside its file.
struct MachineChanges {
  FindBase find_base = find_preset_base;
  std::vector<MachineChange> set{};    ///< over what files say
  std::optional<std::string> chips{};  ///< "1536", or along each dimension: "8x192"
  MachineForm otherwise = MachineForm::fabric;
};

/// The machine that a user asks for, as a table of options has it.
struct MachineChoice {
  std::optional<std::string> name{};  ///< of a preset or a file
  std::vector<std::string> set{};     ///< "KEY=VALUE"
  std::optional<std::string> chips{};
  std::string name_or(std::string_view by_default) const {
    return name.value_or(std::string(by_default));
  }
};
/// --hardware as a command has it, or --system as its second name, --set and --chips.
Options<MachineChoice> machine_options(OptionSpec hardware);
/// What the options set and how many chips they ask for. A value is JSON, or else a text. Throws
/// InputError of one that is no KEY=VALUE, or sets a key that another one sets otherwise.
MachineChanges changes_of(const MachineChoice& choice);

/// Reads a machine: a file of waferloom/machine/1, a hardware file, a system file, or an overlay
/// {"base", "set", "why", "source"} of any of these, or of another overlay. Throws InputError with
/// source:line:column: of a change that does not fit, the change's own.
Machine read_machine(const MachineText& file, const MachineChanges& changes = {});

/// The file that says the same without a base: overlays are set. Of hashed_text's form, so it can
/// be hashed. Throws as read_machine.
std::string whole_machine_text(const MachineText& file, const MachineChanges& changes = {});

/// The whole file of a machine, every key of its fabric named, and its chips where they do not
/// follow from the fabric: read_machine gives the same machine back. Ports that are alike and
/// evenly apart are one entry.
std::string machine_text(const Machine& machine);

/// The JSON Schema (draft 7) of machine files.
std::string machine_schema();

/// Machines that are part of the program: presets/NAME.json.
std::vector<std::string_view> machine_preset_names();
/// Those of them that are meshes of tiles.
std::vector<std::string_view> mesh_preset_names();
/// The text of one; nothing if there is none of that name, in any case, with or without - and _.
std::optional<std::string_view> machine_preset(std::string_view name);
/// A preset, read. Nothing if there is none of that name.
std::optional<Machine> preset_machine(std::string_view name);

}  // namespace waferloom
