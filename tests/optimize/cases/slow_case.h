#pragma once

#include "model/problem.h"
#include "optimize/case_islands.h"

namespace waferloom::optimize {

inline constexpr const char* kTwoLayers = R"((*
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

/// A case whose links hold it up, so that it is searched.
struct SlowCase {
  Problem problem = read_kgraph(kTwoLayers, "small.kgraph");
  Hardware hardware;
  CaseSearchOptions options{"small.kgraph", "auto", 1};
  sim::SimulateOptions simulation{};
  SearchControl control;

  SlowCase() {
    hardware.wafer = problem.wafer();
    hardware.link.bytes_per_s = 1'000'000'000;
    hardware.group_link = hardware.link;
    hardware.host_ports = {{Direction::west, 0, {}, 0, {}}, {Direction::east, 0, {}, 0, {}}};
    control.effort = 1;
    control.effort_given = true;
  }
  CaseJob job() const { return {problem, hardware, options, simulation}; }
};

}  // namespace waferloom::optimize
