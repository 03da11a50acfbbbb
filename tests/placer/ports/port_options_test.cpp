#include "placer/ports/port_options.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "tests/placer/placer_cases.h"

namespace waferloom::placer {
namespace {

void for_each_execution(const Kernel& kernel, const std::function<void(const Execution&)>& visit) {
  Execution execution;
  const std::function<void(std::size_t)> features = [&](std::size_t i) {
    if (i == convolution_total(kernel)) return visit(execution);
    for (execution.c[i] = 1; execution.c[i] <= kernel.convolutions[i].in4 / 4; ++execution.c[i]) {
      for (execution.k[i] = 1; execution.k[i] <= kernel.convolutions[i].out4 / 4;
           ++execution.k[i]) {
        features(i + 1);
      }
    }
    execution.c[i] = execution.k[i] = 0;
  };
  for (execution.h = 1; execution.h <= kernel.height; ++execution.h) {
    for (execution.w = 1; execution.w <= kernel.width; ++execution.w) features(0);
  }
}

std::int64_t class_of(const std::vector<std::int64_t>& beginnings, std::int64_t cut) {
  return *std::prev(std::upper_bound(beginnings.begin(), beginnings.end(), cut));
}

TEST_CASE("no execution is cheaper than the outline that stands for it") {
  test::Draw draw(11);
  for (int round = 0; round < 12; ++round) {
    ProblemData data = test::random_case(draw, 2, Wafer{24, 20});
    data.kernels[0].kernel = make_kernel(ConvFormal{draw.between(1, 5), draw.between(1, 5), 2, 2,
                                                    draw.between(1, 7), draw.between(1, 7), 1, 1});
    data.kernels[1].kernel =
        round % 2 == 0 ? make_kernel(DblockFormal{draw.between(1, 3), draw.between(1, 3), 4})
                       : make_kernel(CblockFormal{draw.between(2, 3), draw.between(2, 3), 4});
    data.memory_limit = draw.between(0, 1) == 0 ? 40 : 1000;
    const Problem problem(data);
    const ShapeLibrary library(problem);
    const PortClasses classes(library);
    const std::int64_t time = draw.between(1, 60) * problem.time_denominator();
    for (std::size_t type = 0; type < library.type_count(); ++type) {
      const Kernel& kernel = library.type(type);
      const SeenPorts seen{draw.between(0, 1) == 1, draw.between(0, 1) == 1,
                           draw.between(0, 1) == 1};
      PortLimits limits;
      limits.by_length = draw.between(0, 1) == 1;
      const PortOptions outlines = classes.options(type, time, seen, PortRule::outlines, limits);
      std::int64_t seen_executions = 0;
      for_each_execution(kernel, [&](const Execution& execution) {
        const Extent size = extent(kernel, execution);
        const std::int64_t thin = std::min(size.width, size.height);
        const std::int64_t length = std::max(size.width, size.height);
        if (length > 24 || thin > 20) return;
        if (memory_words(kernel, execution) > data.memory_limit) return;
        if (compute_time(kernel, execution, problem.time_denominator()) > time) return;
        ++seen_executions;
        const Signature full = signature(kernel, execution);
        Port port;
        if (seen.input || seen.output) {
          port.ports.h = class_of(classes.heights(), full.h);
          port.ports.w = class_of(classes.widths(), full.w);
        }
        if (seen.input) port.ports.c_in = class_of(classes.channels(), full.c_in);
        if (seen.output) port.ports.c_out = class_of(classes.channels(), full.c_out);
        port.odd_length = seen.parity && length % 2 != 0;
        const bool covered = std::any_of(
            outlines.options.begin(), outlines.options.end(), [&](const PortOption& option) {
              return outlines.ports[option.port] == port && option.thin <= thin &&
                     option.area() <= thin * length &&
                     (!limits.by_length || option.length <= length);
            });
        CHECK(covered);
      });
      CHECK((seen_executions > 0 || outlines.options.empty() || data.memory_limit == 40));
    }
  }
}

TEST_CASE("options that exist are legal executions with the sides and ports they claim") {
  test::Draw draw(3);
  for (int round = 0; round < 20; ++round) {
    ProblemData data = test::random_case(draw, 3, Wafer{30, 22});
    data.memory_limit = draw.between(30, 300);
    const Problem problem(data);
    const ShapeLibrary library(problem);
    const PortClasses classes(library);
    const std::int64_t time = draw.between(1, 60) * problem.time_denominator();
    for (std::size_t type = 0; type < library.type_count(); ++type) {
      const Kernel& kernel = library.type(type);
      const PortOptions list =
          classes.options(type, time, SeenPorts{true, true, true}, PortRule::executions);
      for (const PortOption& option : list.options) {
        const auto execution = classes.execution(type, time, option);
        REQUIRE(execution.has_value());
        CHECK(within_limits(kernel, *execution));
        CHECK(compute_time(kernel, *execution, problem.time_denominator()) <= time);
        CHECK(memory_words(kernel, *execution) <= data.memory_limit);
        const Extent size = extent(kernel, *execution);
        CHECK(std::min(size.width, size.height) == option.thin);
        CHECK(std::max(size.width, size.height) == option.length);
        CHECK(signature(kernel, *execution) == list.ports[option.port].ports);
        CHECK((option.length % 2 != 0) == list.ports[option.port].odd_length);
      }
    }
  }
}

}  // namespace
}  // namespace waferloom::placer
