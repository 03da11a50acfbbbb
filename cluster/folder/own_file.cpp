#include "cluster/folder/own_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "cluster/folder/process_name.h"
#include "cluster/output_file.h"

namespace waferloom::cluster {

std::string own_file_text(const std::string& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  return text.str();
}

std::string temporary_name(const std::string& path) {
  const std::filesystem::path target(path);
  const std::string name = target.filename().string();
  return (target.parent_path() / ("." + name.substr(0, name.find('.')) + "." + own_process_name()))
      .string();
}

void write_plainly(const std::string& path, std::string_view bytes) {
  make_folder(std::filesystem::path(path).parent_path().string());
  const int number = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (number < 0) fail_to_write({path, std::strerror(errno)});
  try {
    write_to(number, bytes, path);
  } catch (...) {
    close(number);
    throw;
  }
  if (close(number) != 0) fail_to_write({path, std::strerror(errno)});
}

void make_lasting(const std::string& path) {
  const int number = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (number < 0) return;
  fsync(number);
  close(number);
}

void write_once(const std::string& path, std::string_view bytes) {
  const std::string mine = temporary_name(path);
  OutputFile(mine).write(bytes);
  const int error = link(mine.c_str(), path.c_str()) == 0 ? 0 : errno;
  unlink(mine.c_str());
  if (error != 0 && error != EEXIST) fail_to_write({path, std::strerror(error)});
}

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) fail_to_write({path, error.message()});
}

}  // namespace waferloom::cluster
