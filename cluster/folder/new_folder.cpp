#include <stdlib.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cluster/output_file.h"

namespace waferloom::cluster {

namespace fs = std::filesystem;

NewFolder::NewFolder(std::string target) : target_(std::move(target)) {
  const fs::path parent = fs::path(target_).parent_path();
  path_ = (parent.empty() ? std::string(".") : parent.string()) + "/.waferloom.XXXXXX";
  if (mkdtemp(path_.data()) == nullptr) fail_to_write({target_, std::strerror(errno)});
}

NewFolder::~NewFolder() {
  std::error_code ignored;
  if (!renamed_) fs::remove_all(path_, ignored);
}

void NewFolder::rename_to_target() {
  const mode_t mask = umask(0);
  umask(mask);
  if (chmod(path_.c_str(), 0777 & ~mask) != 0 || rename(path_.c_str(), target_.c_str()) != 0) {
    fail_to_write({target_, std::strerror(errno)});
  }
  renamed_ = true;
}

}  // namespace waferloom::cluster
