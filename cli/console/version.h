#pragma once

#include <string>

namespace waferloom::cli {

/// "0.1.0".
std::string program_version();

/// The text of --version: the program's and its libraries' versions, one a line.
std::string version_text();

}  // namespace waferloom::cli
