#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/describe.h"
#include "model/hardware.h"

// A machine of chips as a fabric: a tile a chip; what joins them are switches, or the links of a
// torus or a mesh. Private to model/.

namespace waferloom {

template <>
const TypeRows& rows_of<System>();
template <>
const TypeRows& rows_of<Machine>();

/// What of these chips no simulation knows; empty if they have a fabric.
std::string why_no_fabric(const System& chips);
/// The topology of it. Throws std::logic_error where there is none.
Topology fabric_topology(const System& chips);
/// Columns and rows of it: chips of a node, nodes.
std::pair<std::int64_t, std::int64_t> fabric_sides(const System& chips);
/// Keys of a hardware file that the chips say, so that a file of them may not.
std::vector<std::string_view> fabric_keys_of_chips();
/// Sets these of a fabric that has the others.
void set_fabric_figures(const System& chips, Hardware& fabric);
/// The peak of a chip's matrix units of the type of matrix_bits; 0 where no type of so many bits is
/// told.
double peak_of_bits(const Chip& chip);

}  // namespace waferloom
