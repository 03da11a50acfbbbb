#include "planner/centimani.h"

#include <doctest/doctest.h>

#include "model/errors.h"
#include "planner/validation.h"
#include "tests/support/close_to.h"
#include "tests/support/validation_row.h"

namespace waferloom::planner {
namespace {

using test::close_to;

Workload chain(std::size_t length) {
  Workload workload;
  for (std::size_t i = 0; i < length; ++i) {
    Operator op{std::string(1, static_cast<char>('a' + i)), LinearOperator{4, 8, 8}, {}};
    if (i > 0) op.after = {i - 1};
    workload.operators.push_back(op);
  }
  return workload;
}

System machine_on_ring() {
  System system;
  system.name = "machine";
  system.chip.flop_per_s = 1e12;
  system.chip.sram_bytes = 1e9;
  system.dimensions = {{DimensionTopology::ring, 8, 10e9, 1e-6}};
  return system;
}

TEST_CASE("stages of equal operators are of equal length, none is empty") {
  using Ranges = std::vector<StageRange>;
  CHECK(cut_stages(chain(6), 3) == Ranges{{0, 1}, {2, 3}, {4, 5}});
  CHECK(cut_stages(chain(6), 1) == Ranges{{0, 5}});
  CHECK(cut_stages(chain(3), 3) == Ranges{{0, 0}, {1, 1}, {2, 2}});
  Workload heavy = chain(3);
  heavy.operators[2].kind = LinearOperator{4, 8, 8000};
  CHECK(cut_stages(heavy, 3) == Ranges{{0, 0}, {1, 1}, {2, 2}});
  CHECK_THROWS_WITH_AS(cut_stages(chain(2), 3),
                       "expected 1 to 2 stages, one operator or more each, found 3", RequestError);
}

TEST_CASE("stages add the way of activations and gradients, replicas that of all gradients") {
  CentimaniOptions options;
  options.batches = {5};
  options.chips = 4;
  options.stages = 2;
  const CentimaniResult found = centimani(chain(4), machine_on_ring(), options);
  const StepTimes& stages = found.times[0].stages;
  // 32 elements of 2 bytes, 5 samples, there and back.
  CHECK(stages.transfer_s == close_to(2 * 320 / 10e9 + 2e-6));
  // Two operators of 72 parameters each, two replicas.
  CHECK(stages.exchange_s == close_to(2 * (144.0 * 2 / 2 / 10e9 + 1e-6)));
  CHECK(found.times[0].samples_per_s == close_to(10 / found.times[0].step_s));
  CHECK(found.times[0].step_s == close_to(stages.serial_s()));
  CHECK(found.ranges.size() == 2);
}

TEST_CASE("a stage keeps less than the whole network") {
  CentimaniOptions options;
  options.batches = {5};
  const double whole =
      centimani(chain(4), machine_on_ring(), options).choice.candidates[0].level_bytes[0];
  options.chips = options.stages = 2;
  const double half =
      centimani(chain(4), machine_on_ring(), options).choice.candidates[0].level_bytes[0];
  CHECK(half < whole);
  CHECK(half >= whole / 2);
}

TEST_CASE("replicas exchange the gradients of the part that has most, whichever it is") {
  CentimaniOptions options;
  options.batches = {1};
  options.chips = 4;
  options.stages = 2;
  for (const std::size_t large : {0U, 1U}) {
    Workload workload = chain(2);
    workload.operators[large].kind = LinearOperator{4, 8, 80};
    const StepTimes stages = centimani(workload, machine_on_ring(), options).times[0].stages;
    // 8 · 80 + 80 parameters of 2 bytes: two steps of half of them.
    CHECK(stages.exchange_s == close_to(2 * (720.0 * 2 / 2 / 10e9 + 1e-6)));
  }
}

TEST_CASE("an operator whose time was measured takes that, and the host its samples") {
  CentimaniOptions options;
  options.batches = {2};
  options.measured.operators = {{"linear", {4, 8, 8}, 2, 1e-3, 3e-3}};
  Workload workload = chain(3);
  workload.operators[1].kind = LinearOperator{4, 8, 16};
  const BatchTime time = centimani(workload, machine_on_ring(), options).times.at(0);
  CHECK(time.measured_operators == 2);
  // The third one has 2 · 4 · 8 · 16 FLOP forward and twice as many backward, and a bias of 4 · 16
  // elements either way, of 2 samples.
  CHECK(time.stages.compute_s == close_to(8e-3 + 2 * (3 * 1024 + 2 * 64) / 1e12));
}

TEST_CASE("chips and stages that cannot be") {
  CentimaniOptions options;
  options.batches = {1};
  options.chips = 9;
  CHECK_THROWS_WITH_AS(centimani(chain(2), machine_on_ring(), options),
                       "expected 1 to 8 chips of machine, found 9", RequestError);
  options.chips = 4;
  options.stages = 3;
  CHECK_THROWS_WITH_AS(centimani(chain(4), machine_on_ring(), options),
                       "3 stages do not divide 4 chips", RequestError);
}

TEST_CASE("every row that is judged holds, every other one says why it is not") {
  const auto rows = centimani_rows();
  CHECK(rows.size() >= 20);
  for (const ValidationRow& row : rows) {
    INFO(row.name);
    CHECK_FALSE(row.fails());
    CHECK_FALSE(row.note.empty());
    if (row.kind == RowKind::closed_form) CHECK(row.error().has_value());
  }
}

TEST_CASE("Table 2, ResNet-50: the default batch of 256 fits on CS-2 and Gaudi2, not on SN30") {
  const auto rows = centimani_rows();
  const auto fits = [&](const std::string& label) {
    const auto& row =
        test::row_of(rows, "Table 2, ResNet-50 on " + label + ", the default batch of 256 fits");
    CHECK(row.published == row.ours);
    return row.ours == 1.0;
  };
  CHECK_FALSE(fits("SambaNova SN30"));
  CHECK(fits("Cerebras CS-2"));
  CHECK(fits("Habana Gaudi2"));
}

TEST_CASE("a step of two parts, term by term (Eqs. 1 to 3)") {
  CentimaniOptions options;
  options.batches = {5};
  options.chips = 4;
  options.stages = 2;
  const BatchTime time = centimani(chain(4), machine_on_ring(), options).times.at(0);
  // An operator: 2 · 4 · 8 · 8 FLOP of products and 4 · 8 sums a sample, backward twice the
  // products. Two operators a part, one part after the other.
  const double compute = 4 * 5 * ((512 + 32) + (2 * 512 + 32)) / 1e12;
  // 4 · 8 elements of 2 bytes of five samples, and as many gradients: each goes over the link once.
  const double transfer = (5 * 32 * 2 + 5 * 32 * 2) / 10e9 + 2 * 1e-6;
  // Two replicas of a part of 2 · (8 · 8 + 8) parameters: two steps of half of its gradients.
  const double exchange = 2 * (144.0 * 2 / 2 / 10e9 + 1e-6);
  CHECK(time.stages.compute_s == close_to(compute));
  CHECK(time.stages.transfer_s == close_to(transfer));
  CHECK(time.step_s == close_to(compute + transfer + exchange));
  CHECK(time.samples_per_s == close_to(2 * 5 / (compute + transfer + exchange)));
}

TEST_CASE("an output that two parts take is sent to both, the longest path counts") {
  Workload workload = chain(3);
  workload.operators[2].after = {0, 1};
  CentimaniOptions options;
  options.batches = {5};
  options.chips = options.stages = 3;
  const StepTimes stages = centimani(workload, machine_on_ring(), options).times.at(0).stages;
  // From a to b to c; straight from a to c is less.
  CHECK(stages.transfer_s == close_to(2 * (2 * 320 / 10e9 + 2e-6)));
  // Where b starts anew, a and b send to c alone, at once.
  workload.operators[1].after = {};
  CHECK(centimani(workload, machine_on_ring(), options).times.at(0).stages.transfer_s ==
        close_to(2 * 320 / 10e9 + 2e-6));
}

TEST_CASE("stages are of equal training, in which products count three times") {
  Workload workload = chain(3);
  for (const std::size_t i : {1U, 2U}) workload.operators[i].kind = LinearOperator{4, 1, 24};
  // 3 · 512 + 2 · 32 FLOP against twice 3 · 192 + 2 · 96: the first is more than half. Forward
  // alone, and with products counted once backward, it is less.
  using Ranges = std::vector<StageRange>;
  CHECK(cut_stages(workload, 2) == Ranges{{0, 0}, {1, 2}});
}

}  // namespace
}  // namespace waferloom::planner
