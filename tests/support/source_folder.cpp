#include "tests/support/source_folder.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace waferloom::test {

std::filesystem::path source_folder() { return WAFERLOOM_SOURCE_DIR; }

std::string schema_file(const std::string& name) {
  std::ifstream file(source_folder() / "model/schemas" / name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool is_committed_schema(const std::string& name, const std::string& made) {
  const std::string file = name + ".schema.json";
  if (std::getenv("WAFERLOOM_UPDATE_SCHEMAS") != nullptr) {
    std::ofstream(source_folder() / "model/schemas" / file) << made;
  }
  return schema_file(file) == made;
}

}  // namespace waferloom::test
