#pragma once

#include <string>

namespace waferloom::planner {

/// Bytes as messages say them, in full: "14,084,104,192", "1,700.5", "unlimited" where they are
/// infinite. Two numbers never read the same.
std::string whole_bytes_text(double bytes);

}  // namespace waferloom::planner
