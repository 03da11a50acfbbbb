#pragma once

#include <filesystem>
#include <string>

namespace waferloom::test {

/// The top of the project's source tree.
std::filesystem::path source_folder();
/// The text of a schema that ships with the program: "plan.schema.json".
std::string schema_file(const std::string& name);

}  // namespace waferloom::test
