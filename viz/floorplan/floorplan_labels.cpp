#include <algorithm>
#include <optional>

#include "viz/floorplan/floorplan_parts.h"

namespace waferloom::viz {
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

/// How a label that fits is set. Edges end at a kernel's centre, so a label keeps to the band
/// before the centre line, or to the beginning of a long thin kernel; where neither has room, it
/// covers the centre.
struct Label {
  enum class Lines { two, one, name_only };
  enum class Spot { band, beginning, centre };
  Lines lines = Lines::two;
  Spot spot = Spot::band;
  bool upwards = false;
  double size = kLargest;
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
  return std::clamp(0.09 * std::min(box.width, box.height), 0.7, 5.0);
}

Room room(const Box& box, bool upwards) {
  const double free = 2 * padding(box);
  const Room level{box.width - free, box.height - free};
  return upwards ? Room{level.across, level.along} : level;
}

bool fits(const Room& need, const Room& have, Label::Spot spot) {
  constexpr double kBand = 0.46;      // of the room across
  constexpr double kBeginning = 0.4;  // of the room along
  const double across = spot == Label::Spot::band ? kBand * have.across : have.across;
  const double along = spot == Label::Spot::beginning ? kBeginning * have.along : have.along;
  return need.along <= along && need.across <= across;
}

/// One step of fitting: which label is tried, how small it may become, and whether it may cover the
/// kernel's centre.
struct Attempt {
  Label::Lines lines;
  double least;
  bool may_cover;
};

/// The first spot in which a label of some setting and size fits.
std::optional<Label> spotted(const Room& need, const Room& have, Label label, bool may_cover) {
  for (const auto spot : {Label::Spot::band, Label::Spot::beginning, Label::Spot::centre}) {
    label.spot = spot;
    const bool allowed = may_cover || spot != Label::Spot::centre;
    if (allowed && fits(need, have, spot)) return label;
  }
  return std::nullopt;
}

/// The largest label in one direction; with the extents, on two lines or on one.
std::optional<Label> largest_label(const LabelText& text, const Box& box, const Attempt& attempt,
                                   bool upwards) {
  const Room have = room(box, upwards);
  for (double size = kLargest; size >= attempt.least; size *= kShrink) {
    for (const auto lines : {attempt.lines, Label::Lines::one}) {
      if (attempt.lines == Label::Lines::name_only && lines == Label::Lines::one) continue;
      const Label label{lines, Label::Spot::band, upwards, size};
      const auto set = spotted(needed(text, lines, size), have, label, attempt.may_cover);
      if (set) return set;
    }
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
  for (const Attempt& attempt : {Attempt{Label::Lines::two, kComfortable, false},
                                 Attempt{Label::Lines::name_only, kReadable, false},
                                 Attempt{Label::Lines::name_only, kSmallest, true}}) {
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

/// Where a label begins: at the left or, upwards, so that it ends at the top; in the middle of what
/// it nearly fills.
LinePlace label_place(const Room& need, const Room& have, const Label& label) {
  const Room slack{have.along - need.along, have.across - need.across};
  const bool tight = label.spot == Label::Spot::centre || have.along < 1.5 * need.along;
  const double aligned = label.upwards ? slack.along : 0;
  return {tight ? slack.along / 2 : aligned,
          label.spot == Label::Spot::band ? 0 : slack.across / 2};
}

void write_label(Canvas& canvas, const Box& box, const LabelText& text, const Label& label,
                 const Colour& fill) {
  const LinePlace place =
      label_place(needed(text, label.lines, label.size), room(box, label.upwards), label);
  const double along = padding(box) + place.along;
  const double across = padding(box) + place.across;
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

/// The name of a kernel across its middle, within the picture.
void name_offender(Canvas& canvas, const Box& shown, const LabelText& text, const Box& box) {
  const TextStyle style{
      {kComfortable, true}, kAlarm, TextStyle::Anchor::start, false, faded(kWhite, 0.85)};
  const double width = text_width(text.name, style.face);
  const double x = box.x + box.width / 2 - width / 2;
  const double y = centred_baseline(box.y + box.height / 2, kComfortable);
  canvas.text(text.name,
              {std::clamp(x, shown.x + 1, std::max(shown.x + 1, shown.x + shown.width - width - 1)),
               std::clamp(y, shown.y + kComfortable, shown.y + shown.height - 1)},
              style);
}

/// Whether the kernel got its name.
bool draw_kernel_label(Canvas& canvas, const FloorplanScene& scene, KernelIndex index,
                       const Box& box) {
  LabelText text =
      label_text(scene.problem.kernels()[index].name, *scene.facts.kernels[index].tiles);
  if (code_points(text.name) > kLongestName) {
    text.name = ellipsise(text.name, kLongestName);
    text.name_width = text_width(text.name, {1, true});
  }
  const LabelText whole = text;
  std::optional<Label> label = fit_label(text, box);
  if (!label) label = fit_shortened(text, box);
  if (label) {
    write_label(canvas, box, text, *label, kernel_fill(scene, index));
    return true;
  }
  // What breaks a rule is named even where its name is larger than it.
  if (!scene.facts.kernels[index].offends()) return false;
  name_offender(canvas, frame(scene.view), whole, box);
  return true;
}

/// Marks inside the kernel's lower corners; on a speck they are larger than the kernel, so that
/// they can be seen.
void draw_kernel_terminals(Canvas& canvas, const FloorplanScene& scene, KernelIndex index,
                           const Box& box) {
  const KernelFacts& facts = scene.facts.kernels[index];
  const double height = std::clamp(0.5 * std::min(box.width / 2.4, box.height), 6.0, 11.0);
  const double width = 1.9 * height;
  const double inset = std::min({2.0, 0.1 * box.width, 0.1 * box.height});
  const Box shown = frame(scene.view);
  const double right = std::max(box.x + inset, box.x + box.width - width - inset);
  const auto mark = [&](double x, const char* text) {
    const double y = box.y + box.height - height - inset;
    draw_terminal_mark(canvas,
                       {std::clamp(x, shown.x, shown.x + shown.width - width),
                        std::clamp(y, shown.y, shown.y + shown.height - height), width, height},
                       text);
  };
  if (facts.is_input) mark(box.x + inset, "in");
  if (facts.is_output) mark(right, "out");
}

/// What two boxes that meet share.
Box common_part(const Box& a, const Box& b) {
  const double left = std::max(a.x, b.x);
  const double top = std::max(a.y, b.y);
  return {left, top, std::min(a.x + a.width, b.x + b.width) - left,
          std::min(a.y + a.height, b.y + b.height) - top};
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

std::size_t draw_labels(Canvas& canvas, const FloorplanScene& scene) {
  std::size_t unnamed = 0;
  const Box shown = frame(scene.view);
  canvas.begin_group({"labels", {}});
  for (KernelIndex i = 0; i < scene.problem.kernel_count(); ++i) {
    if (!scene.facts.kernels[i].tiles) continue;
    const Box box = to_page(scene.view, *scene.facts.kernels[i].tiles);
    if (!is_visible(box, shown)) continue;
    if (!draw_kernel_label(canvas, scene, i, common_part(box, shown))) ++unnamed;
    draw_kernel_terminals(canvas, scene, i, box);
  }
  canvas.end_group();
  return unnamed;
}

}  // namespace waferloom::viz
