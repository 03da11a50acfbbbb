#include <fmt/format.h>

#include "cli/commands/simulate/simulate_forms.h"
#include "cli/console/failure.h"
#include "cli/console/interrupt.h"
#include "cli/console/progress.h"
#include "cli/files/report_target.h"
#include "cli/options/search_control.h"
#include "cli/summaries/summary_lines.h"
#include "model/errors.h"
#include "model/mesh.h"
#include "sim/message_run.h"
#include "sim/report_json.h"

namespace waferloom::cli {
namespace {

/// The machine whose devices these traces are of.
constexpr std::string_view kTracedHardware = "wormhole";

std::string trace_summary(const DeviceTrace& trace, const Hardware& hardware,
                          const sim::TraceTimes& times, const std::string& name) {
  std::string lines = fmt::format("{}: {} reads and {} writes of {} processors on {}\n", name,
                                  times.reads, times.writes, trace.programs.size(), hardware.name);
  lines +=
      summary_line("span", fmt::format("{} cycles, recorded {}", times.span_cycles, trace.cycles));
  for (std::size_t i = 0; i < times.networks.size(); ++i) {
    const sim::NetworkTimes& network = times.networks[i];
    if (network.transfers == 0) continue;
    std::string text = fmt::format("{} bytes in {} transfers", network.bytes, network.transfers);
    if (!network.busiest_link.empty()) {
      text += fmt::format("; most over {}: {}", network.busiest_link, network.busiest_link_bytes);
    }
    lines += summary_line(hardware.noc->networks[i].name, text);
  }
  return lines;
}

}  // namespace

int simulate_trace(const SimulateRequest& request, std::string_view text, const std::string& source,
                   const ReportTarget& target) {
  const CommonOptions& common = request.common;
  if (request.run.network != sim::NetworkChoice::automatic || request.run.routing ||
      request.injection_queues != sim::MessageRunOptions{}.injection_queues) {
    throw Failure(FailureKind::usage,
                  "--network, --routing and --injection-queues are of message sets: a device trace "
                  "runs on the networks of its machine");
  }
  const DeviceTrace trace = read_device_trace(text, source);
  const Hardware hardware = read_fabric(request.hardware, kTracedHardware, common);
  sim::TraceRunOptions options;
  options.issue_times = request.issue_times;
  options.control = run_control(common);
  Progress progress(common);
  progress.update("simulating", source);
  sim::TraceTimes times;
  try {
    times = sim::run_trace(trace, hardware, options);
  } catch (const RequestError& error) {
    throw Failure(FailureKind::input, source + ": " + error.what());
  }
  progress.finish();
  throw_if_interrupted();
  throw_if_late(common);
  target.write(sim::trace_report(trace, hardware, options, times));
  if (!target.on_stdout()) write_stdout(trace_summary(trace, hardware, times, source));
  return 0;
}

}  // namespace waferloom::cli
