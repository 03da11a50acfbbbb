#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "viz/canvas.h"

namespace waferloom::viz {

/// When the stages of a pipeline worked, and how each spent its time.
struct StageTimeline {
  static constexpr std::size_t kDoings = 5;

  struct Stage {
    std::string name;
    /// Shares of the run, together 1: it computes; waits for a tensor on its way, for a port on the
    /// wafer's edge, for room behind it; or for nothing but other stages.
    std::array<double, kDoings> shares{};
  };
  struct Task {
    std::size_t stage = 0;
    bool backward = false;
    std::int64_t sample = 0;  ///< or micro-batch, from 0
    std::int64_t begin_ps = 0;
    std::int64_t end_ps = 0;
  };

  std::vector<Stage> stages;  ///< at least one
  std::vector<Task> tasks;
  std::int64_t end_ps = 1;  ///< of what is shown, from 0; above 0
  std::string title;
  std::string facts;
  std::string unit = "sample";  ///< what passes the stages
};

/// Draws a row a stage, the first one on top: its tasks over time, coloured by direction and sample
/// and numbered where there is room, and beside them a bar of how it spent the run. Of more than
/// 120 stages every second, third, … is named, so that names can be read. Tasks beyond `end_ps` are
/// clipped. Throws std::logic_error without stages or time.
std::string draw_stage_timeline(const StageTimeline& timeline, PictureFormat format);

}  // namespace waferloom::viz
