// Any bytes are a case or an InputError with printable text; a case that was read is written and
// read again without change.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/problem.h"
#include "tests/fuzz/demand.h"

using waferloom::fuzz::demand;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  waferloom::fuzz::try_to([&] {
    const waferloom::Problem problem = waferloom::read_kgraph(text, "fuzz");
    const std::string written = waferloom::write_kgraph(problem);
    demand(waferloom::write_kgraph(waferloom::read_kgraph(written, "written")) == written);
    demand(waferloom::topological_order(problem).empty() != waferloom::find_cycle(problem).empty());
  });
  return 0;
}
