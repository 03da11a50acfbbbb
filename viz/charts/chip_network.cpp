#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/text.h"
#include "viz/canvas/legend.h"
#include "viz/canvas/text.h"
#include "viz/fabric.h"

// Problem: show how the chips of a machine are joined, whatever their number.
// Idea: a panel for each dimension of the network, the innermost first. A node of a panel stands
// for all that the panels before it join. Of many nodes the first ones, an ellipsis and the last
// one are drawn. Cost: O(dimensions), since a panel draws kMostNodes nodes.
namespace waferloom::viz {
namespace {

constexpr double kMargin = 24;
constexpr double kPanel = 220;  ///< side of a panel's drawing
constexpr double kPanelGap = 28;
constexpr double kPanelTitle = 52;  ///< room for three lines above the drawing
constexpr double kNode = 22;        ///< side of a node
constexpr double kRim = 0.5 * kNode + 4;
constexpr std::size_t kMostNodes = 12;
constexpr TextFace kTitleFace{11, true};
constexpr TextFace kFactFace{9.5, false};
constexpr Colour kNodeColour{205, 213, 223};
constexpr Colour kLinkColour{120, 134, 150};

std::string rate_text(double bytes_per_s) { return bytes_text(bytes_per_s) + "/s"; }

/// What a node of a dimension is.
std::string node_text(const System& system, std::size_t at) {
  std::int64_t chips = 1;
  for (std::size_t i = 0; i < at; ++i) chips *= system.dimensions[i].size;
  return chips == 1 ? "chip" : fmt::format("group of {} chips", chips);
}

std::string nodes_text(const System& system, std::size_t at) {
  const std::int64_t size = system.dimensions[at].size;
  std::string node = node_text(system, at);
  if (size == 1) return "1 " + node;
  if (node == "chip") return counted_text(size, node);
  return fmt::format("{} groups{}", size, node.substr(std::string_view("group").size()));
}

/// Draws one dimension into a square.
class Panel {
 public:
  Panel(Canvas& canvas, const NetworkDimension& dimension, const Box& place)
      : canvas_(canvas), dimension_(dimension), place_(place) {
    const auto size = static_cast<std::size_t>(dimension.size);
    shown_ = std::min(size, kMostNodes);
    is_cut_ = size > kMostNodes;
    for (std::size_t i = 0; i < shown_; ++i) middles_.push_back(middle(i));
  }

  void draw() const {
    canvas_.lines(links(), {kLinkColour, 1.4, false});
    if (dimension_.topology == DimensionTopology::switched && shown_ > 1) draw_switch();
    for (std::size_t i = 0; i < shown_; ++i) draw_node(i);
  }

 private:
  bool is_round() const {
    return dimension_.topology == DimensionTopology::ring ||
           dimension_.topology == DimensionTopology::fully_connected;
  }
  /// The node that stands for all that are not drawn.
  bool is_ellipsis(std::size_t i) const { return is_cut_ && i + 2 == shown_; }

  Point middle(std::size_t i) const {
    const Point centre{place_.x + place_.width / 2, place_.y + place_.height / 2};
    if (shown_ == 1) return centre;
    if (is_round() && shown_ > 2) {
      const double angle = 2 * std::numbers::pi * (static_cast<double>(i) / shown_nodes() - 0.25);
      const double radius = place_.width / 2 - kRim;
      return {centre.x + radius * std::cos(angle), centre.y + radius * std::sin(angle)};
    }
    // Two rows, so that twelve nodes stand apart.
    const std::size_t columns = (shown_ + 1) / 2;
    const bool is_row = shown_ <= 6;
    const std::size_t in_row = is_row ? shown_ : columns;
    const std::size_t row = i / in_row;
    std::size_t column = i % in_row;
    // A line turns around at the end of the first row.
    if (row == 1 && !is_switch()) column = in_row - 1 - column;
    const double step =
        (place_.width - 2 * kRim) / static_cast<double>(std::max<std::size_t>(in_row - 1, 1));
    const double below = is_row ? 0 : (row == 0 ? -1 : 1) * place_.height * 0.28;
    return {place_.x + kRim + static_cast<double>(column) * step,
            centre.y + below + (is_switch() && is_row ? place_.height * 0.25 : 0)};
  }
  double shown_nodes() const { return static_cast<double>(shown_); }
  bool is_switch() const { return dimension_.topology == DimensionTopology::switched; }

  Box switch_box() const {
    const bool is_row = shown_ <= 6;
    const double y = place_.y + place_.height * (is_row ? 0.25 : 0.5) - 10;
    return {place_.x + 8, y, place_.width - 16, 20};
  }

  std::vector<Segment> links() const {
    std::vector<Segment> found;
    switch (dimension_.topology) {
      case DimensionTopology::switched:
        for (const Point& at : middles_) {
          if (shown_ > 1) found.push_back({at, {at.x, switch_box().y + 10}});
        }
        break;
      case DimensionTopology::fully_connected:
        for (std::size_t i = 0; i < shown_; ++i) {
          for (std::size_t k = i + 1; k < shown_; ++k) found.push_back({middles_[i], middles_[k]});
        }
        break;
      case DimensionTopology::ring:
        if (shown_ > 2) found.push_back({middles_.back(), middles_.front()});
        [[fallthrough]];
      case DimensionTopology::line:
        for (std::size_t i = 1; i < shown_; ++i) found.push_back({middles_[i - 1], middles_[i]});
        break;
    }
    return found;
  }

  void draw_switch() const {
    const Box box = switch_box();
    canvas_.box(box, {kPort, kNoStroke, 4});
    canvas_.text("switch", {box.x + box.width / 2, centred_baseline({box.y + 10, 9.5})},
                 {kFactFace, kWhite, TextStyle::Anchor::middle});
  }

  void draw_node(std::size_t i) const {
    const Point& at = middles_[i];
    const Box box{at.x - kNode / 2, at.y - kNode / 2, kNode, kNode};
    if (is_ellipsis(i)) {
      canvas_.box(box, {kWhite, kNoStroke, 3});
      canvas_.text("…", {at.x, centred_baseline({at.y, 14})},
                   {{14, true}, kMuted, TextStyle::Anchor::middle});
      return;
    }
    canvas_.box(box, {kNodeColour, {kInk, 0.8, false}, 3});
    const std::int64_t number =
        is_cut_ && i + 1 == shown_ ? dimension_.size - 1 : static_cast<std::int64_t>(i);
    const std::string text = std::to_string(number);
    const double size = text.size() > 3 ? 7 : 9;
    canvas_.text(text, {at.x, centred_baseline({at.y, size})},
                 {{size, false}, kInk, TextStyle::Anchor::middle});
  }

  Canvas& canvas_;
  const NetworkDimension& dimension_;
  Box place_;
  std::size_t shown_ = 0;
  bool is_cut_ = false;
  std::vector<Point> middles_;
};

std::vector<std::string> panel_lines(const System& system, std::size_t at) {
  const NetworkDimension& dimension = system.dimensions[at];
  return {nodes_text(system, at), std::string(dimension_topology_name(dimension.topology)),
          fmt::format("{} a link, {} a step", rate_text(dimension.link_bytes_per_s),
                      seconds_text(dimension.latency_s))};
}

std::string chip_text(const System& system) {
  std::string text =
      fmt::format("each {}, SRAM {}", prefixed_text(system.chip.flop_per_s, "FLOP/s"),
                  bytes_text(system.chip.sram_bytes));
  for (const MemoryLevel& memory : system.memories) {
    text += fmt::format(" · {} {}, {}", memory.name, bytes_text(memory.bytes),
                        rate_text(memory.bytes_per_s));
  }
  return text;
}

}  // namespace

std::string draw_chip_network(const Machine& machine, PictureFormat format) {
  const System& system = machine.chips;
  const std::size_t panels = std::max<std::size_t>(system.dimensions.size(), 2);
  const PageSize page{2 * kMargin + static_cast<double>(panels) * (kPanel + kPanelGap) - kPanelGap,
                      2 * kMargin + kHeadingHeight + kPanelTitle + kPanel};
  const std::string title = system.name + ": " + counted_text(system.chips(), "chip");
  const auto canvas = make_canvas({page, format, title});
  const std::string small_print =
      machine.why_no_fabric.empty() ? "" : "Priced, not simulated: " + machine.why_no_fabric;
  draw_heading(*canvas, {title, chip_text(system), small_print},
               {kMargin, kMargin, page.width - 2 * kMargin, kHeadingHeight});
  for (std::size_t i = 0; i < system.dimensions.size(); ++i) {
    const Box place{kMargin + static_cast<double>(i) * (kPanel + kPanelGap),
                    kMargin + kHeadingHeight + kPanelTitle, kPanel, kPanel};
    const std::vector<std::string> lines = panel_lines(system, i);
    canvas->begin_group({"dimension", lines[0] + ", " + lines[1] + ", " + lines[2]});
    for (std::size_t line = 0; line < lines.size(); ++line) {
      const TextFace& face = line == 0 ? kTitleFace : kFactFace;
      canvas->text(fit_text(lines[line], face, kPanel),
                   {place.x, place.y - kPanelTitle + 10 + 14 * static_cast<double>(line)},
                   {face, line == 0 ? kInk : kMuted});
    }
    Panel(*canvas, system.dimensions[i], place).draw();
    canvas->end_group();
  }
  return canvas->finish();
}

}  // namespace waferloom::viz
