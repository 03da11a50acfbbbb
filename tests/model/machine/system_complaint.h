#pragma once

#include <string>

#include "model/hardware.h"
#include "tests/support/complaint.h"

namespace waferloom {

/// What read_system says of a text; empty if it accepts it.
inline std::string system_complaint(const std::string& text) {
  return test::complaint_of([&] { read_system(text, "s.json"); });
}

}  // namespace waferloom
