#pragma once

#include <functional>
#include <string>

namespace waferloom::cluster {

/// The program that works on a run.
struct RunReader {
  std::string program;  ///< its version
  /// Gives the bytes of a file that counts as an input of the program. Throws InputError.
  std::function<std::string(const std::string& path)> read;
};

}  // namespace waferloom::cluster
