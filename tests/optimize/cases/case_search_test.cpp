#include <doctest/doctest.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "model/problem_reader.h"
#include "optimize/optimize.h"

namespace waferloom::optimize {
namespace {

constexpr const char* kThreeLayers = R"((*
test=small
width=40
height=30
wdeltat=1
wlength=2
wadapter=3
memlimit=24576
*)
input[0] n=[8 8 4] name='k0'
conv[1] W=8 H=8 R=3 S=3 C=4 K=8 T=1 U=1 name='k1'
conv[2] W=8 H=8 R=3 S=3 C=8 K=8 T=1 U=1 name='k2'
output[3] n=[8 8 8] name='k3'
input[0]:y -> conv[1]:x, shape:[8][8][4]
conv[1]:y -> conv[2]:x, shape:[8][8][8]
conv[2]:y -> output[3]:x, shape:[8][8][8]
)";

TEST_CASE("progress tells placement and round, and from the second on how long it still takes") {
  const Problem problem = read_kgraph(kThreeLayers, "small.kgraph");
  Hardware hardware;
  hardware.wafer = problem.wafer();
  hardware.link.bytes_per_s = 1'000'000'000;  // they hold the case up, so that it is searched
  hardware.group_link = hardware.link;
  hardware.host_ports = {{Direction::west, 0, {}, 0, {}}, {Direction::east, 0, {}, 0, {}}};
  std::mutex mutex;
  std::vector<std::string> names;
  RunControl control;
  control.effort = 1;
  control.effort_given = true;
  control.on_progress = [&](const std::string&, const std::string& name) {
    const std::lock_guard<std::mutex> lock(mutex);
    names.push_back(name);
  };
  const OptimizedCase found = optimize_case(problem, hardware, {}, {}, control);
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

}  // namespace
}  // namespace waferloom::optimize
