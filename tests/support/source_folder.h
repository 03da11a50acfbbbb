#pragma once

#include <filesystem>
#include <string>

namespace waferloom::test {

/// The top of the project's source tree.
std::filesystem::path source_folder();

}  // namespace waferloom::test
