#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "planner/mapping_search.h"
#include "planner/sharding.h"
#include "planner/validation.h"
#include "tests/planner/gpt3_chip.h"
#include "tests/support/close_to.h"

namespace waferloom {
namespace {

using test::close_to;

const ValidationRow& row(const std::string& name) {
  static const std::vector<ValidationRow> rows = dfmodel_mapping_rows();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const auto& one) { return one.name == name; });
  REQUIRE(found != rows.end());
  return *found;
}

/// It is judged, and comes out.
void holds(const std::string& name) {
  const ValidationRow& found = row(name);
  CAPTURE(found.published.value_or(0));
  CAPTURE(found.ours.value_or(0));
  CHECK((found.kind == RowKind::exact || found.kind == RowKind::closed_form));
  CHECK(found.holds());
}

/// It is not judged, says why, and ours is what it is.
void is_left(const std::string& name, double ours) {
  const ValidationRow& found = row(name);
  CHECK(found.kind == RowKind::unreproduced);
  CHECK_FALSE(found.note.empty());
  CHECK(found.ours.value_or(0) == close_to(ours).within(1e-6));
  CHECK(found.error().value_or(0) > 1e-6);
}

TEST_CASE("DFModel: kernel by kernel, ring 8x1") { holds("kernel by kernel, ring 8x1"); }
TEST_CASE("DFModel: vendor's mapping, ring 8x1") { holds("vendor's mapping, ring 8x1"); }
TEST_CASE("DFModel: DFModel's published mapping, ring 8x1") {
  holds("DFModel's published mapping, ring 8x1");
}
TEST_CASE("DFModel: best of exactly four partitions, ring 8x1") {
  holds("best of exactly four partitions, ring 8x1");
}
TEST_CASE("DFModel: best of exactly four partitions, torus 4x2") {
  holds("best of exactly four partitions, torus 4x2");
}
TEST_CASE("DFModel: best of any number of partitions, ring 8x1") {
  holds("best of any number of partitions, ring 8x1");
}
TEST_CASE("DFModel: best of any number of partitions, torus 4x2") {
  holds("best of any number of partitions, torus 4x2");
}
TEST_CASE("DFModel: less time than the published mapping, ring 8x1") {
  holds("less time than the published mapping, ring 8x1");
}
TEST_CASE("DFModel: less time than the published mapping, torus 4x2") {
  holds("less time than the published mapping, torus 4x2");
}
TEST_CASE("DFModel: CBC's optimum beside that of all ideals, ring 8x1") {
  holds("CBC's optimum beside that of all ideals, ring 8x1");
}
TEST_CASE("DFModel: order ideals of a GPT layer") { holds("order ideals of a GPT layer"); }
TEST_CASE("DFModel: best of exactly 2 partitions, ring 8x1") {
  holds("best of exactly 2 partitions, ring 8x1");
}
TEST_CASE("DFModel: best of exactly 3 partitions, ring 8x1") {
  holds("best of exactly 3 partitions, ring 8x1");
}
TEST_CASE("DFModel: best of exactly 5 partitions, ring 8x1") {
  holds("best of exactly 5 partitions, ring 8x1");
}
TEST_CASE("DFModel: best of exactly 6 partitions, ring 8x1") {
  holds("best of exactly 6 partitions, ring 8x1");
}
TEST_CASE("DFModel: speedup of the vendor's mapping") { holds("speedup of the vendor's mapping"); }
TEST_CASE("DFModel: speedup of DFModel's over the vendor's") {
  holds("speedup of DFModel's over the vendor's");
}
TEST_CASE("DFModel: speedup of the torus 4x2 over the ring 8x1") {
  holds("speedup of the torus 4x2 over the ring 8x1");
}
TEST_CASE("DFModel: speedup in all") { holds("speedup in all"); }
TEST_CASE("DFModel: Table VI, vendor") { holds("Table VI, vendor"); }
TEST_CASE("DFModel: Table VI, DFModel on 8x1") { holds("Table VI, DFModel on 8x1"); }
TEST_CASE("DFModel: Table VI, DFModel on 8x1, accumulated") {
  holds("Table VI, DFModel on 8x1, accumulated");
}
TEST_CASE("DFModel: Table VI, DFModel on 4x2, accumulated") {
  holds("Table VI, DFModel on 4x2, accumulated");
}
TEST_CASE("DFModel: utilisation, kernel by kernel") { holds("utilisation, kernel by kernel"); }
TEST_CASE("DFModel: utilisation, vendor") { holds("utilisation, vendor"); }
TEST_CASE("DFModel: utilisation, DFModel on 8x1") { holds("utilisation, DFModel on 8x1"); }
TEST_CASE("DFModel: utilisation, DFModel on 4x2") { holds("utilisation, DFModel on 4x2"); }
TEST_CASE("DFModel: FLOP of GPT-3 175B, forward, 2304 samples") {
  holds("FLOP of GPT-3 175B, forward, 2304 samples");
}
TEST_CASE("DFModel: cycle model, micro-batch") { holds("cycle model, micro-batch"); }
TEST_CASE("DFModel: cycle model, weights of a layer and chip") {
  holds("cycle model, weights of a layer and chip");
}
TEST_CASE("DFModel: cycle model, bytes between the vendor's partitions") {
  holds("cycle model, bytes between the vendor's partitions");
}
TEST_CASE("DFModel: cycle model, vendor's mapping") { holds("cycle model, vendor's mapping"); }
TEST_CASE("DFModel: cycle model, partition 1, compute") {
  holds("cycle model, partition 1, compute");
}
TEST_CASE("DFModel: cycle model, partition 1, DRAM") { holds("cycle model, partition 1, DRAM"); }
TEST_CASE("DFModel: cycle model, partition 1, network") {
  holds("cycle model, partition 1, network");
}
TEST_CASE("DFModel: cycle model, partition 1, weights") {
  holds("cycle model, partition 1, weights");
}
TEST_CASE("DFModel: cycle model, partition 2, DRAM") { holds("cycle model, partition 2, DRAM"); }
TEST_CASE("DFModel: cycle model, partition 2, network") {
  holds("cycle model, partition 2, network");
}
TEST_CASE("DFModel: cycle model, partition 2, weights") {
  holds("cycle model, partition 2, weights");
}
TEST_CASE("DFModel: cycle model, partition 3, compute") {
  holds("cycle model, partition 3, compute");
}
TEST_CASE("DFModel: cycle model, partition 3, DRAM") { holds("cycle model, partition 3, DRAM"); }
TEST_CASE("DFModel: cycle model, partition 3, network") {
  holds("cycle model, partition 3, network");
}
TEST_CASE("DFModel: cycle model, partition 3, weights") {
  holds("cycle model, partition 3, weights");
}
TEST_CASE("DFModel: cycle model, partition 4, compute") {
  holds("cycle model, partition 4, compute");
}
TEST_CASE("DFModel: cycle model, partition 4, DRAM") { holds("cycle model, partition 4, DRAM"); }
TEST_CASE("DFModel: cycle model, partition 4, network") {
  holds("cycle model, partition 4, network");
}
TEST_CASE("DFModel: cycle model, partition 4, weights") {
  holds("cycle model, partition 4, weights");
}
TEST_CASE("DFModel: roofline, ridge to DRAM") { holds("roofline, ridge to DRAM"); }
TEST_CASE("DFModel: roofline, ridge to the network") { holds("roofline, ridge to the network"); }
TEST_CASE("DFModel: roofline, the vendor's FLOP for each byte over a link") {
  holds("roofline, the vendor's FLOP for each byte over a link");
}

TEST_CASE("DFModel: Table VI, DFModel on 4x2 is printed from rounded figures") {
  const ValidationRow& found = row("Table VI, DFModel on 4x2");
  CHECK(found.kind == RowKind::informative);
  CHECK(found.ours.value_or(0) == close_to(1.2741).within(1e-4));
}

TEST_CASE("DFModel: cycle model, partition 2, compute, is slack") {
  is_left("cycle model, partition 2, compute", 1258291.2);
}
TEST_CASE("DFModel: vendor's mapping, memory of partition 2 and memory of partition 3") {
  is_left("vendor's mapping, memory of partition 2", 1698693.12);
  is_left("vendor's mapping, memory of partition 3", 754974.72);
}
TEST_CASE("DFModel: vendor's mapping, compute of partition 2, is slack") {
  is_left("vendor's mapping, compute of partition 2", 373464.178);
}
TEST_CASE("DFModel: DFModel's published mapping, compute of partition 2, is slack") {
  is_left("DFModel's published mapping, compute of partition 2", 93570.844);
}
TEST_CASE("DFModel: earlier form's mapping on 4x2, TP4 PP2") {
  is_left("earlier form's mapping on 4x2, TP4 PP2", 7242620.017778);
}
TEST_CASE("DFModel: Table VI, vendor, with the text's 200 and 25 GB/s") {
  is_left("Table VI, vendor, with the text's 200 and 25 GB/s", 1.88156134);
}

TEST_CASE("the log's times of all 18 kernels on their own") {
  constexpr double kLog[] = {1006632.96, 2013265.92, 566231.04,  566231.04,   566231.04,
                             1132462.08, 2013265.92, 2013265.92, 1132462.08,  1761607.68,
                             1006632.96, 2013265.92, 1006632.96, 1118481.096, 503316.48,
                             1761607.68, 1006632.96, 1006632.96};
  const MappingProblem problem = sn10_problem(8);
  const MappingCost cost = mapping_cost(problem, kernel_by_kernel(problem.graph));
  REQUIRE(cost.partitions.size() == 18);
  for (std::size_t i = 0; i < 18; ++i) {
    CHECK(cost.partitions[i].total_s() * 1e9 == close_to(kLog[i]).within(1e-7));
  }
}

TEST_CASE("the log's times of the published mapping, part by part") {
  constexpr double kCompute[] = {839042.867, 251585.429, 1398419.948, 1118663.141};
  constexpr double kMemory[] = {692060.16, 251658.24, 1321205.76, 754974.72};
  constexpr double kNetwork[] = {0, 0, 1761607.68, 1761607.68};
  const MappingProblem problem = sn10_problem(8);
  const Partitions published =
      named(problem.graph, {{"Add_Prev", "LN1", "Q", "K", "V"},
                            {"MHA1", "Softmax", "Drop1", "MHA2"},
                            {"Proj", "Drop2", "Add1", "LN2", "FFN0", "GeLU"},
                            {"FFN1", "Drop3", "Add2"}});
  const MappingCost cost = mapping_cost(problem, published);
  for (std::size_t p = 0; p < 4; ++p) {
    if (p != 1) {  // slack there
      CHECK(cost.partitions[p].compute_s * 1e9 == close_to(kCompute[p]).within(1e-6));
    }
    CHECK(cost.partitions[p].memory_s * 1e9 == close_to(kMemory[p]).within(1e-6));
    CHECK(cost.partitions[p].network_s * 1e9 == close_to(kNetwork[p]).within(1e-6));
  }
}

TEST_CASE("the best sharding of a GPT layer leaves each chip what the published files say") {
  const DataflowGraph whole = gpt3_layer();
  for (const std::int64_t tensor : {std::int64_t{8}, std::int64_t{4}}) {
    ShardingModel model;
    model.chips = tensor;
    const DataflowGraph found = shard(whole, best_sharding(whole, model).kernels, tensor);
    const DataflowGraph expected = gpt3_chip_layer(tensor);
    CHECK(found.tensors == expected.tensors);
    CHECK(found.kernels == expected.kernels);
  }
}

}  // namespace
}  // namespace waferloom
