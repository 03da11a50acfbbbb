// Any bytes are a solution or an InputError with printable text; a solution that was read is
// written and read again without change.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/input_error.h"
#include "model/solution_io.h"

namespace {

void demand(bool condition) {
  if (!condition) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const std::string written = waferloom::write_solution(waferloom::read_solution(text, "fuzz"));
    demand(waferloom::write_solution(waferloom::read_solution(written, "written")) == written);
  } catch (const waferloom::InputError& error) {
    demand(error.source() == "fuzz");
    for (const char c : std::string_view(error.what())) demand(c == '\n' || (c >= ' ' && c <= '~'));
  }
  return 0;
}
