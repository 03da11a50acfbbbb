#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "model/hardware_file.h"
#include "model/presets.h"
#include "model/workload_file.h"
#include "sim/plan_run.h"
#include "sim/stage_layout.h"
#include "tests/support/close_to.h"
#include "tests/support/shared_data.h"

namespace waferloom {
namespace {

using test::close_to;

constexpr const char* kFile = "published/megatron_sc21_table1.json";

/// The rows on which the achieved part of the peak is fitted: the ends of those that are judged.
constexpr const char* kFitted[] = {"18.4B", "1008B"};

const std::map<std::string, std::string> kWorkloads{
    {"18.4B", "t_18b"},   {"39.1B", "t_39b"},   {"76.1B", "t_76b"}, {"145.6B", "t_145b"},
    {"310.1B", "t_310b"}, {"529.6B", "t_530b"}, {"1008B", "t_1t"}};

/// A row of Narayanan et al., SC'21, Table 1.
struct Row {
  std::string model;
  Workload workload;
  Plan plan;
  double layers = 0;
  double hidden = 0;
  double published = 0;  ///< sequences a second by the full formula

  bool is_fitted() const {
    return std::find(std::begin(kFitted), std::end(kFitted), model) != std::end(kFitted);
  }
};

/// Those from 18B to 1T; the table is silent on micro-batches and interleaving: 1 each.
std::vector<Row> judged_rows() {
  std::vector<Row> rows;
  const auto file = nlohmann::json::parse(std::ifstream(test::shared_folder() / kFile));
  for (const auto& entry : file["rows"]) {
    const auto preset = kWorkloads.find(entry["model"]);
    if (preset == kWorkloads.end()) continue;
    Row row;
    row.model = preset->first;
    row.workload = read_workload(*workload_preset(preset->second), preset->second);
    row.plan.tensor = entry["tp"];
    row.plan.data = entry["dp"];
    row.plan.pipeline = entry["pp"];
    row.plan.micro_batches = entry["global_batch"].get<std::int64_t>() / row.plan.data;
    row.plan.recompute = Recompute::full;
    row.layers = entry["layers"];
    row.hidden = entry["hidden"];
    row.published = entry["check_seq_per_s_full"];
    rows.push_back(std::move(row));
  }
  return rows;
}

PlanReport run(const Row& row, const Hardware& hardware) {
  SimulateOptions options;
  options.network = NetworkKind::analytic;
  return simulate_plan(plan_pipeline(row.workload, row.plan, hardware,
                                     lay_out_stages(row.plan, hardware), Meeting::ignored),
                       hardware, options);
}

Hardware reaching(Hardware hardware, double percent) {
  hardware.achievable_percent = {std::llround(percent * Decimal6::kOne)};
  return hardware;
}

/// With which the geometric mean of ours over published is 1 on the fitted rows; by secants.
double fitted_percent(const std::vector<Row>& rows, const Hardware& hardware) {
  const auto off = [&](double percent) {
    double sum = 0;
    for (const Row& row : rows) {
      if (!row.is_fitted()) continue;
      sum += std::log(run(row, reaching(hardware, percent)).samples_per_s / row.published);
    }
    return sum;
  };
  double before = 40;
  double percent = 60;
  double last = off(before);
  while (std::abs(percent - before) > 1e-3) {
    const double now = off(percent);
    const double after = percent - now * (percent - before) / (now - last);
    before = percent;
    last = now;
    percent = after;
  }
  return percent;
}

/// Seconds of the parts of a batch.
struct Parts {
  double compute = 0;  ///< of an average tile
  double bubble = 0;   ///< in which an average tile does not
  double tensor = 0;
  double pipeline = 0;
  double data = 0;
  double total() const { return compute + bubble + tensor + pipeline + data; }
};

double rate(const LinkClass& link) { return static_cast<double>(*link.bytes_per_s); }

/// Two links lead from tile to tile.
double latency(const LinkClass& link) { return 2e-12 * static_cast<double>(link.latency_ps); }

double all_reduce(const LinkClass& link, double members, double bytes) {
  return 2 * (members - 1) * (bytes / members / rate(link) + latency(link));
}

/// The last stage, which has the head too, sets the pace; what moves between stages is hidden
/// behind it but while the pipeline fills and drains.
Parts closed_forms(const Row& row, const Hardware& hardware) {
  constexpr double kSequence = 2'048;
  constexpr double kVocabulary = 51'200;
  const auto t = static_cast<double>(row.plan.tensor);
  const auto p = static_cast<double>(row.plan.pipeline);
  const auto m = static_cast<double>(row.plan.micro_batches);
  const double h = row.hidden;
  const double flop_per_s = t * static_cast<double>(hardware.peak_flop_per_s_per_tile.at("fp16")) *
                            static_cast<double>(hardware.achievable_percent.millionths) / 1e8;
  const double layer = 96 * kSequence * h * h * (1 + kSequence / (6 * h)) / flop_per_s;
  const double head = 6 * kSequence * h * kVocabulary / flop_per_s;
  const double all = row.layers * layer + head;
  const double tensor = 2 * kSequence * h;  // bytes
  const double in_layer = 3 * all_reduce(hardware.link, t, 2 * tensor);
  const double embedding = all_reduce(hardware.link, t, tensor);
  const double at_head = embedding + all_reduce(hardware.link, t, 4 * kSequence);
  const double last = row.layers / p * in_layer + at_head + (p == 1 ? embedding : 0);
  const double parameters =
      row.layers / p * (12 * h * h + 13 * h) + (kVocabulary * (p == 1 ? 2 : 1) + kSequence) * h;
  Parts parts;
  parts.compute = m * all / p;
  parts.bubble = all + (m - 1) * (row.layers / p * layer + head) - parts.compute;
  parts.tensor = row.layers * in_layer + at_head + embedding + (m - 1) * last;
  parts.pipeline =
      2 * (p - 1) * (tensor / t / rate(hardware.group_link) + latency(hardware.group_link));
  parts.data =
      all_reduce(hardware.group_link, static_cast<double>(row.plan.data), 2 * parameters / t);
  return parts;
}

double seconds(Picoseconds time) { return 1e-12 * static_cast<double>(time); }

/// From a run with all links, one without those between nodes, and one without any.
Parts measured_parts(const Row& row, Hardware hardware, const PlanReport& whole) {
  hardware.group_link = {};
  const PlanReport inside = run(row, hardware);
  hardware.link = {};
  const PlanReport alone = run(row, hardware);
  Parts parts;
  for (const StageTimes& stage : alone.run.stages) parts.compute += seconds(stage.compute);
  parts.compute /= static_cast<double>(row.plan.pipeline);
  parts.bubble = seconds(alone.run.makespan) - parts.compute;
  parts.tensor = seconds(inside.run.makespan - alone.run.makespan);
  parts.pipeline = seconds(whole.run.makespan - inside.run.makespan);
  parts.data = seconds(whole.batch - whole.run.makespan);
  return parts;
}

/// Within 2 %; of the rows without a pipeline there is next to nothing of some.
void check_share(double found, double expected) {
  if (expected < 1e-9) {
    CHECK(found < 1e-5);
  } else {
    CHECK(found == close_to(expected).within(0.02));
  }
}

TEST_CASE(
    "[shared] Megatron's rows from 18B to 1T with one constant, and what a batch consists of") {
  if (!test::have_shared("Megatron's rows", kFile)) return;
  const std::vector<Row> rows = judged_rows();
  REQUIRE(rows.size() == kWorkloads.size());
  const Hardware preset = read_hardware(*hardware_preset("a100_cluster"), "a100_cluster");
  const Hardware hardware = reaching(preset, fitted_percent(rows, preset));
  double error = 0;
  double others = 0;
  for (const Row& row : rows) {
    CAPTURE(row.model);
    const PlanReport report = run(row, hardware);
    if (!row.is_fitted()) {
      error += std::abs(report.samples_per_s / row.published - 1);
      ++others;
    }
    const Parts found = measured_parts(row, hardware, report);
    const Parts expected = closed_forms(row, hardware);
    const double batch = seconds(report.batch);
    CHECK(found.total() == close_to(batch).within(1e-9));
    check_share(found.bubble / batch, expected.bubble / expected.total());
    check_share(found.tensor / batch, expected.tensor / expected.total());
    check_share(found.pipeline / batch, expected.pipeline / expected.total());
    check_share(found.data / batch, expected.data / expected.total());
  }
  MESSAGE("mean error of the others: " << error / others);
  CHECK(others == 5);
  CHECK(error / others <= 0.08);
}

TEST_CASE("[shared] faster links and more micro-batches make Megatron's rows faster") {
  if (!test::have_shared("Megatron's rows, changed", kFile)) return;
  const Hardware hardware =
      reaching(read_hardware(*hardware_preset("a100_cluster"), "a100_cluster"), 58);
  Hardware fast = hardware;
  *fast.link.bytes_per_s *= 2;
  *fast.group_link.bytes_per_s *= 2;
  for (const Row& row : judged_rows()) {
    if (row.plan.pipeline > 16) continue;  // the longest runs
    CAPTURE(row.model);
    const double found = run(row, hardware).samples_per_s;
    CHECK(run(row, fast).samples_per_s > 1.01 * found);
    Row more = row;
    more.plan.micro_batches *= 2;
    CHECK(run(more, hardware).samples_per_s > 1.01 * found);
  }
}

}  // namespace
}  // namespace waferloom
