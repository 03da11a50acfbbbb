#include "tests/support/source_folder.h"

namespace waferloom::test {

std::filesystem::path source_folder() { return WAFERLOOM_SOURCE_DIR; }

}  // namespace waferloom::test
