#include "cli/console/warnings.h"

#include <cstdio>

#include "cli/console/progress.h"

namespace waferloom::cli {

void Warnings::add(const std::string& text) {
  texts_.push_back(text);
  if (options_.quiet) return;
  const bool colour = colour_on_stderr();
  std::fprintf(stderr, "waferloom: %swarning:%s %s\n", colour ? "\033[1;33m" : "",
               colour ? "\033[0m" : "", text.c_str());
}

}  // namespace waferloom::cli
