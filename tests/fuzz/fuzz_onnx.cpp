// Any bytes are an ONNX model that becomes a case, or an InputError with printable text. What of a
// model is not known is left out, so that all of it is read.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "interchange/onnx.h"
#include "model/workload.h"
#include "tests/fuzz/demand.h"

using waferloom::fuzz::demand;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  waferloom::fuzz::try_to([&] {
    const auto made =
        waferloom::interchange::import_onnx_case(bytes, "fuzz", {.skip_unsupported = true});
    const std::string written = waferloom::write_kgraph(made.problem);
    demand(waferloom::write_kgraph(waferloom::read_kgraph(written, "written")) == written);
    demand(!waferloom::topological_order(made.problem).empty());
  });
  waferloom::fuzz::try_to([&] {
    const auto made =
        waferloom::interchange::import_onnx_network(bytes, "fuzz", {.skip_unsupported = true});
    demand(!waferloom::network_text(made.file).empty());
  });
  return 0;
}
