#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace waferloom {

// What the planner knows of a machine: chips, the memories behind each, and the network among them.
// Bytes, seconds, bytes/s and FLOP/s everywhere; a product and a sum are one FLOP each. The wafer
// of a simulation is `Hardware` (model/hardware.h).

/// Part of the peak rate that kernels reach on `samples` samples at once: a · ub / (b + ub), at
/// least `floor` (AMPeD, section IV-A). With half = 0 it is `limit` whatever the samples.
struct Efficiency {
  double limit = 1;  ///< a
  double half = 0;   ///< b: samples that reach half of `limit`
  double floor = 0;
  double at(double samples) const;
  bool operator==(const Efficiency&) const = default;
};

struct Chip {
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
  double price_usd = 0;
  double power_w = 0;
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

/// "ring 8", "ring 4 x ring 2", "one chip".
std::string network_text(const System& system);

}  // namespace waferloom
