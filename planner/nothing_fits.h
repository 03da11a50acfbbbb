#pragma once

#include <stdexcept>
#include <string>

namespace waferloom::planner {

/// Thrown where what is asked for is well said, and the machine has no room for it. what() names
/// the memory and its bytes.
class NothingFits : public std::runtime_error {
 public:
  explicit NothingFits(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace waferloom::planner
