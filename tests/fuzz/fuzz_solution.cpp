// Any bytes are a solution or an InputError with printable text; a solution that was read is
// written and read again without change.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/placement.h"
#include "tests/fuzz/demand.h"

using waferloom::fuzz::demand;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  waferloom::fuzz::try_to([&] {
    const std::string written = waferloom::write_solution(waferloom::read_solution(text, "fuzz"));
    demand(waferloom::write_solution(waferloom::read_solution(written, "written")) == written);
  });
  return 0;
}
