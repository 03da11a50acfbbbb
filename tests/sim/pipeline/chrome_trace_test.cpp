#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/pipeline_observers.h"
#include "sim/simulate.h"
#include "tests/sim/mesh/mesh_fixture.h"

namespace waferloom::sim {
namespace {

using Json = nlohmann::json;

/// Two stages of 1.5 and 0.25 microseconds, a tensor between them.
PipelineSpec two_stages() {
  PipelineSpec spec;
  spec.stages = {{"first \"a\\b\"", 1'500'000}, {"second", 250'000}};
  ChannelSpec channel;
  channel.name = "between";
  channel.producer = 0;
  channel.consumer = 1;
  channel.bytes = 6;
  channel.lanes = {{{0, 0}, {1, 0}}};
  spec.channels = {channel};
  return spec;
}

struct Trace {
  Json json;
  std::int64_t left_out = 0;
};

Trace trace_of(const PipelineSpec& spec, std::int64_t samples, std::int64_t most) {
  std::string text;
  ChromeTrace trace(
      spec, [&](std::string_view piece) { text += piece; }, most);
  SimulateOptions options;
  options.samples = samples;
  options.extrapolate = false;
  options.observers = {&trace};
  simulate(spec, small_fabric(2, 1), options);
  trace.finish();
  return {Json::parse(text), trace.left_out()};
}

TEST_CASE("a trace has every task and shipment at its time, to the picosecond") {
  const PipelineSpec spec = two_stages();
  const Trace trace = trace_of(spec, 3, 1'000);
  CHECK(trace.left_out == 0);
  std::map<std::string, int> count;
  for (const Json& event : trace.json["traceEvents"]) ++count[event["ph"]];
  CHECK(count == std::map<std::string, int>{{"M", 5}, {"X", 6}, {"b", 3}, {"e", 3}});
  const Json& events = trace.json["traceEvents"];
  CHECK(events[2]["args"]["name"] == "first \"a\\b\"");
  const auto first = std::find_if(events.begin(), events.end(),
                                  [](const Json& event) { return event["ph"] == "X"; });
  CHECK((*first)["name"] == "forward 0");
  CHECK((*first)["ts"] == 0.0);
  CHECK((*first)["dur"] == 1.5);
  const auto begin = std::find_if(events.begin(), events.end(),
                                  [](const Json& event) { return event["ph"] == "b"; });
  const auto end = std::find_if(events.begin(), events.end(),
                                [](const Json& event) { return event["ph"] == "e"; });
  CHECK((*begin)["name"] == "between");
  CHECK((*begin)["args"]["sample"] == 0);
  CHECK((*begin)["args"]["backward"] == false);
  CHECK((*begin)["id"] == (*end)["id"]);
  CHECK((*begin)["ts"] == 1.5);
  CHECK((*begin)["args"]["bytes"] == 6);
  // Six bytes of 1,000 ps each and one hop of 1,000 ps.
  CHECK((*end)["ts"] == 1.507);
}

TEST_CASE("a trace is cut at the most events that it may have, and says so") {
  const PipelineSpec spec = two_stages();
  const Trace trace = trace_of(spec, 100, 50);
  int events = 0;
  for (const Json& event : trace.json["traceEvents"]) events += event["ph"] == "M" ? 0 : 1;
  CHECK((events == 49 || events == 50));  // a tensor has two
  CHECK(trace.left_out == 100 * 4 - events);
  CHECK(trace.json["otherData"]["left_out"] == trace.left_out);
}

TEST_CASE("a long trace comes in pieces, gradients are told apart") {
  PipelineSpec spec = two_stages();
  spec.training = true;
  for (StageSpec& stage : spec.stages) stage.most_in_flight = 2;
  const Trace trace = trace_of(spec, 500, 1'000'000);
  std::map<std::string, int> count;
  for (const Json& event : trace.json["traceEvents"]) {
    if (event["ph"] == "b") ++count[event["args"]["backward"] ? "gradient" : "tensor"];
    if (event["ph"] == "X") ++count[event["name"].get<std::string>().substr(0, 8)];
  }
  CHECK(count == std::map<std::string, int>{
                     {"backward", 1'000}, {"forward ", 1'000}, {"gradient", 500}, {"tensor", 500}});
}

}  // namespace
}  // namespace waferloom::sim
