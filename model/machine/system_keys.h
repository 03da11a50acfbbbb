#pragma once

#include <string_view>
#include <variant>

#include "model/hardware.h"

namespace waferloom {

/// One number of a system file. The tables drive its reader and are held against its schema.
/// Private to model/.
template <typename Owner>
struct SystemKey {
  std::string_view name;  ///< ends in the unit, where it has one
  std::string_view meaning;
  double least;
  double most;
  std::variant<double Owner::*, std::int64_t Owner::*> member;
  bool required = false;
};

inline constexpr double kMaxFigure = 1e24;

inline constexpr SystemKey<Chip> kChipKeys[] = {
    {"flop_per_s", "peak of matrix products, a product and a sum one FLOP each", 1, kMaxFigure,
     &Chip::flop_per_s, true},
    {"element_flop_per_s", "peak of everything else; 0: as flop_per_s", 0, kMaxFigure,
     &Chip::element_flop_per_s},
    {"sram_bytes", "on a chip", 0, kMaxFigure, &Chip::sram_bytes},
    {"sram_bytes_per_s", "of a chip; 0: never what bounds a kernel", 0, kMaxFigure,
     &Chip::sram_bytes_per_s},
    {"clock_hz", "0: not known", 0, 1e15, &Chip::clock_hz},
    {"cores", "of a chip; 0: not known", 0, 1e9, &Chip::cores},
    {"systolic_width", "rows of the output that a core's array works on at once", 0, 1e6,
     &Chip::systolic_width},
    {"systolic_height", "columns of the output that it works on at once", 0, 1e6,
     &Chip::systolic_height},
    {"matrix_bits", "of an operand of the units for matrix products", 1, 1024, &Chip::matrix_bits},
    {"element_bits", "of an operand of the other units", 1, 1024, &Chip::element_bits},
    {"price_usd", "of a chip", 0, kMaxFigure, &Chip::price_usd},
    {"power_w", "of a chip", 0, kMaxFigure, &Chip::power_w},
};

inline constexpr SystemKey<Efficiency> kEfficiencyKeys[] = {
    {"limit", "a of a ub / (b + ub), the achieved part of the peak rate", 1e-6, 1,
     &Efficiency::limit},
    {"half", "b of it, samples; 0: the same for all", 0, kMaxFigure, &Efficiency::half},
    {"floor", "the least achieved part", 0, 1, &Efficiency::floor},
};

inline constexpr SystemKey<MemoryLevel> kMemoryKeys[] = {
    {"bytes", "for each chip", 0, kMaxFigure, &MemoryLevel::bytes, true},
    {"bytes_per_s", "for each chip", 1, kMaxFigure, &MemoryLevel::bytes_per_s, true},
    {"latency_s", "of a transfer", 0, 1e6, &MemoryLevel::latency_s},
    {"price_usd", "for each chip", 0, kMaxFigure, &MemoryLevel::price_usd},
    {"power_w", "for each chip", 0, kMaxFigure, &MemoryLevel::power_w},
};

inline constexpr SystemKey<NetworkDimension> kDimensionKeys[] = {
    {"size", "chips along the dimension", 1, 1e7, &NetworkDimension::size, true},
    {"link_bytes_per_s", "of a link in one direction", 1, kMaxFigure,
     &NetworkDimension::link_bytes_per_s, true},
    {"latency_s", "of a step between two chips", 0, 1e6, &NetworkDimension::latency_s},
    {"price_usd", "of a link", 0, kMaxFigure, &NetworkDimension::price_usd},
    {"power_w", "of a link", 0, kMaxFigure, &NetworkDimension::power_w},
};

inline constexpr SystemKey<Host> kHostKeys[] = {
    {"link_bytes_per_s", "from the host to one chip; 0: loading takes no time", 0, kMaxFigure,
     &Host::link_bytes_per_s},
    {"preprocess_bytes_per_s", "samples made ready for one chip; 0: takes no time", 0, kMaxFigure,
     &Host::preprocess_bytes_per_s},
    {"cpu_flop_per_s", "peak of the host, for measured times of another one; 0: not known", 0,
     kMaxFigure, &Host::cpu_flop_per_s},
    {"server_bytes_per_s", "between one chip and a server of parameters; 0: not known", 0,
     kMaxFigure, &Host::server_bytes_per_s},
};

/// A stage that may go on beside the others.
struct OverlapKey {
  std::string_view name;
  std::string_view meaning;
  bool Overlap::*member;
};

inline constexpr OverlapKey kOverlapKeys[] = {
    {"load", "samples come while the chip computes", &Overlap::load},
    {"preprocess", "samples are made ready while the chip computes", &Overlap::preprocess},
    {"communication", "gradients travel while the chip computes", &Overlap::communication},
};

inline constexpr std::size_t kMaxMemories = 8;
inline constexpr std::size_t kMaxDimensions = 8;

}  // namespace waferloom
