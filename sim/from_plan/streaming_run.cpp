#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "sim/mesh/run_check.h"
#include "sim/message_run.h"
#include "sim/network/message_writer.h"
#include "sim/wafer_runs.h"

// Problem: check the time of a training step whose weights come from outside, with words that meet
// on links and at ports.
// Idea: write the step down as messages on a mesh of blocks of tiles. Ports and tiles are delays;
// weights are messages to all blocks of a column, gradients messages to the edge. A few layers are
// run, the others repeat them.
// Source: the layout of planner/wafer_streaming.h. Cost: for each layer that is run some thousand
// messages forward and twice as many backward.
namespace waferloom::sim {
namespace {

constexpr std::int64_t kShownLayers = 4;
constexpr std::int64_t kPieces = 2;  // of a layer
constexpr std::int64_t kBlockRows = 12;
constexpr std::int64_t kBlockColumns = 8;

std::int64_t blocks_of(std::int64_t tiles, std::int64_t side) { return (tiles + side - 1) / side; }

class StepWriter {
 public:
  using Steps = MessageWriter::Steps;

  explicit StepWriter(const StreamingStep& step)
      : step_(step),
        side_(std::max(blocks_of(step.rows, kBlockRows), blocks_of(step.columns, kBlockColumns))),
        rows_(blocks_of(step.rows, side_)),
        columns_(blocks_of(step.columns, side_)),
        writer_({.rows = rows_, .columns = columns_},
                {std::max<std::int64_t>(1, step.hop_cycles * side_), step.ramp_cycles}),
        // On one column of blocks both edges are the same tile.
        ports_(static_cast<std::size_t>(2 * rows_)),
        outs_(ports_.size()) {}

  void write() {
    for (const StreamingStep::Part& part : step_.parts) {
      for (std::int64_t i = 0; i < shown(part); ++i) {
        forward_ends_.push_back(write_layer(part.weight_words, part.forward_cycles, 0));
      }
    }
    if (!step_.trains) return;
    for (auto part = step_.parts.rbegin(); part != step_.parts.rend(); ++part) {
      for (std::int64_t i = 0; i < shown(*part); ++i) {
        backward_ends_.push_back(
            write_layer(part->backward_weight_words, part->backward_cycles, part->gradient_words));
      }
    }
  }

  static std::int64_t shown(const StreamingStep::Part& part) {
    return std::min(part.repeat, kShownLayers);
  }
  const MessageSet& set() const { return writer_.set(); }
  std::int64_t side() const { return side_; }
  /// The computation that ends each layer that is run.
  const Steps& forward_ends() const { return forward_ends_; }
  const Steps& backward_ends() const { return backward_ends_; }

 private:
  std::int64_t edge(std::size_t port) const { return port % 2 == 0 ? 0 : columns_ - 1; }
  std::int64_t row(std::size_t port) const { return static_cast<std::int64_t>(port / 2); }

  /// Of so many words, side by side over the links of a block, each as long as the busiest takes.
  std::int64_t flits(double words) const {
    const double a_link = words * step_.word_cycles / static_cast<double>(side_);
    return std::max<std::int64_t>(1, std::llround(std::ceil(a_link)));
  }

  std::size_t write_layer(double weights, std::int64_t cycles, double gradients) {
    for (std::int64_t piece = 0; piece < kPieces; ++piece) {
      Steps arrived = send_weights(weights / kPieces);
      if (!computed_.empty()) arrived.push_back(computed_.back());
      computed_.push_back(
          writer_.compute({0, 0}, static_cast<double>(cycles) / kPieces, std::move(arrived)));
      if (gradients > 0) send_gradients(gradients / kPieces);
    }
    return computed_.back();
  }

  Steps send_weights(double words) {
    const double of_port = words / static_cast<double>(ports_.size());
    const double port_rate = step_.port_words_per_cycle / static_cast<double>(ports_.size());
    Steps arrived;
    for (std::size_t port = 0; port < ports_.size(); ++port) {
      Steps after;
      if (ports_[port]) after.push_back(*ports_[port]);
      // There is room for the weights of a layer beside the one at work.
      const std::size_t ahead = step_.weights_wait ? 1 : kPieces;
      if (computed_.size() >= ahead) after.push_back(computed_[computed_.size() - ahead]);
      const TilePlace at{edge(port), row(port)};
      // The first words come the whole way.
      const double entry = ports_[port] ? 0 : static_cast<double>(step_.entry_cycles);
      ports_[port] = writer_.compute(at, entry + of_port / port_rate, std::move(after));
      for (std::int64_t column = 0; column < columns_; ++column) {
        std::vector<TilePlace> to;
        for (std::int64_t r = 0; r < rows_; ++r) {
          if (column != at.x || r != at.y) to.push_back({column, r});
        }
        if (to.empty()) continue;
        const std::int64_t sent = flits(of_port / static_cast<double>(columns_));
        arrived.push_back(writer_.send(at, std::move(to), sent, {*ports_[port]}));
      }
      arrived.push_back(*ports_[port]);
    }
    return arrived;
  }

  void send_gradients(double words) {
    const double of_block = words / static_cast<double>(rows_ * columns_);
    const double port_rate = step_.port_words_per_cycle / static_cast<double>(ports_.size());
    for (std::size_t port = 0; port < outs_.size(); ++port) {
      Steps after;
      if (outs_[port]) after.push_back(*outs_[port]);
      const TilePlace to{edge(port), row(port)};
      for (std::int64_t column = 0; column < columns_; ++column) {
        const bool is_west = 2 * column < columns_;
        if (is_west != (port % 2 == 0)) continue;
        if (column == to.x) {
          after.push_back(computed_.back());
          continue;
        }
        after.push_back(
            writer_.send({column, row(port)}, {to}, flits(of_block), {computed_.back()}));
      }
      outs_[port] = writer_.compute(to, words / static_cast<double>(outs_.size()) / port_rate,
                                    std::move(after));
    }
  }

  const StreamingStep& step_;
  std::int64_t side_;     // of a block, tiles
  std::int64_t rows_;     // of blocks
  std::int64_t columns_;  // likewise
  MessageWriter writer_;
  std::vector<std::optional<std::size_t>> ports_;  // last piece brought in, west and east by turns
  std::vector<std::optional<std::size_t>> outs_;   // last piece that left
  Steps computed_;                                 // pieces
  Steps forward_ends_;
  Steps backward_ends_;
};

/// Neither ports nor tiles do more than they can in a step. Pieces are rounded to cycles.
void check_step(const StreamingStep& step, double cycles) {
  double in = 0;
  double out = 0;
  double computed = 0;
  double pieces = 0;
  for (const StreamingStep::Part& part : step.parts) {
    const auto repeat = static_cast<double>(part.repeat);
    const bool trains = step.trains;
    in += repeat * (part.weight_words + (trains ? part.backward_weight_words : 0));
    out += repeat * (trains ? part.gradient_words : 0);
    computed +=
        repeat * static_cast<double>(part.forward_cycles + (trains ? part.backward_cycles : 0));
    pieces += 2 * repeat * static_cast<double>(kPieces);
  }
  check_run({"step",
             {{"ports, in", in / step.port_words_per_cycle, cycles, pieces},
              {"ports, out", out / step.port_words_per_cycle, cycles, pieces},
              {"tiles", computed, cycles, pieces}}});
}

/// Cycles from the last layer but one to the last of `count` layers that end at these steps.
double settled(const std::vector<std::int64_t>& ends, std::size_t last) {
  return last == 0 ? static_cast<double>(ends[0])
                   : static_cast<double>(ends[last] - ends[last - 1]);
}

}  // namespace

StreamingTimes run_streaming_step(const StreamingStep& step, NetworkKind network,
                                  const RunControl& control) {
  StepWriter writer(step);
  writer.write();
  const MessageTimes times = run_messages(writer.set(), {.network = network, .control = control});
  StreamingTimes result;
  result.stopped = times.stopped;
  result.events = times.events;
  result.messages = writer.set().messages.size();
  result.block_side = writer.side();
  if (times.stopped) return result;
  const auto ends_of = [&](const std::vector<std::size_t>& steps) {
    std::vector<std::int64_t> ends;
    for (const std::size_t at : steps) ends.push_back(times.complete_cycle[at]);
    return ends;
  };
  const std::vector<std::int64_t> forward = ends_of(writer.forward_ends());
  const std::vector<std::int64_t> backward = ends_of(writer.backward_ends());
  result.shown_cycles = times.makespan;
  // Behind the last piece its way out.
  result.step_cycles = static_cast<double>(times.makespan + (step.trains ? step.entry_cycles : 0));
  std::size_t first = 0;
  std::int64_t most = 0;
  for (const StreamingStep::Part& part : step.parts) {
    const std::int64_t shown = StepWriter::shown(part);
    const std::size_t last = first + static_cast<std::size_t>(shown) - 1;
    const double on = settled(forward, last);
    // Backward runs the parts in the other order; its layers count from the end.
    const double back = backward.empty() ? 0 : settled(backward, backward.size() - 1 - first);
    result.step_cycles += static_cast<double>(part.repeat - shown) * (on + back);
    if (part.repeat > most) {
      most = part.repeat;
      result.forward_layer_cycles = on;
      result.backward_layer_cycles = back;
    }
    first += static_cast<std::size_t>(shown);
  }
  check_step(step, result.step_cycles);
  result.step_cycles *= static_cast<double>(step.micro_batches);
  return result;
}

}  // namespace waferloom::sim
