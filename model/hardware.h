#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/tile_cycles.h"
#include "model/decimal.h"
#include "model/wafer.h"

namespace waferloom {

/// Bytes a second; nothing where there is no limit.
using Rate = std::optional<std::int64_t>;

/// Ways of a link out of a tile; north is towards greater y.
enum class Direction : std::uint8_t { east, west, north, south };
inline constexpr std::array<const char*, 4> kDirectionNames{"east", "west", "north", "south"};

/// How tiles are joined.
enum class Topology : std::uint8_t {
  mesh,  ///< each with its neighbours
  /// By switches that are never short themselves: the tiles of a row, a node, by the node's; all by
  /// a network between the nodes.
  switched,
};
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

/// A port on the wafer's edge, to memory or to the host, at the tile `position` of a side (counted
/// from x = 0 or y = 0). The port serves one transfer after another at its rate; response_ps passes
/// once a transfer.
struct EdgePort {
  Direction side = Direction::west;
  std::int64_t position = 0;
  Rate bytes_per_s;
  std::int64_t response_ps = 0;
  std::optional<std::int64_t> capacity_bytes;  ///< of the memory behind it
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

/// Which border tiles of a rectangle the lanes of planned routes may leave and reach.
enum class LaneSides : std::uint8_t {
  facing,  ///< those of the side that faces the other end
  any,     ///< all: what a kernel that can be turned and mirrored might allow
};

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

/// What stands behind the wafer's edge where a network's inputs come from and its outputs go to.
enum class EdgeIo : std::uint8_t { host, dram };

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
/// How far a model is from what was measured on this machine, by an algorithm or, if that is empty,
/// by any; null where nothing was.
const MeasuredBacking* find_backing(const Hardware& hardware, std::string_view what,
                                    std::string_view algorithm, std::string_view data_type);

/// A wafer's fabric: what a simulation knows of the machine. The keys of hardware files
/// (docs/formats.md) are these members' names.
struct Hardware {
  std::string name = "unnamed";
  Wafer wafer;
  Topology topology = Topology::mesh;
  std::vector<DeadLink> dead_links{};
  /// Tiles of a group; links between two groups are `group_link`, the others `link`. On switched
  /// hardware a group is a node, and a tile's links to and from the network are `group_link`.
  std::int64_t group_columns = kMaxWaferSide;
  std::int64_t group_rows = kMaxWaferSide;
  LinkClass link{};
  LinkClass group_link{};                ///< as `link` where a file does not say
  std::int64_t endpoint_latency_ps = 0;  ///< once a transfer, besides its hops
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
  std::optional<std::int64_t> price_usd{};
  std::optional<std::int64_t> power_w{};
  RouterSpec router{};
  RoutingSpec routing{};
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

}  // namespace waferloom
