// Any bytes are a case or an InputError with printable text; a case that was read is written and
// read again without change.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/input_error.h"
#include "model/kernel_graph.h"
#include "model/kgraph_reader.h"

namespace {

void demand(bool condition) {
  if (!condition) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const waferloom::Problem problem = waferloom::read_kgraph(text, "fuzz");
    const std::string written = waferloom::write_kgraph(problem);
    demand(waferloom::write_kgraph(waferloom::read_kgraph(written, "written")) == written);
    demand(waferloom::topological_order(problem).empty() != waferloom::find_cycle(problem).empty());
  } catch (const waferloom::InputError& error) {
    demand(error.source() == "fuzz");
    for (const char c : std::string_view(error.what())) demand(c == '\n' || (c >= ' ' && c <= '~'));
  }
  return 0;
}
