#include <algorithm>

#include "sim/report_json.h"

namespace waferloom {
namespace {

struct CompleteMessage {
  std::int64_t id = 0;
  std::int64_t complete_cycle = 0;
};

struct MessagesReport {
  const MessageSet* set;
  const sim::MessageRunOptions* options;
  const sim::MessageTimes* times;
};

std::vector<CompleteMessage> messages_of(const MessagesReport& report) {
  std::vector<CompleteMessage> messages;
  for (std::size_t i = 0; i < report.set->messages.size(); ++i) {
    messages.push_back({report.set->messages[i].id, report.times->complete_cycle[i]});
  }
  return messages;
}

}  // namespace

template <>
const TypeRows& rows_of<CompleteMessage>() {
  static const TypeRows rows = report_rows({row("id", &CompleteMessage::id, {"id of the message"}),
                                            row("complete_cycle", &CompleteMessage::complete_cycle,
                                                {"cycle in which it is complete", kCount})});
  return rows;
}

namespace {

const TypeRows& messages_rows() {
  using Options = sim::MessageRunOptions;
  using Report = MessagesReport;
  using Times = sim::MessageTimes;
  const auto options = [](const Report& report) -> const Options& { return *report.options; };
  const auto times = [](const Report& report) -> const Times& { return *report.times; };
  const auto routing = [](const Report& report) { return routing_name(report.set->routing); };
  const auto most_flits = [](const Times& at) {
    return *std::max_element(at.link_flits.begin(), at.link_flits.end());
  };
  static const TypeRows rows = report_file(
      "waferloom/messages/1",
      joined({through<Report>(times,
                              {row("network", &Times::network, {"model of the network on chip"}),
                               row("network_reason", &Times::network_reason,
                                   {"why that one; null where it was asked for"})}),
              {listed_row(computed<Report>("routing", routing, {"how messages find their way"}),
                          kRoutingNames)},
              through<Report>(options,
                              {row("injection_queues", &Options::injection_queues,
                                   {"queues in which a tile's messages wait to enter the network",
                                    kPositiveCount})}),
              through<Report>(
                  times,
                  {row("makespan", &Times::makespan,
                       {"cycles until all messages are complete", kCount}),
                   computed<Times>("busiest_link_flits", most_flits,
                                   {"flits over the busiest link", kCount}),
                   row("bottleneck", &Times::bottleneck, {kBottleneckMeaning}),
                   row("events", &Times::events, {"simulated events", kCount}),
                   row("rate_error", &Times::rate_error,
                       {"how exact the rates of the fair network are; null of other networks"})}),
              {computed<Report>("messages", messages_of, {"when each message was complete"})}}));
  return rows;
}

}  // namespace

namespace sim {

Report messages_report(const MessageSet& set, const MessageRunOptions& options,
                       const MessageTimes& times) {
  const MessagesReport report{&set, &options, &times};
  return rows_report(messages_rows(), &report);
}

std::string messages_schema() {
  return schema_text(messages_rows(), "Report of waferloom simulate --messages");
}

}  // namespace sim
}  // namespace waferloom
