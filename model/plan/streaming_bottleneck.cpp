#include <algorithm>

#include "model/plan.h"

namespace waferloom {

std::optional<Bottleneck> streaming_bottleneck(const StreamingStep& step, double clock_hz) {
  double cycles = 0;
  double words = 0;
  for (const StreamingStep::Part& part : step.parts) {
    const auto repeat = static_cast<double>(part.repeat);
    cycles += repeat * static_cast<double>(part.forward_cycles + part.backward_cycles);
    // Gradients leave while weights come in.
    words +=
        repeat * (part.weight_words + std::max(part.backward_weight_words, part.gradient_words));
  }
  return bottleneck_of({{"compute", "tiles", cycles / clock_hz},
                        {"io", "host ports", words / step.port_words_per_cycle / clock_hz},
                        {"link", "links that weights stream over",
                         words * step.word_cycles / step.lines / clock_hz}},
                       "a batch");
}

}  // namespace waferloom
