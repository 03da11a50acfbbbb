#include <algorithm>
#include <optional>

#include "viz/floorplan_parts.h"

namespace waferloom {
namespace {

constexpr double kLargest = 13;
constexpr double kComfortable = 6;  // below, the extents give way to the name
constexpr double kReadable = 4.5;   // below, the name may cover the centre
constexpr double kSmallest = 3.6;
constexpr double kShrink = 0.93;
constexpr double kLineSpacing = 1.2;
constexpr double kExtentSize = 0.82;  // of the name's text size

/// What can be written into a kernel; widths per unit of the name's text size.
struct LabelText {
  std::string name;
  std::string extent;
  double name_width = 0;
  double extent_width = 0;
};

/// How a label that fits is set: in the band before the centre line, which edges seldom cross, or,
/// where that is too narrow, in the middle.
struct Label {
  enum class Lines { two, one, name_only };
  Lines lines = Lines::two;
  bool upwards = false;
  double size = kLargest;
  bool in_band = true;
};

/// Room along and across the direction of reading.
struct Room {
  double along = 0;
  double across = 0;
};

Room needed(const LabelText& text, Label::Lines lines, double size) {
  switch (lines) {
    case Label::Lines::two:
      return {std::max(text.name_width, text.extent_width) * size,
              (1 + kLineSpacing * kExtentSize) * size};
    case Label::Lines::one:
      return {(text.name_width + 0.5 + text.extent_width) * size, size};
    case Label::Lines::name_only:
      break;
  }
  return {text.name_width * size, size};
}

/// Space left free on each side of a label.
double padding(const Box& box) {
  return std::clamp(0.05 * std::min(box.width, box.height), 0.7, 4.5);
}

Room room(const Box& box, bool upwards) {
  const double free = 2 * padding(box);
  const Room level{box.width - free, box.height - free};
  return upwards ? Room{level.across, level.along} : level;
}

/// Room of the band before the centre line.
Room band(const Box& box, bool upwards) {
  constexpr double kBand = 0.46;
  Room part = room(box, upwards);
  part.across *= kBand;
  return part;
}

bool fits(const Room& need, const Room& have) {
  return need.along <= have.along && need.across <= have.across;
}

/// One step of fitting: which label is tried, how small it may become, and where it may be.
struct Attempt {
  Label::Lines lines;
  double least;
  bool in_band;
};

/// The largest label in one direction; with the extents, on two lines or on one.
std::optional<Label> largest_label(const LabelText& text, const Box& box, const Attempt& attempt,
                                   bool upwards) {
  const Room have = attempt.in_band ? band(box, upwards) : room(box, upwards);
  for (double size = kLargest; size >= attempt.least; size *= kShrink) {
    Label label{attempt.lines, upwards, size, attempt.in_band};
    if (fits(needed(text, label.lines, size), have)) return label;
    if (attempt.lines != Label::Lines::two) continue;
    label.lines = Label::Lines::one;
    if (fits(needed(text, label.lines, size), have)) return label;
  }
  return std::nullopt;
}

/// Level, unless the label can be much larger upwards, as in tall thin kernels.
std::optional<Label> try_label(const LabelText& text, const Box& box, const Attempt& attempt) {
  constexpr double kMuchLarger = 1.4;
  const auto level = largest_label(text, box, attempt, false);
  const auto upright = largest_label(text, box, attempt, true);
  if (!level || (upright && upright->size >= kMuchLarger * level->size)) return upright;
  return level;
}

std::optional<Label> fit_label(const LabelText& text, const Box& box) {
  for (const Attempt& attempt : {Attempt{Label::Lines::two, kComfortable, true},
                                 Attempt{Label::Lines::name_only, kReadable, true},
                                 Attempt{Label::Lines::name_only, kSmallest, false}}) {
    if (const auto label = try_label(text, box, attempt)) return label;
  }
  return std::nullopt;
}

/// Writes one line of a label: `along` and `across` from the box's corner where reading begins.
struct LinePlace {
  double along = 0;
  double across = 0;  ///< of the baseline
};
void write_line(Canvas& canvas, const Box& box, std::string_view text, const LinePlace& place,
                const TextStyle& style) {
  const Point at = style.upwards ? Point{box.x + place.across, box.y + box.height - place.along}
                                 : Point{box.x + place.along, box.y + place.across};
  canvas.text(text, at, style);
}

/// Sets a label at the corner where reading begins, or in the middle of what it nearly fills.
void write_label(Canvas& canvas, const Box& box, const LabelText& text, const Label& label,
                 const Colour& fill) {
  const Room need = needed(text, label.lines, label.size);
  const Room have = room(box, label.upwards);
  const double free = padding(box);
  const double along = have.along < 1.5 * need.along ? free + (have.along - need.along) / 2 : free;
  const double across = label.in_band ? free : free + (have.across - need.across) / 2;
  TextStyle style{{label.size, true},
                  readable_on(fill),
                  TextStyle::Anchor::start,
                  label.upwards,
                  faded(fill, 0.85)};
  const double baseline = across + 0.86 * label.size;
  write_line(canvas, box, text.name, {along, baseline}, style);
  style.face = {kExtentSize * label.size, false};
  if (label.lines == Label::Lines::two) {
    write_line(canvas, box, text.extent,
               {along, baseline + kLineSpacing * kExtentSize * label.size}, style);
  } else if (label.lines == Label::Lines::one) {
    write_line(canvas, box, text.extent, {along + (text.name_width + 0.5) * label.size, baseline},
               style);
  }
}

LabelText label_text(const std::string& name, const Rectangle& tiles) {
  LabelText text{clean_text(name), std::to_string(tiles.width) + "×" + std::to_string(tiles.height),
                 0, 0};
  text.name_width = text_width(text.name, {1, true});
  text.extent_width = text_width(text.extent, {kExtentSize, false});
  return text;
}

/// Shortens a name that leaves no room for a readable label.
std::optional<Label> fit_shortened(LabelText& text, const Box& box) {
  const double longest = std::max(room(box, false).along, room(box, true).along);
  text.name = fit_text(text.name, {kComfortable, true}, longest);
  if (text.name.empty()) return std::nullopt;
  text.name_width = text_width(text.name, {1, true});
  return fit_label(text, box);
}

/// Labels need no more of a name than its beginning.
constexpr std::size_t kLongestName = 24;

void draw_kernel_label(Canvas& canvas, const FloorplanScene& scene, KernelIndex index,
                       const Box& box) {
  LabelText text =
      label_text(scene.problem.kernels()[index].name, *scene.facts.kernels[index].tiles);
  if (code_points(text.name) > kLongestName) {
    text.name = ellipsise(text.name, kLongestName);
    text.name_width = text_width(text.name, {1, true});
  }
  std::optional<Label> label = fit_label(text, box);
  if (!label) label = fit_shortened(text, box);
  if (label) write_label(canvas, box, text, *label, kernel_fill(scene, index));
}

void draw_kernel_terminals(Canvas& canvas, const FloorplanScene& scene, KernelIndex index,
                           const Box& box) {
  const KernelFacts& facts = scene.facts.kernels[index];
  const double least = std::min(box.width / 2.4, box.height);
  const double height = std::min(11.0, std::max(2.5, 0.5 * least));
  const double width = 1.9 * height;
  const double y = box.y + box.height - height - std::min(2.0, 0.1 * height);
  const double inset = std::min(2.0, 0.1 * height);
  if (facts.is_input) draw_terminal_mark(canvas, {box.x + inset, y, width, height}, "in");
  if (facts.is_output) {
    draw_terminal_mark(canvas, {box.x + box.width - width - inset, y, width, height}, "out");
  }
}

bool is_visible(const Box& box, const Box& shown) {
  return box.x < shown.x + shown.width && box.x + box.width > shown.x &&
         box.y < shown.y + shown.height && box.y + box.height > shown.y;
}

}  // namespace

void draw_terminal_mark(Canvas& canvas, const Box& place, const std::string& text) {
  Paint paint = filled(kPort);
  paint.corner_radius = 0.25 * place.height;
  canvas.box(place, paint);
  const double size = 0.82 * place.height;
  canvas.text(
      text, {place.x + place.width / 2, centred_baseline(place.y + place.height / 2, 0.85 * size)},
      {{size, true}, kWhite, TextStyle::Anchor::middle, false, kNoColour});
}

void draw_labels(Canvas& canvas, const FloorplanScene& scene) {
  const Box shown = frame(scene.view);
  canvas.begin_group({"labels", {}});
  for (KernelIndex i = 0; i < scene.problem.kernel_count(); ++i) {
    if (!scene.facts.kernels[i].tiles) continue;
    const Box box = to_page(scene.view, *scene.facts.kernels[i].tiles);
    if (!is_visible(box, shown)) continue;
    draw_kernel_label(canvas, scene, i, box);
    draw_kernel_terminals(canvas, scene, i, box);
  }
  canvas.end_group();
}

}  // namespace waferloom
