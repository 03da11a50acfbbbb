#include "cluster/own_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cluster/folder/process_name.h"
#include "cluster/output_file.h"

namespace waferloom::cluster {

std::string own_file_text(const std::string& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  return text.str();
}

void write_once(const std::string& path, std::string_view bytes) {
  const std::filesystem::path target(path);
  const std::string mine =
      (target.parent_path() / ("." + target.filename().string() + "." + own_process_name()))
          .string();
  OutputFile(mine).write(bytes);
  const int error = link(mine.c_str(), path.c_str()) == 0 ? 0 : errno;
  unlink(mine.c_str());
  if (error != 0 && error != EEXIST) fail_to_write(path, std::strerror(error));
}

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) fail_to_write(path, error.message());
}

}  // namespace waferloom::cluster
