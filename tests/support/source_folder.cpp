#include "tests/support/source_folder.h"

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

}  // namespace waferloom::test
