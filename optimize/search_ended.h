#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace waferloom::optimize {

/// Why a search has nothing to show.
enum class EndReason : std::uint8_t {
  infeasible,   ///< nothing legal, or nothing that fits, was found
  time_limit,   ///< the time limit passed first
  interrupted,  ///< the stop flag was raised first
};

/// A search ended without a result; what() is a sentence for the user.
class SearchEnded : public std::runtime_error {
 public:
  SearchEnded(EndReason reason, const std::string& message)
      : std::runtime_error(message), reason_(reason) {}
  EndReason reason() const { return reason_; }

 private:
  EndReason reason_;
};

}  // namespace waferloom::optimize
