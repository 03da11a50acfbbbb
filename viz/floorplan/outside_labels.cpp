#include "viz/floorplan/outside_labels.h"

#include <algorithm>
#include <cmath>

#include "viz/canvas/text.h"
#include "viz/floorplan/least_matching.h"

namespace waferloom::viz {
namespace {

constexpr TextFace kFace{7, true};
constexpr double kPitch = 9;     // of lines of text
constexpr double kReach = 20;    // from the mesh to the text, for the lines
constexpr double kGap = 2.5;     // from the end of a line to its text
constexpr double kDetour = 80;   // of a line that crosses a box to avoid
constexpr double kUpwards = 30;  // for text that is read upwards

/// A place for a name.
struct Slot {
  Point at;
  bool above = false;
};

std::vector<Slot> slots_of(const Box& mesh) {
  std::vector<Slot> slots;
  const int rows = static_cast<int>(mesh.height / kPitch);
  const int columns = static_cast<int>(mesh.width / kPitch);
  for (int i = 0; i < rows; ++i) {
    slots.push_back({{mesh.x + mesh.width + kReach, mesh.y + mesh.height * (i + 0.5) / rows}});
  }
  for (int i = 0; i < columns; ++i) {
    slots.push_back({{mesh.x + mesh.width * (i + 0.5) / columns, mesh.y - kReach}, true});
  }
  return slots;
}

/// The point of a kernel that is nearest to a slot, a little within.
Point site_of(const Box& box, const Point& slot) {
  const double inset_x = std::min(2.0, 0.4 * box.width);
  const double inset_y = std::min(2.0, 0.4 * box.height);
  return {std::clamp(slot.x, box.x + inset_x, box.x + box.width - inset_x),
          std::clamp(slot.y, box.y + inset_y, box.y + box.height - inset_y)};
}

/// Whether a segment meets a box: clipped against the four sides in turn (Liang and Barsky, 1984).
bool meets(const Point& from, const Point& to, const Box& box) {
  double enters = 0;
  double leaves = 1;
  const auto clip = [&](double along, double before, double behind) {
    if (along == 0) return before <= 0 && behind >= 0;
    const double a = before / along;
    const double b = behind / along;
    enters = std::max(enters, std::min(a, b));
    leaves = std::min(leaves, std::max(a, b));
    return enters <= leaves;
  };
  return clip(to.x - from.x, box.x - from.x, box.x + box.width - from.x) &&
         clip(to.y - from.y, box.y - from.y, box.y + box.height - from.y);
}

double cost_of(const Point& site, const Point& slot, const std::vector<Box>& avoid) {
  const auto crossed = std::count_if(avoid.begin(), avoid.end(),
                                     [&](const Box& box) { return meets(site, slot, box); });
  return std::hypot(slot.x - site.x, slot.y - site.y) + kDetour * double(crossed);
}

}  // namespace

OutsideLabels place_outside(std::vector<LabelWish> wishes, const Box& mesh,
                            const std::vector<Box>& avoid) {
  OutsideLabels found;
  const std::vector<Slot> slots = slots_of(mesh);
  const auto leave_out = [&](auto from) {
    for (auto wish = from; wish != wishes.end(); ++wish) found.left_out.push_back(wish->kernel);
    wishes.erase(from, wishes.end());
  };
  if (wishes.size() > slots.size()) {
    leave_out(std::stable_partition(wishes.begin(), wishes.end(),
                                    [](const LabelWish& wish) { return wish.first; }));
  }
  if (wishes.size() > slots.size()) {
    leave_out(wishes.begin() + static_cast<std::ptrdiff_t>(slots.size()));
  }
  std::vector<double> costs;
  costs.reserve(wishes.size() * slots.size());
  for (const LabelWish& wish : wishes) {
    for (const Slot& slot : slots) {
      costs.push_back(cost_of(site_of(wish.box, slot.at), slot.at, avoid) +
                      (slot.above ? kUpwards : 0));
    }
  }
  const std::vector<std::size_t> chosen = least_matching(costs, slots.size());
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    const Slot& slot = slots[chosen[i]];
    const double room = kReach + kGap + text_width(wishes[i].text, kFace) + 4;
    (slot.above ? found.above : found.right) =
        std::max(slot.above ? found.above : found.right, room);
    found.labels.push_back(
        {wishes[i].kernel, wishes[i].text, site_of(wishes[i].box, slot.at), slot.at, slot.above});
  }
  return found;
}

void draw_outside_labels(Canvas& canvas, const OutsideLabels& labels, const Point& by) {
  if (labels.labels.empty()) return;
  const auto moved = [&](const Point& point) { return Point{point.x + by.x, point.y + by.y}; };
  std::vector<Segment> lines;
  for (const OutsideLabel& label : labels.labels) {
    lines.push_back({moved(label.site), moved(label.place)});
  }
  canvas.begin_group({"outside-labels", {}});
  canvas.lines(lines, {faded(kWhite, 0.7), 1.6, false});
  canvas.lines(lines, {kInk, 0.5, false});
  for (const OutsideLabel& label : labels.labels) {
    canvas.circle({moved(label.site), 1.1}, filled(kInk));
    const Point at = moved(label.place);
    const Point text = label.above ? Point{centred_baseline({at.x, kFace.size}), at.y - kGap}
                                   : Point{at.x + kGap, centred_baseline({at.y, kFace.size})};
    canvas.text(label.text, text, {kFace, kInk, TextStyle::Anchor::start, label.above, kNoColour});
  }
  canvas.end_group();
}

}  // namespace waferloom::viz
