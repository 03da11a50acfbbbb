#include "cli/files/own_file.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/files/output_file.h"

namespace waferloom::cli {

std::string own_file_text(const std::string& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  return text.str();
}

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) fail_to_write(path, error.message());
}

}  // namespace waferloom::cli
