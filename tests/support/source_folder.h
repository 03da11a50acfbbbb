#pragma once

#include <filesystem>
#include <string>

namespace waferloom::test {

/// The top of the project's source tree.
std::filesystem::path source_folder();
/// The text of a schema that ships with the program: "plan.schema.json".
std::string schema_file(const std::string& name);
/// Whether a schema that was made is the committed one: "plan". With WAFERLOOM_UPDATE_SCHEMAS=1 in
/// the environment it is written there first.
bool is_committed_schema(const std::string& name, const std::string& made);

}  // namespace waferloom::test
