#include <doctest/doctest.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "optimize/optimize.h"
#include "tests/optimize/cases/slow_case.h"

namespace waferloom::optimize {
namespace {

TEST_CASE("progress tells placement and round, and from the second on how long it still takes") {
  SlowCase slow;
  std::mutex mutex;
  std::vector<std::string> names;
  slow.control.on_progress = [&](const ProgressNote& note) {
    const std::lock_guard<std::mutex> lock(mutex);
    names.push_back(note.name);
  };
  const OptimizedCase found = optimize_case(slow.problem, slow.hardware, {}, {}, slow.control);
  CHECK(found.result.rounds >= 1);
  const auto count = [&](const std::string& text) {
    return std::count_if(names.begin(), names.end(), [&](const std::string& name) {
      return name.find(text) != std::string::npos;
    });
  };
  CHECK(count(", 1 of ") > 0);
  CHECK(count(" in round 1 of at most 4") > 1);
  CHECK(count(", 2 of ") > 0);
  CHECK(count(" s to go in it") > 0);
  CHECK(count(" s to go in it") < count(" in round "));  // not of a round's first
}

/// Four layers and a skip, with tensors of 4,096 words and 100 words a tile: the kernels leave no
/// room for samples on their edges.
constexpr const char* kTight = R"((*
test=tight
width=40
height=30
wdeltat=1
wlength=2
wadapter=0
memlimit=100
*)
input[0] n=[8 8 4] name='k0'
conv[1] W=8 H=8 R=3 S=3 C=4 K=8 T=1 U=1 name='k1'
conv[2] W=8 H=8 R=3 S=3 C=8 K=8 T=1 U=1 name='k2'
conv[3] W=8 H=8 R=3 S=3 C=8 K=8 T=1 U=1 name='k3'
conv[4] W=8 H=8 R=1 S=1 C=8 K=4 T=1 U=1 name='k4'
output[5] n=[8 8 4] name='k5'
input[0]:y -> conv[1]:x, shape:[8][8][4]
conv[1]:y -> conv[2]:x, shape:[8][8][64]
conv[2]:y -> conv[3]:x, shape:[8][8][64]
conv[3]:y -> conv[4]:x, shape:[8][8][64]
conv[1]:y -> conv[4]:x, shape:[8][8][64]
conv[4]:y -> output[5]:x, shape:[8][8][4]
)";

struct TightCase : SlowCase {
  TightCase() {
    problem = read_kgraph(kTight, "tight.kgraph");
    hardware = read_hardware(R"({"columns": 40, "rows": 30, "sram_bytes_per_tile": 200,
                                 "host_ports": [{"side": "west", "position": 3},
                                                {"side": "east", "position": 9}]})",
                             "tight.json");
    simulation.routing = Routing::planned;
  }
  OptimizedCase found() const { return optimize_case(problem, hardware, {}, simulation, control); }
};

bool has_buffers(const OptimizeResult& result) {
  return std::any_of(result.trials.begin(), result.trials.end(),
                     [](const Trial& trial) { return trial.buffers > Decimal6{0}; });
}

TEST_CASE("where memory leaves no room for samples, the fastest placement was given some") {
  TightCase tight;
  tight.control.threads = 1;
  const OptimizedCase found = tight.found();
  const Trial& best = found.result.trials[found.result.best];
  CHECK(best.buffers > Decimal6{0});
  CHECK(best.measured->metrics.samples_per_s >
        1.1 * found.result.trials[0].measured->metrics.samples_per_s);
  CHECK(found.result.trials[0].buffers == Decimal6{0});
  CHECK(has_buffer_room(with_buffers(tight.problem, {best.buffers, 100}), found.placement));
  tight.control.threads = 2;
  CHECK(tight.found().placement == found.placement);
}

TEST_CASE("room is asked for where the memory of tiles decides what edges hold, and only there") {
  TightCase tight;
  CHECK(has_buffers(tight.found().result));
  TightCase unknown;
  unknown.hardware.sram_bytes_per_tile.reset();
  CHECK_FALSE(has_buffers(unknown.found().result));
  TightCase told;
  told.hardware.buffer_samples = 2;
  CHECK_FALSE(has_buffers(told.found().result));
  TightCase ruled;
  ruled.simulation.routing = Routing::xy;
  CHECK_FALSE(has_buffers(ruled.found().result));
  TightCase ample;
  ample.hardware.sram_bytes_per_tile = 100'000;
  CHECK_FALSE(has_buffers(ample.found().result));
}

}  // namespace
}  // namespace waferloom::optimize
