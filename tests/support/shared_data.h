#pragma once

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

#include "tests/support/source_folder.h"

namespace waferloom::test {

/// Folder of the reference data: $WAFERLOOM_SHARED, else ../shared beside the project.
inline std::filesystem::path shared_folder() {
  if (const char* named = std::getenv("WAFERLOOM_SHARED")) return named;
  return source_folder() / ".." / "shared";
}

/// True if `relative` exists in the reference data; otherwise says on stdout, by name, that the
/// test case is skipped (CTest counts it so) and answers false. Only for test cases whose name
/// holds "[shared]".
inline bool have_shared(const std::string& test_name, const std::filesystem::path& relative) {
  if (std::filesystem::exists(shared_folder() / relative)) return true;
  std::cout << "SKIPPED " << test_name << ": " << relative.string()
            << " is not beside the project\n";
  return false;
}

}  // namespace waferloom::test
