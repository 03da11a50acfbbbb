#include <fmt/format.h>

#include "cli/commands/simulate/simulate_forms.h"
#include "cli/console/failure.h"
#include "cli/console/interrupt.h"
#include "cli/console/progress.h"
#include "cli/console/warnings.h"
#include "cli/files/input_file.h"
#include "cli/files/report_target.h"
#include "cli/options/search_control.h"
#include "cli/summaries/simulation_summary.h"
#include "cli/summaries/summary_lines.h"
#include "model/errors.h"
#include "model/mesh.h"
#include "model/report.h"
#include "sim/message_run.h"
#include "sim/report_json.h"

namespace waferloom::cli {
namespace {

std::string network_text(const sim::MessageTimes& times) {
  const std::string name(sim::network_name(times.network));
  return times.network_reason ? name + " (" + *times.network_reason + ")" : name;
}

std::string messages_summary(const MessageSet& set, const sim::MessageTimes& times,
                             const std::string& name) {
  std::int64_t flits = 0;
  for (const Message& message : set.messages) flits += message.flits;
  return fmt::format("{}: {} messages of together {} flits\n{}{}{}", name, set.messages.size(),
                     flits,
                     summary_line("network", network_text(times) + ", routing " +
                                                 std::string(routing_name(set.routing))),
                     summary_line("makespan", fmt::format("{} cycles", times.makespan)),
                     bound_line(times.bottleneck));
}

}  // namespace

int simulate_messages(const SimulateRequest& request) {
  const CommonOptions& common = request.common;
  const std::string& path = request.messages.value();
  sim::MessageRunOptions options;
  options.network = sim::network_of(request.run.network);
  options.injection_queues = request.injection_queues;
  options.control = run_control(common);
  const std::optional<Routing>& routing = request.run.routing;
  const ReportTarget target(common);
  if (target.file() != nullptr) check_distinct({target.file()}, {path});
  const std::string source = source_name(path);
  const std::string text = read_input(path, common);
  if (is_device_trace(text)) return simulate_trace(request, text, source, target);
  const MachineChoice& machine = request.hardware;
  const bool has_issue_times = request.issue_times != sim::TraceRunOptions{}.issue_times;
  if (machine.name || machine.chips || !machine.set.empty() || has_issue_times) {
    throw Failure(FailureKind::usage,
                  "--hardware, --set, --chips and --issue-times are of device traces: a message "
                  "set says its mesh itself");
  }
  MessageSet set = read_message_set(text, source);
  if (routing) set.routing = *routing;
  if (set.messages.empty()) {
    throw Failure(FailureKind::input, source + ": nothing would move: it has no messages");
  }
  Progress progress(common);
  progress.update("simulating", source);
  auto told = optimize::Clock::now();
  options.on_progress = [&](const sim::MessageProgress& run) {
    constexpr double kBetween = 0.5;
    if (seconds_since(told) < kBetween) return;
    told = optimize::Clock::now();
    progress.update(fmt::format("simulating, of {} messages {} have begun, {} are complete",
                                set.messages.size(), run.begun, run.complete),
                    source);
  };
  sim::MessageTimes times;
  try {
    times = sim::run_messages(set, options);
  } catch (const RequestError& error) {
    throw Failure(FailureKind::input, source + ": " + error.what());
  }
  progress.finish();
  throw_if_interrupted();
  throw_if_late(common);
  if (times.rate_error && times.rate_error->is_restless()) {
    Warnings warnings(common);
    warnings.add(unrest_text(*times.rate_error));
  }
  target.write(sim::messages_report(set, options, times));
  if (!target.on_stdout()) write_stdout(messages_summary(set, times, source));
  return 0;
}

}  // namespace waferloom::cli
