#include "viz/evolution.h"

#include <algorithm>

#include "model/text.h"
#include "viz/canvas/animation.h"

namespace waferloom::viz {
namespace {

constexpr double kScale = 1;  // pixels a page unit: half of a still picture's
constexpr std::chrono::milliseconds kFrameTime{700};
constexpr std::chrono::milliseconds kLastFrameTime{4000};

}  // namespace

void Evolution::add(const Placement& placement, const Score& score, const std::string& strategy,
                    double wall_s) {
  shown_.push_back({placement, static_cast<double>(costs_.total(score)),
                    fixed_text(wall_s, 2) + " s, " + strategy});
  if (shown_.size() > kMostShown) drop_least_telling();
}

/// The one that lies closest between its neighbours in total, by ratio.
void Evolution::drop_least_telling() {
  std::size_t least = 1;
  double least_step = 0;
  for (std::size_t i = 1; i + 1 < shown_.size(); ++i) {
    const double step = shown_[i - 1].total / shown_[i + 1].total;
    if (i > 1 && step >= least_step) continue;
    least = i;
    least_step = step;
  }
  shown_.erase(shown_.begin() + static_cast<std::ptrdiff_t>(least));
}

std::string Evolution::draw(const Placement& written, const std::string& source) const {
  const auto placement_of = [&](const Shown& shown) -> const Placement& {
    return &shown == &shown_.back() ? written : shown.placement;
  };
  FloorplanOptions options;
  options.png_scale = kScale;
  options.network = network_;
  FloorplanRoom most;  // frames have to be alike in size
  for (const Shown& shown : shown_) {
    const FloorplanRoom room = floorplan_room(problem_, placement_of(shown), options);
    most = {std::max(most.right, room.right), std::max(most.above, room.above),
            std::max(most.body, room.body)};
  }
  options.least_room = most;
  std::vector<AnimationFrame> frames;
  for (const Shown& shown : shown_) {
    options.source = source.empty() ? shown.caption : source + ", " + shown.caption;
    frames.push_back(
        {draw_floorplan(problem_, placement_of(shown), PictureFormat::png, options), kFrameTime});
  }
  frames.back().duration = kLastFrameTime;
  return animated_png(frames);
}

}  // namespace waferloom::viz
