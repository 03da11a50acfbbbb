#include <doctest/doctest.h>

#include "model/errors.h"
#include "planner/amped.h"
#include "tests/support/complaint.h"
#include "tests/support/presets.h"

namespace waferloom::planner {
namespace {

/// Two layers of three heads on one node of two chips.
AmpedJob two_chips() {
  Workload workload;
  workload.name = "net";
  for (const char* name : {"a", "b"}) {
    TransformerOperator layer;
    layer.sequence = 8;
    layer.hidden = 6;
    layer.heads = layer.key_value_heads = 3;
    layer.feed_forward = 24;
    workload.operators.push_back({name, layer, {}});
  }
  AmpedJob job;
  job.network = amped_network(workload);
  job.system = test::preset_system("a100_hdr");
  job.system.name = "pair";
  job.system.dimensions[0].size = 2;
  job.system.dimensions[1].size = 1;
  job.nodes = amped_nodes(job.system);
  job.training.batch = 4;
  return job;
}

/// Leaves a chip's memory a single byte.
void empty_memory(System& system) {
  system.chip.sram_bytes = 1;
  for (MemoryLevel& memory : system.memories) memory.bytes = 1;
}

template <typename Error>
std::string error_of(const AmpedJob& job) {
  return test::complaint_of<Error>([&] { run_amped_job(job); });
}

TEST_CASE("replicas fill a system that their chips divide, and nothing else") {
  System system = two_chips().system;
  system.dimensions[0].size = 4;
  system.dimensions[1].size = 3;
  CHECK(filling_data_degree(1, system) == 12);
  CHECK(filling_data_degree(6, system) == 2);
  CHECK(filling_data_degree(12, system) == 1);
  CHECK(filling_data_degree(5, system) == 1);
  CHECK(filling_data_degree(24, system) == 1);
}

TEST_CASE("degrees that are given are evaluated alone") {
  AmpedJob job = two_chips();
  job.degrees = AmpedDegrees{{1, 1, 2}, {}};
  const AmpedExploration found = run_amped_job(job);
  REQUIRE(found.all.size() == 1);
  CHECK(found.ranked == std::vector<std::size_t>{0});
  CHECK(best_of(found).degrees == *job.degrees);
  CHECK(best_of(found).memory_bytes == amped_memory(job.network, *job.degrees, job.training).sum());
}

TEST_CASE("without degrees all three ways to use two chips are tried") {
  AmpedJob job = two_chips();
  job.search.sensible = false;
  const AmpedExploration found = run_amped_job(job);
  CHECK(found.all.size() == 3);
  CHECK(found.ranked.size() == 3);
  for (const AmpedCandidate& candidate : found.all) {
    CHECK(best_of(found).time.batch_s() <= candidate.time.batch_s());
  }
}

TEST_CASE("degrees that make no sense are refused unless any are let pass") {
  AmpedJob job = two_chips();
  job.degrees = AmpedDegrees{{2, 1, 1}, {}};
  CHECK(error_of<RefusedDegrees>(job) == "net: 2 ways of tensor parallelism do not divide 3 heads");
  job.search.sensible = false;
  CHECK(error_of<RefusedDegrees>(job).empty());
}

TEST_CASE("what has no room is refused where room is asked for") {
  AmpedJob job = two_chips();
  empty_memory(job.system);
  job.degrees = AmpedDegrees{{1, 1, 2}, {}};
  CHECK(error_of<InfeasibleError>(job).empty());
  job.search.fits = true;
  CHECK(error_of<InfeasibleError>(job).rfind("net on pair: a chip needs ", 0) == 0);
  job.degrees.reset();
  CHECK(error_of<InfeasibleError>(job).rfind(
            "none of 3 ways to cut net for pair will do; the first, ", 0) == 0);
}

}  // namespace
}  // namespace waferloom::planner
