#include <fmt/format.h>

#include <utility>

#include "sim/pipeline_observers.h"
#include "sim/pipeline_spec.h"

namespace waferloom::sim {
namespace {

constexpr std::size_t kPiece = 1 << 16;
constexpr int kStages = 1;  // processes of the trace
constexpr int kChannels = 2;

/// A JSON string.
std::string json_string(std::string_view text) {
  constexpr unsigned char kFirstPrintable = 0x20;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    // Names come from files whose reader lets no control characters through.
    result += static_cast<unsigned char>(c) < kFirstPrintable ? ' ' : c;
  }
  return result + "\"";
}

/// Picoseconds as microseconds.
std::string microseconds(Picoseconds time) {
  constexpr Picoseconds kPerMicrosecond = 1'000'000;
  std::string decimals = std::to_string(time % kPerMicrosecond);
  decimals.insert(0, 6 - decimals.size(), '0');
  return fmt::format("{}.{}", time / kPerMicrosecond, decimals);
}

std::string label(bool backward, std::int64_t sample) {
  return json_string(fmt::format("{}{}", backward ? "backward " : "forward ", sample));
}

std::string place(int process, std::size_t track) {
  return fmt::format("\"pid\":{},\"tid\":{}", process, track);
}

std::string name_of(const ChannelSpec& channel, std::size_t index) {
  return channel.name.empty() ? fmt::format("channel {}", index) : channel.name;
}

}  // namespace

ChromeTrace::ChromeTrace(const PipelineSpec& spec, Sink sink, std::int64_t most, std::string unit)
    : spec_(spec), sink_(std::move(sink)), most_(most), unit_(std::move(unit)) {
  buffer_ = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  const auto name_process = [&](int process, const std::string& name) {
    append_event(fmt::format(
        "{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{},\"args\":{{\"name\":{}}}}}", process,
        json_string(name)));
  };
  name_process(kStages, "stages");
  name_process(kChannels, "tensors");
  for (std::size_t i = 0; i < spec.stages.size(); ++i) name_track(kStages, i, spec.stages[i].name);
  for (std::size_t i = 0; i < spec.channels.size(); ++i) {
    name_track(kChannels, i, name_of(spec.channels[i], i));
  }
}

void ChromeTrace::name_track(int process, std::size_t track, const std::string& name) {
  append_event("{\"ph\":\"M\",\"name\":\"thread_name\"," + place(process, track) +
               ",\"args\":{\"name\":" + json_string(name) + "}}");
}

bool ChromeTrace::has_room(std::int64_t count) {
  if (left_out_ > 0 || written_ + count > most_) {
    left_out_ += count;
    return false;
  }
  written_ += count;
  return true;
}

void ChromeTrace::append_event(const std::string& text) {
  buffer_ += is_first_ ? "\n" : ",\n";
  is_first_ = false;
  buffer_ += text;
  if (buffer_.size() >= kPiece) flush();
}

void ChromeTrace::flush() {
  sink_(buffer_);
  buffer_.clear();
}

void ChromeTrace::on_task(std::size_t stage, bool backward, std::int64_t sample, Picoseconds begin,
                          Picoseconds end) {
  if (!has_room(1)) return;
  append_event(
      fmt::format("{{\"ph\":\"X\",\"name\":{},{},\"ts\":{},\"dur\":{},\"args\":{{\"{}\":{}}}}}",
                  label(backward, sample), place(kStages, stage), microseconds(begin),
                  microseconds(end - begin), unit_, sample));
}

void ChromeTrace::on_shipment(std::size_t channel, bool backward, std::int64_t sample,
                              Picoseconds begin, Picoseconds end) {
  // Shipments of a channel overlap, which complete events of one track must not; viewers put those
  // of one name on one track.
  if (!has_room(2)) return;
  const std::string common = fmt::format(
      "\"cat\":\"tensor\",\"id\":{},\"name\":{},{}", next_shipment_++,
      json_string(name_of(spec_.channels[channel], channel)), place(kChannels, channel));
  append_event(fmt::format(
      "{{\"ph\":\"b\",{},\"ts\":{},\"args\":{{\"{}\":{},\"backward\":{},\"bytes\":{}}}}}", common,
      microseconds(begin), unit_, sample, backward ? "true" : "false",
      spec_.channels[channel].bytes));
  append_event("{\"ph\":\"e\"," + common + ",\"ts\":" + microseconds(end) + "}");
}

void ChromeTrace::finish() {
  buffer_ +=
      fmt::format("\n],\"otherData\":{{\"events\":{},\"left_out\":{}}}}}\n", written_, left_out_);
  flush();
}

}  // namespace waferloom::sim
