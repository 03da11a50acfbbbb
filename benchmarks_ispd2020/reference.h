#pragma once

#include <cstdint>
#include <string>

namespace waferloom::ispd2020 {

/// The best total of a contest case known to us before this project, under its adapter rule (block:
/// c1 at its input, c3 at its output): twice the total, exact. It shows what is left to gain; the
/// yardstick are the published results. Throws std::logic_error for a name that is not there.
std::int64_t half_reference_total(const std::string& name);

}  // namespace waferloom::ispd2020
