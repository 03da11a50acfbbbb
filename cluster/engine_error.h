#pragma once

#include <stdexcept>
#include <string>

namespace waferloom::cluster {

/// An engine, or a program that it consists of, cannot be run or refuses. what() says which and
/// why.
class EngineError : public std::runtime_error {
 public:
  explicit EngineError(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace waferloom::cluster
