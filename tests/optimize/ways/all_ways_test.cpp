#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "model/errors.h"
#include "model/plan.h"
#include "optimize/plan.h"
#include "optimize/simulation_runs.h"
#include "optimize/ways.h"
#include "planner/serving.h"
#include "planner/system_plan.h"
#include "sim/plan_pipeline.h"
#include "tests/optimize/ways/way_of.h"
#include "tests/planner/wafer/small_serving.h"
#include "tests/support/close_to.h"
#include "tests/support/presets.h"

namespace waferloom::optimize {
namespace {

/// A small model on a corner of a WSE-2, in every way.
WaysJob small_job() {
  constexpr std::int64_t kSide = 64;
  WaysJob job;
  job.workload = test::small_model();
  job.machine = preset_machine("wse2").value();
  Hardware& hardware = *job.machine.fabric;
  test::keep_part(hardware, kSide, kSide);
  job.purpose = Purpose::infer;
  Plan base;
  base.schedule = Schedule::inference;
  job.cut = planner::plan_space_of(job.workload, hardware, base, 8);
  return job;
}

TEST_CASE("all ways stand side by side, the fastest first, the streamed step simulated") {
  const WaysJob job = small_job();
  const Ways all = plan_all_ways(job);
  for (const char* way : {"pipeline", "streaming", "cut"}) {
    CAPTURE(way);
    CHECK(way_of(all, way).way == way);
  }
  for (std::size_t i = 0; i + 1 < all.ways.size(); ++i) {
    if (!all.ways[i + 1].is_possible()) break;
    if (all.ways[i + 1].is_priced && !all.ways[i].is_priced) continue;
    CHECK(all.ways[i].samples_per_s >= all.ways[i + 1].samples_per_s);
  }
  // What each keeps is no more than the memories of its tiles.
  const Hardware& machine = *job.machine.fabric;
  for (const char* way : {"pipeline", "resident", "streaming"}) {
    CAPTURE(way);
    const PlannedWay& found = way_of(all, way);
    REQUIRE(found.memory_bytes);
    CHECK(*found.memory_bytes > 0);
    CHECK(*found.memory_bytes <= static_cast<double>(found.tiles) *
                                     static_cast<double>(machine.sram_bytes_per_tile.value()));
  }
  REQUIRE(all.step);
  CHECK(way_of(all, "streaming").latency_s == all.step->seconds(*job.machine.fabric));
  const auto plan = best_whole_plan(job, all);
  REQUIRE(plan);
  CHECK(plan->way == &all.best());
  if (plan->way->way != "cut") {
    CHECK(plan->text.find("\"" + plan->way->way + "\"") != std::string::npos);
  }
}

TEST_CASE("a run without time leaves ways out, and says so of each") {
  const WaysJob job = small_job();
  std::atomic<bool> stop = true;
  RunControl control;
  control.stop = &stop;
  const Ways all = plan_all_ways(job, control);
  CHECK_FALSE(all.best().is_possible());
  const std::string& lacks = way_of(all, "cut").lacks;
  CHECK(lacks == left_out("cut", control).lacks);
  CHECK_FALSE(lacks.empty());
  CHECK(all.cut_by == CutReason::interrupted);
  CHECK_FALSE(best_whole_plan(job, all));
  CHECK(no_way_text(job, all).find("; cut: " + lacks) != std::string::npos);
}

TEST_CASE("all ways are told as they are planned before the first is simulated") {
  const WaysJob job = small_job();
  std::vector<std::string> notes;
  RunControl control;
  control.on_progress = [&](const ProgressNote& note) { notes.push_back(note.text); };
  const Ways all = plan_all_ways(job, control);
  const auto first = [&](const std::string& begin) {
    return std::find_if(notes.begin(), notes.end(),
                        [&](const std::string& note) { return note.rfind(begin, 0) == 0; });
  };
  for (const PlannedWay& way : all.ways) {
    if (!way.is_possible()) continue;
    CAPTURE(way.way);
    CHECK(first(way.way + ": ") < first("simulating the way "));
  }
  CHECK(first("simulating the way ") != notes.end());
}

TEST_CASE("a run that is stopped while ways are simulated keeps what was planned") {
  const WaysJob job = small_job();
  std::atomic<bool> stop = false;
  RunControl control;
  control.stop = &stop;
  control.on_progress = [&](const ProgressNote& note) {
    if (note.text.rfind("simulating the way ", 0) == 0) stop = true;
  };
  const Ways all = plan_all_ways(job, control);
  CHECK(all.cut_by == CutReason::interrupted);
  CHECK_FALSE(all.step);
  CHECK(way_of(all, "streaming").note == "planned");
  CHECK(way_of(all, "streaming").samples_per_s > 0);
}

/// A job of a preset that is no wafer of small tiles.
WaysJob job_of(std::string_view network, std::string_view machine, Purpose purpose) {
  WaysJob job;
  job.workload = test::preset_workload(std::string(network));
  job.machine = preset_machine(machine).value();
  job.purpose = purpose;
  Plan base;
  if (purpose == Purpose::infer) base.schedule = Schedule::inference;
  if (job.machine.fabric) {
    job.cut = planner::plan_space_of(job.workload, *job.machine.fabric, base, job.batch);
  }
  return job;
}

TEST_CASE("chips that no simulation knows are planned by DFModel, with what it says alone") {
  const WaysJob job = job_of("llama3_8b", "gaudi2", Purpose::train);
  const Ways all = plan_all_ways(job);
  REQUIRE(all.best().is_possible());
  CHECK(all.best().way == "chips");
  CHECK(all.best().is_priced);
  const planner::SystemPlans alone = planner::plans_for_system(
      job.workload, job.batch, true, job.machine.chips, {}, planner::Objective::throughput);
  CHECK(all.best().samples_per_s ==
        test::close_to(static_cast<double>(job.batch) / alone.plans.front().total_s));
  // Of the layers that DFModel counts.
  CHECK(all.best().bottleneck->of == "a sample");
  CHECK(all.best().bottleneck->binds.seconds <= 1 / all.best().samples_per_s);
  CHECK(all.best().share_of_peak == alone.plans.front().utilisation);
  CHECK(all.best().share_of_peak > 0.1);
  CHECK(all.best().share_of_peak < 1);
  const auto plan = best_whole_plan(job, all);
  REQUIRE(plan);
  CHECK(read_plan(plan->text, "plan.json").tensor == alone.plans.front().tensor);
  CHECK(way_of(all, "cut").lacks.find("joined as fully-connected") != std::string::npos);
  CHECK(way_of(all, "pipeline").lacks.find("no mesh of tiles") != std::string::npos);
}

TEST_CASE("DFModel's plan of chips along a ring is simulated, and its file runs alike") {
  WaysJob job = job_of("t_18b", "sn40l_16", Purpose::train);
  const Ways all = plan_all_ways(job);
  const PlannedWay& chips = way_of(all, "chips");
  REQUIRE(chips.is_possible());
  CHECK_FALSE(chips.is_priced);
  const Plan plan = chips_plan(job.workload, job.machine, all.chips.value(), job.data_type);
  CHECK(plan.way == CutWay::chips);
  CHECK(plan.made_for.machine_crc32.size() == 8);
  const std::string text = plan_text(plan);
  CHECK(way_of(read_any_plan(text, "plan.json")) == "chips");
  CHECK(plan_text(read_plan(text, "plan.json")) == text);
  const Hardware& ring = *job.machine.fabric;
  sim::PlannedPipeline planned =
      sim::plan_pipeline(job.workload, read_plan(text, "plan.json"), ring,
                         sim::lay_out_stages(plan, ring), sim::Contention::simulated);
  const sim::PlanReport found = simulate_planned(planned, {ring, job.options}, {});
  CHECK(chips.samples_per_s == found.samples_per_s);
  // Its model leaves embedding and head out, and counts no transfer that waits; of few parameters
  // all-reduces hide behind computing.
  const double priced = static_cast<double>(job.batch) / all.chips->plans.front().total_s;
  CHECK(chips.samples_per_s < 1.05 * priced);
  CHECK(chips.samples_per_s > 0.8 * priced);
}

TEST_CASE(
    "chips in inference are a stream, as a cut is; numbers are of the type that is asked for") {
  WaysJob job = job_of("bert_base", "a100", Purpose::infer);
  job.machine = read_machine({std::string(machine_preset("a100").value()), "a100"}, {.chips = "8"});
  job.data_type = "bf16";
  Plan base = job.cut.base;
  base.data_type = job.data_type;
  job.cut = planner::plan_space_of(job.workload, *job.machine.fabric, base, job.batch);
  const Ways all = plan_all_ways(job);
  const Plan plan = chips_plan(job.workload, job.machine, all.chips.value(), job.data_type);
  CHECK(plan.data_type == "bf16");
  CHECK(plan.micro_batches >= sim::samples_of_stream(plan.pipeline));
  const Hardware& node = *job.machine.fabric;
  sim::PlannedPipeline planned = sim::plan_pipeline(
      job.workload, plan, node, sim::lay_out_stages(plan, node), sim::Contention::simulated);
  CHECK(way_of(all, "chips").samples_per_s ==
        simulate_planned(planned, {node, job.options}, {}).samples_per_s);
}

TEST_CASE("each chip takes its part of the samples from its own host") {
  // Through one chip's link go 164,443 images a second.
  const Ways all = plan_all_ways(job_of("resnet50", "sn40l_16", Purpose::infer));
  CHECK(way_of(all, "chips").samples_per_s > 0.8 * all.roof_samples_per_s);
}

TEST_CASE("the one chip of a mesh is all of its tiles: no plan of chips runs there") {
  CHECK(planner::has_fabric_of_chips(preset_machine("sn40l_16").value()));
  CHECK(planner::has_fabric_of_chips(preset_machine("a100").value()));
  CHECK(planner::has_fabric_of_chips(preset_machine("a100_cluster").value()));
  CHECK_FALSE(planner::has_fabric_of_chips(preset_machine("wse2").value()));
  CHECK_FALSE(planner::has_fabric_of_chips(preset_machine("gaudi2").value()));
}

TEST_CASE("a sweep of chips that is cut says so, and not that nothing fits") {
  planner::SystemPlanOptions options;
  options.control.asked = [] { return true; };
  CHECK_THROWS_AS(planner::plans_for_system(test::preset_workload("t_18b"), 64, true,
                                            preset_machine("sn40l_16").value().chips, options,
                                            planner::Objective::throughput),
                  RunCut);
}

TEST_CASE("requests on chips take what the model of serving says, and fit or say what is short") {
  WaysJob job = job_of("llama3_8b", "sn40l_16", Purpose::serve);
  const Ways all = plan_all_ways(job);
  const PlannedWay& way = all.best();
  REQUIRE(way.way == "chips");
  planner::ServingOptions options;
  options.prompt = 4096;
  options.context = 4096 + 64;
  const planner::ServingPoint point =
      planner::serving_point(planner::served_model(job.workload), job.machine.chips, options,
                             {.tensor = 16, .pipeline = 1});
  CHECK(way.latency_s == test::close_to(point.ttft_s));
  CHECK(1 / way.samples_per_s == test::close_to(point.ttft_s + 128 * point.tpot_s));
  CHECK(all.roof_samples_per_s > way.samples_per_s);
  CHECK(way.bottleneck->of == "a request");
  CHECK(way.bottleneck->binds.seconds > 0.25 / way.samples_per_s);  // the longest of four
  CHECK(way.bottleneck->binds.seconds < 1 / way.samples_per_s);
  CHECK_FALSE(best_whole_plan(job, all));
  job.serving.requests = 1'000'000;
  const Ways full = plan_all_ways(job);
  CHECK_FALSE(full.best().is_possible());
  CHECK(way_of(full, "chips").lacks.find("bytes") != std::string::npos);
}

TEST_CASE("a network that is cut on a cluster is simulated, and stands before what is priced") {
  WaysJob job = job_of("t_18b", "a100", Purpose::train);
  job.machine =
      read_machine({std::string(machine_preset("a100").value()), "a100"}, {.chips = "64"});
  job.cut = planner::plan_space_of(job.workload, *job.machine.fabric, {}, job.batch);
  const Ways all = plan_all_ways(job);
  CHECK(all.best().way == "cut");
  CHECK_FALSE(all.best().is_priced);
  REQUIRE(way_of(all, "chips").is_possible());
  CHECK_FALSE(way_of(all, "chips").is_priced);
  CHECK(way_of(all, "chips").samples_per_s < all.best().samples_per_s);
  CHECK(all.best().share_of_peak < 0.72);  // what the chips reach of their peak
  const auto plan = best_whole_plan(job, all);
  REQUIRE(plan);
  CHECK(plan->way->way == "cut");
  CHECK(read_plan(plan->text, "plan.json").tensor == all.cut->tensor);
  const PlanGround ground(job.workload, *job.machine.fabric, job.options);
  const PlanFindings found = plan_network({}, ground, job.cut, {});
  const double whole = found.winner().trial.trial.measured->metrics.samples_per_s;
  CHECK(all.best().samples_per_s == whole);
  // Chips are priced with one type of numbers.
  job.data_type = "bf16";
  CHECK(way_of(plan_all_ways(job), "chips").is_possible());
  job.machine.fabric->peak_flop_per_s_per_tile["int8"] = 1'000'000'000'000;
  job.data_type = "int8";
  const Ways other = plan_all_ways(job);
  CHECK(way_of(other, "chips").lacks == "chips are priced with fp16, not with int8");
  job.data_type = "banana";
  CHECK_THROWS_AS(plan_all_ways(job), RequestError);
}

TEST_CASE("a sample's energy is the machine's power over its rate, where the power is known") {
  WaysJob job = small_job();
  REQUIRE(job.machine.fabric->power_w);
  Ways ways;
  PlannedWay way{"pipeline"};
  way.samples_per_s = 10;
  add_way(ways, job, way);
  CHECK(*ways.best().joules ==
        test::close_to(static_cast<double>(*job.machine.fabric->power_w) / 10));
  job.machine.fabric->price_usd = 5'000;
  Ways priced;
  add_way(priced, job, way);
  CHECK(*priced.best().usd_s == test::close_to(500.0));
  job.machine.fabric->power_w.reset();
  job.machine.chips.chip.power_w = 0;
  Ways unknown;
  add_way(unknown, job, way);
  CHECK_FALSE(unknown.best().joules);
}

TEST_CASE("a way is no faster than the ports let samples in") {
  const WaysJob job = small_job();
  Ways ways;
  ways.ports = {{"io", "all host ports, in", 0.5}};
  PlannedWay way{"pipeline"};
  way.samples_per_s = 10;
  way.bottleneck = bottleneck_of({{"compute", "stage a", 0.1}}, "a sample");
  add_way(ways, job, way);
  CHECK(ways.best().samples_per_s == test::close_to(2));
  CHECK(ways.best().bottleneck->binds.name == "all host ports, in");
  CHECK(ways.best().note.ends_with("held to its ports"));
}

TEST_CASE("a wafer serves requests with resident weights, and its plan is written") {
  WaysJob job = small_job();
  job.purpose = Purpose::serve;
  job.serving.prompt = 32;
  job.serving.output = 8;
  const Ways all = plan_all_ways(job);
  REQUIRE(all.serving);
  CHECK(all.best().way == "resident");
  CHECK(all.best().samples_per_s * 8 == test::close_to(all.serving->asked.total_tokens_per_s));
  CHECK(all.best().latency_s == test::close_to(all.serving->asked.ttft_s));
  CHECK(way_of(all, "streaming").lacks == "it does not serve");
  const auto plan = best_whole_plan(job, all);
  REQUIRE(plan);
  CHECK(plan->text.find("\"resident\"") != std::string::npos);
}

}  // namespace
}  // namespace waferloom::optimize
