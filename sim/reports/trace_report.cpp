#include "sim/message_run.h"
#include "sim/report_json.h"

namespace waferloom {
namespace {

struct TraceReport {
  const DeviceTrace* trace;
  const Hardware* hardware;
  const sim::TraceRunOptions* options;
  const sim::TraceTimes* times;
};

/// A network of the machine, and what went over it.
struct TracedNetwork {
  std::string name;
  const sim::NetworkTimes* times;
};

/// A processor of a tile.
struct TracedProgram {
  const TraceProgram* program;
  const sim::ProgramTimes* times;
};

std::vector<TracedNetwork> networks_of(const TraceReport& report) {
  std::vector<TracedNetwork> networks;
  for (std::size_t i = 0; i < report.times->networks.size(); ++i) {
    networks.push_back({report.hardware->noc->networks[i].name, &report.times->networks[i]});
  }
  return networks;
}

std::vector<TracedProgram> programs_of(const TraceReport& report) {
  std::vector<TracedProgram> programs;
  for (std::size_t i = 0; i < report.times->programs.size(); ++i) {
    programs.push_back({&report.trace->programs[i], &report.times->programs[i]});
  }
  return programs;
}

}  // namespace

template <>
const TypeRows& rows_of<TracedNetwork>() {
  using Times = sim::NetworkTimes;
  const auto times = [](const TracedNetwork& network) -> const Times& { return *network.times; };
  static const TypeRows rows = report_rows(joined(
      {{row("name", &TracedNetwork::name, {"name of the network"})},
       through<TracedNetwork>(
           times,
           {row("transfers", &Times::transfers, {"reads and writes over it", kCount}),
            row("bytes", &Times::bytes, {"bytes of these", kCount}),
            row("busiest_link_bytes", &Times::busiest_link_bytes,
                {"bytes over its busiest link, headers of packets too", kCount}),
            row("busiest_link", &Times::busiest_link, {"that link; empty if none was used"})})}));
  return rows;
}

template <>
const TypeRows& rows_of<TracedProgram>() {
  using Program = TraceProgram;
  using Times = sim::ProgramTimes;
  const auto program = [](const TracedProgram& of) -> const Program& { return *of.program; };
  const auto tile = [](const TracedProgram& of) -> const TilePlace& { return of.program->tile; };
  const auto times = [](const TracedProgram& of) -> const Times& { return *of.times; };
  static const TypeRows rows = report_rows(joined(
      {through<TracedProgram>(tile, {row("x", &TilePlace::x, {"column of its tile", kCount}),
                                     row("y", &TilePlace::y, {"row of its tile", kCount})}),
       through<TracedProgram>(
           program, {row("processor", &Program::processor, {"the processor of the tile"})}),
       through<TracedProgram>(
           times, {row("end_cycle", &Times::end_cycle,
                       {"cycle of the last thing that it did, or that it waited for", kCount}),
                   row("recorded_cycle", &Times::recorded_cycle,
                       {"cycle of its last event in the trace", kCount}),
                   row("waited_cycles", &Times::waited_cycles, {"cycles in barriers", kCount})})}));
  return rows;
}

namespace {

const TypeRows& trace_rows() {
  using Report = TraceReport;
  using Options = sim::TraceRunOptions;
  using Times = sim::TraceTimes;
  const auto options = [](const Report& report) -> const Options& { return *report.options; };
  const auto times = [](const Report& report) -> const Times& { return *report.times; };
  const auto trace = [](const Report& report) -> const DeviceTrace& { return *report.trace; };
  const auto machine = [](const Report& report) { return std::string_view(report.hardware->name); };
  static const TypeRows rows = report_file(
      "waferloom/trace/1",
      joined({{computed<Report>("hardware", machine, {"name of the machine"})},
              through<Report>(options, {row("issue_times", &Options::issue_times,
                                            {"when transfers were issued: as recorded, or shifted "
                                             "with the barriers before them"})}),
              through<Report>(
                  times,
                  {row("span_cycles", &Times::span_cycles,
                       {"cycles from the trace's first event to the last thing done", kCount})}),
              through<Report>(trace,
                              {row("recorded_cycles", &DeviceTrace::cycles,
                                   {"cycles from the trace's first event to its last", kCount}),
                               row("trace_events", &DeviceTrace::events, {"events of the trace"})}),
              through<Report>(
                  times, {row("reads", &Times::reads, {"reads", kCount}),
                          row("writes", &Times::writes, {"writes, those to several too", kCount}),
                          row("barriers", &Times::barriers, {"waits for reads or writes", kCount}),
                          row("events", &Times::events, {"simulated events", kCount})}),
              {computed<Report>("networks", networks_of, {"what went over each network"}),
               computed<Report>("programs", programs_of,
                                {"what processors did, in the order of the trace"})}}));
  return rows;
}

}  // namespace

namespace sim {

Report trace_report(const DeviceTrace& trace, const Hardware& hardware,
                    const TraceRunOptions& options, const TraceTimes& times) {
  const TraceReport report{&trace, &hardware, &options, &times};
  return rows_report(trace_rows(), &report);
}

std::string trace_schema() {
  return schema_text(trace_rows(), "Report of waferloom simulate --messages, of a device trace");
}

}  // namespace sim
}  // namespace waferloom
