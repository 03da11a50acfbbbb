#include <algorithm>
#include <string>

#include "model/plan.h"

namespace waferloom {

std::optional<Bottleneck> streaming_bottleneck(const StreamingStep& step, double clock_hz) {
  double cycles = 0;
  double fixed = 0;
  double words = 0;
  for (const StreamingStep::Part& part : step.parts) {
    const auto repeat = static_cast<double>(step.micro_batches * part.repeat);
    cycles += repeat * static_cast<double>(part.forward_cycles + part.backward_cycles);
    fixed += repeat * part.fixed_s;
    // Gradients leave while weights come in.
    words +=
        repeat * (part.weight_words + std::max(part.backward_weight_words, part.gradient_words));
  }
  const double computed = cycles / clock_hz - fixed;
  const double ports = words / step.port_words_per_cycle / clock_hz;
  const double links = words * step.word_cycles / step.lines / clock_hz;
  const std::string of = "a batch";
  if (!step.weights_wait) {
    return bottleneck_of({{"compute", "tiles", computed},
                          {"io", "host ports", ports},
                          {"link", "links that weights stream over", links}},
                         of);
  }
  // Words come over links while they come through ports.
  const NamedBound stream = ports >= links
                                ? NamedBound{"io", "host ports", ports}
                                : NamedBound{"link", "links that weights stream over", links};
  return longest_part_of(
      {{"compute", "tiles", computed}, {"program", "fixed time of layers", fixed}, stream}, of);
}

}  // namespace waferloom
