#include <algorithm>
#include <string>
#include <vector>

#include "cli/commands/program.h"
#include "cli/console/interrupt.h"

int main(int argc, char** argv) {
  using namespace waferloom;
  const optimize::Clock::time_point start = optimize::Clock::now();
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  cli::install_signal_handlers();
  return cli::run_program({start, words});
}
