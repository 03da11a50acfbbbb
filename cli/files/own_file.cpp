#include "cli/files/own_file.h"

#include <fstream>
#include <sstream>

namespace waferloom::cli {

std::string own_file_text(const std::string& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  return text.str();
}

}  // namespace waferloom::cli
