#pragma once

#include <string>
#include <vector>

#include "sweep/space.h"

namespace waferloom::cluster {

/// The text of a hardware file with keys in place of its own, "link.bytes_per_s". `text` is without
/// fault. Throws InputError, with the place of the key in `source`, for a key or a value that the
/// reader of hardware does not take.
std::string hardware_with_keys(const std::string& text,
                               const std::vector<sweep::Override>& overrides,
                               const std::string& source);

}  // namespace waferloom::cluster
