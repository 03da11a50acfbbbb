#pragma once

#include <string>
#include <vector>

#include "model/hardware.h"
#include "sweep/space.h"

namespace waferloom::cluster {

/// The text of a machine's file with keys in place of its own, "link.bytes_per_s", and without a
/// base. Throws InputError, with the place of the key in `source`, for a key or a value that no
/// machine takes.
std::string machine_with_keys(const MachineText& file,
                              const std::vector<sweep::Override>& overrides,
                              const std::string& source, const FindBase& find_base);

}  // namespace waferloom::cluster
