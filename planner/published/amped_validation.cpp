// Ours of AMPeD's figures: equations by hand, tables and case studies. AMPeD, ISPASS 2023; the
// settings of each are in amped_studies.h. Tolerances of calibrated figures are told in their
// notes.

#include "planner/amped/amped_studies.h"
#include "planner/validation.h"

namespace waferloom::planner {
namespace {

constexpr double kTera = 1e12;
constexpr double kActivationBytes =
    16.0 * 2048 * 12288 * 2;  // 16 sequences of Megatron 145B at 16 bits
constexpr AmpedLink kNvlinkOfNode{2e-6, 300e9};
constexpr AmpedLink kInfiniband{2e-6, 25e9};

// 805,306,368 bytes are 16 x 2,048 x 12,288 numbers of 2 bytes.
void add_equations(OurFigures& ours) {
  ours.push_back(
      {"Eq. 6, TP8 in a node", 1e3 * all_reduce_s({2 * kActivationBytes, 8, 1.75}, kNvlinkOfNode)});
  ours.push_back(
      {"Eq. 7, one of 80 layers", 1e3 * stage_transfer_s({kActivationBytes, 80}, kInfiniband)});
  ours.push_back({"Eq. 8, consistent bubble", bubble_s({0.5, 8, 16, 3, 1, 1})});
  ours.push_back({"Eq. 8, literal bubble", bubble_s({0.5, 8, 16, 3, 1, 4})});
  ours.push_back({"Eq. 9, MoE all-to-all among 4 nodes",
                  1e3 * all_to_all_s({kActivationBytes, 4, 0.75, kNvlinkOfNode, kInfiniband})});
  ours.push_back(
      {"Eq. 11, gradients of 128 replicas",
       1e3 * all_reduce_s({12.0 * 12288 * 12288 / 8 * 2, 128, 2 * 127.0 / 128}, kInfiniband)});
}

void add_table_ii(OurFigures& ours) {
  for (const MegatronRun& run : megatron_runs()) {
    const double rate = table_ii(run).time().flop_per_s_of_chip() / kTera;
    ours.push_back({"Table II, " + run.name, rate});
    ours.push_back({"Table II, " + run.name + ", AMPeD's own", rate});
  }
}

void add_table_iii(OurFigures& ours) {
  constexpr double kTransferShare = 0.011;
  const double two = table_iii(2, kTransferShare).time().batch_s();
  for (const std::int64_t gpus : {4, 8}) {
    const double speedup = two / table_iii(gpus, kTransferShare).time().batch_s();
    const std::string place = "Table III, " + std::to_string(gpus) + " GPUs, ";
    ours.push_back({place + "AMPeD's own", speedup});
    ours.push_back({place + "measured", speedup});
  }
}

void add_case_i(OurFigures& ours) {
  const auto days = [](const AmpedDegrees& degrees, double efficiency) {
    return case_i(degrees, efficiency).time().days();
  };
  constexpr double kEfficiency = 0.8;
  ours.push_back({"Case I, TP inside, DP among", days({{8, 1, 1}, {1, 1, 128}}, kEfficiency)});
  ours.push_back({"Case I, TP inside, PP among", days({{8, 1, 1}, {1, 128, 1}}, kEfficiency)});
  ours.push_back({"Case I, TP inside, TP2 PP64 among", days({{8, 1, 1}, {2, 64, 1}}, kEfficiency)});
  ours.push_back({"Case I, DP inside, DP among", days({{1, 1, 8}, {1, 1, 128}}, 0.3)});
  ours.push_back({"Case I, PP inside, TP among", days({{1, 8, 1}, {128, 1, 1}}, 0.31)});
}

void add_case_ii(OurFigures& ours) {
  const auto gain = [](std::int64_t chips) {
    return case_ii(chips, false).time().seconds() / case_ii(chips, true).time().seconds();
  };
  ours.push_back({"Low-end study, 1 accelerator a node", gain(1)});
  ours.push_back({"Low-end study, 2 accelerators a node", gain(2)});
  const AmpedBreakdown four = case_ii(4, true).time();
  ours.push_back({"Low-end study, 4 accelerators a node", 100 * (1 - gain(4))});
  ours.push_back({"Low-end study, bubble of 4 a node", 100 * four.bubble / four.batch_s()});
  ours.push_back(
      {"Low-end study, gradients of 1024 replicas", case_ii(1, false).time().gradients_among});
}

void add_case_iii(OurFigures& ours) {
  const AmpedBreakdown electrical = case_iii(electrical_node()).time();
  const AmpedBreakdown first = case_iii(optical_node(8, 8, 1)).time();
  const AmpedBreakdown second = case_iii(optical_node(24, 48, 1)).time();
  const AmpedBreakdown twice = case_iii(optical_node(24, 48, 2)).time();
  const AmpedBreakdown fourfold = case_iii(optical_node(24, 48, 4)).time();
  const auto gain = [](const AmpedBreakdown& before, const AmpedBreakdown& after) {
    return before.batch_s() / after.batch_s();
  };
  const double experts = electrical.experts / first.experts;
  ours.push_back({"Optical study, all-to-all before and after opt1", experts});
  ours.push_back({"Optical study, opt1", gain(electrical, first)});
  ours.push_back({"Optical study, MoE of opt1", experts});
  ours.push_back({"Optical study, opt2", gain(first, second)});
  ours.push_back({"Optical study, opt3, twice the bandwidth", gain(second, twice)});
  ours.push_back({"Optical study, opt3, four times the bandwidth", gain(second, fourfold)});
  ours.push_back({"Optical study, in all", gain(electrical, fourfold)});
}

}  // namespace

std::vector<ValidationRow> amped_rows() {
  OurFigures ours;
  add_equations(ours);
  add_table_ii(ours);
  add_table_iii(ours);
  add_case_i(ours);
  add_case_ii(ours);
  add_case_iii(ours);
  return compared_rows("amped", ours);
}

}  // namespace waferloom::planner
