#include "viz/floorplan/inside_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/text.h"
#include "viz/canvas/text.h"

// Problem: write a kernel's name and details as large as its box allows.
// Idea: try the name with details below, on one line, and alone; level and upwards. For each,
// shrink the text until a place is free of ink. Read upwards only if that is much larger. If no
// place is free, take the one where the name hides least.
// Source: our own.
// Cost: places tried times the ink cells under the text.
namespace waferloom::viz {
namespace {

using Lines = InsideLabel::Lines;

constexpr double kLargest = 13;
constexpr double kShrink = 0.93;
constexpr double kLineSpacing = 1.2;
constexpr double kDetailSize = 0.82;  // of the name's text size
constexpr double kLeastWithDetails = kLeastLabel / kDetailSize;
constexpr double kBetween = 0.5;  // of parts on one line
constexpr double kFirstBaseline = 0.86;
constexpr std::size_t kLongestName = 24;   // labels need no more than a name's beginning
constexpr std::size_t kShortestStump = 6;  // of a name cut short to fit

/// Room along and across the direction of reading.
struct Room {
  double along = 0;
  double across = 0;
};

Room needed(const LabelText& text, Lines lines, double size) {
  const double height = (text.rise.above + text.rise.below) * size;
  switch (lines) {
    case Lines::stacked: {
      double widest = text.name_width;
      for (const double width : text.detail_widths) widest = std::max(widest, width);
      const auto below = static_cast<double>(text.details.size());
      return {widest * size, (1 + below * kLineSpacing * kDetailSize) * size};
    }
    case Lines::single: {
      double width = text.name_width;
      for (const double detail : text.detail_widths) width += kBetween + detail;
      return {width * size, height};
    }
    case Lines::name_only:
      break;
  }
  return {text.name_width * size, height};
}

/// Space left free on each side of a label.
double padding(const Box& box) {
  return std::clamp(0.09 * std::min(box.width, box.height), 0.7, 5.0);
}

/// A label of one setting looked for in a box.
struct Sought {
  Lines lines = Lines::stacked;
  bool upwards = false;
  double size = kLargest;
};

/// Where something may begin in slack: at its front, then on in steps of half the text size; first
/// of all in the middle of little slack.
std::vector<double> offsets(double slack, double size, bool centred) {
  constexpr int kMost = 40;
  if (slack < 0.5 * size) return {slack / 2};
  std::vector<double> all;
  if (centred) all.push_back(slack / 2);
  const int steps = std::min(kMost, static_cast<int>(std::ceil(slack / (0.5 * size))));
  for (int i = 0; i <= steps; ++i) all.push_back(slack * i / steps);
  return all;
}

/// The box of a label, from the corner where reading begins; upwards from the box's top end.
Box placed(const Box& box, const Room& need, bool upwards, const Point& offset) {
  const double free = padding(box);
  if (!upwards) {
    return {box.x + free + offset.x, box.y + free + offset.y, need.along, need.across};
  }
  return {box.x + free + offset.y, box.y + free + offset.x, need.across, need.along};
}

/// The best place of a setting, and how many cells of ink it hides.
struct Found {
  Box place;
  std::int64_t hidden = 0;
};
std::optional<Found> best_place(const LabelText& text, const Box& box, const Sought& sought,
                                const InkMap& ink) {
  const double free = 2 * padding(box);
  const Room need = needed(text, sought.lines, sought.size);
  const double along = (sought.upwards ? box.height : box.width) - free - need.along;
  const double across = (sought.upwards ? box.width : box.height) - free - need.across;
  if (along < 0 || across < 0) return std::nullopt;
  std::optional<Found> best;
  for (const double y : offsets(across, sought.size, across < need.across)) {
    for (const double x : offsets(along, sought.size, along < 0.5 * need.along)) {
      const Box place = placed(box, need, sought.upwards, {x, y});
      const std::int64_t hidden = ink.under(place);
      if (!best || hidden < best->hidden) best = Found{place, hidden};
      if (hidden == 0) return best;
    }
  }
  return best;
}

InsideLabel label_of(const LabelText& text, const Sought& sought, const Box& place) {
  return {text, sought.lines, sought.upwards, sought.size, place};
}

/// The largest label in one direction that hides nothing, with the extents on two lines or on one.
std::optional<InsideLabel> largest_clear(const LabelText& text, const Box& box, bool with_details,
                                         bool upwards, const InkMap& ink) {
  const std::vector<Lines> settings = with_details
                                          ? std::vector<Lines>{Lines::stacked, Lines::single}
                                          : std::vector<Lines>{Lines::name_only};
  const double least = with_details ? kLeastWithDetails : kLeastLabel;
  for (double size = kLargest; size >= least; size *= kShrink) {
    for (const Lines lines : settings) {
      const Sought sought{lines, upwards, size};
      const auto found = best_place(text, box, sought, ink);
      if (found && found->hidden == 0) return label_of(text, sought, found->place);
    }
  }
  return std::nullopt;
}

/// Level, unless the label can be much larger upwards, as in tall thin kernels.
std::optional<InsideLabel> clear_label(const LabelText& text, const Box& box, bool with_details,
                                       const InkMap& ink) {
  constexpr double kMuchLarger = 1.4;
  auto level = largest_clear(text, box, with_details, false, ink);
  auto upright = largest_clear(text, box, with_details, true, ink);
  if (!level || (upright && upright->size >= kMuchLarger * level->size)) return upright;
  return level;
}

/// The name where it hides the least share of its own box.
std::optional<InsideLabel> covering_label(const LabelText& text, const Box& box,
                                          const InkMap& ink) {
  std::optional<InsideLabel> best;
  double least = 0;
  for (const double size : {9.0, 7.5, kLeastLabel}) {
    for (const bool upwards : {false, true}) {
      const Sought sought{Lines::name_only, upwards, size};
      const auto found = best_place(text, box, sought, ink);
      if (!found) continue;
      const double share = double(found->hidden) / (found->place.width * found->place.height);
      if (best && share >= 0.9 * least) continue;
      best = label_of(text, sought, found->place);
      least = share;
    }
  }
  return best;
}

void measure_name(LabelText& text) {
  text.name_width = text_width(text.name, {1, true});
  text.rise = text_rise(text.name, {1, true});
}

/// The label with the whole name, if it fits.
std::optional<InsideLabel> fit_whole(const LabelText& text, const Box& box, const InkMap& ink) {
  for (const bool with_details : {true, false}) {
    if (auto label = clear_label(text, box, with_details, ink)) return label;
  }
  return covering_label(text, box, ink);
}

}  // namespace

LabelText label_text(const std::string& name, const std::vector<std::string>& details) {
  LabelText text;
  text.name = ellipsise(clean_text(name), kLongestName);
  measure_name(text);
  for (const std::string& detail : details) {
    text.details.push_back(clean_text(detail));
    text.detail_widths.push_back(text_width(text.details.back(), {kDetailSize, false}));
  }
  return text;
}

std::string extent_text(const Rectangle& tiles) {
  return fmt::format("{}×{}", tiles.width, tiles.height);
}

std::optional<InsideLabel> fit_inside(LabelText text, const Box& box, const InkMap& ink) {
  if (auto label = fit_whole(text, box, ink)) return label;
  const double longest = std::max(box.width, box.height) - 2 * padding(box);
  text.name = fit_text(text.name, {kLeastLabel, true}, longest);
  if (code_points(text.name) < kShortestStump) return std::nullopt;
  measure_name(text);
  return fit_whole(text, box, ink);
}

void write_label(Canvas& canvas, const InsideLabel& label, const Point& by, const Colour& fill) {
  const auto& [text, lines, is_upwards, size, box] = label;
  const bool upwards = is_upwards;  // no lambda may capture a structured binding
  const Box place = box;
  TextStyle style{
      {size, true}, readable_on(fill), TextStyle::Anchor::start, upwards, faded(fill, 0.85)};
  const auto write = [&](const std::string& line, double along, double baseline) {
    const Point at = upwards ? Point{place.x + baseline, place.y + place.height - along}
                             : Point{place.x + along, place.y + baseline};
    canvas.text(line, {at.x + by.x, at.y + by.y}, style);
  };
  const double baseline = (lines == Lines::stacked ? kFirstBaseline : text.rise.above) * size;
  write(text.name, 0, baseline);
  style.face = {kDetailSize * size, false};
  double along = text.name_width * size;
  for (std::size_t i = 0; lines != Lines::name_only && i < text.details.size(); ++i) {
    if (lines == Lines::stacked) {
      const double below = double(i + 1) * kLineSpacing * kDetailSize * size;
      write(text.details[i], 0, baseline + below);
    } else {
      write(text.details[i], along + kBetween * size, baseline);
      along += (kBetween + text.detail_widths[i]) * size;
    }
  }
}

}  // namespace waferloom::viz
