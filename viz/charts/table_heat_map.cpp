#include "viz/table_heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "model/errors.h"
#include "model/text.h"
#include "viz/canvas/legend.h"
#include "viz/canvas/text.h"

// Problem: show a table of figures so that one sees where it is high or low.
// Idea: colour each cell by its value's share of the range, on a scale linear or logarithmic. Write
// the value in the cell in a colour that reads on it. Names stand at the sides, the scale below.
// Source: the colours are ColorBrewer's YlGnBu.
// Cost: O(cells).
namespace waferloom::viz {
namespace {

constexpr int kTableDigits = 3;

constexpr double kMargin = 24;
constexpr double kLegendWidth = 150;
constexpr double kLegendGap = 26;
constexpr double kMostPlot = 1500;     ///< side
constexpr double kLeastHeading = 440;  ///< width
constexpr double kLeastHeight = 100;   ///< of the plot, for the title of its rows
constexpr double kMostName = 190;      ///< of a row, or of an upright column
constexpr double kMostCell = 96;       ///< width
constexpr double kCellHeight = 26;     ///< where there is room
constexpr double kLineHeight = 12;     ///< of names
constexpr int kLegendSteps = 7;
constexpr TextFace kNameFace{9, false};
constexpr TextFace kTitleFace{10, true};
constexpr TextFace kCellFace{9, false};

/// ColorBrewer's YlGnBu.
constexpr Colour kStops[] = {{255, 255, 217}, {237, 248, 177}, {199, 233, 180},
                             {127, 205, 187}, {65, 182, 196},  {29, 145, 192},
                             {34, 94, 168},   {37, 52, 148},   {8, 29, 88}};

Colour heat_colour(double share) {
  constexpr std::size_t kLast = std::size(kStops) - 1;
  const double position = std::clamp(share, 0.0, 1.0) * double(kLast);
  const auto below = std::min(static_cast<std::size_t>(position), kLast - 1);
  return mix(kStops[below], kStops[below + 1], position - double(below));
}

double widest(const std::vector<std::string>& texts, const TextFace& face) {
  double most = 0;
  for (const std::string& text : texts) most = std::max(most, text_width(clean_text(text), face));
  return most;
}

class Picture {
 public:
  Picture(const TableHeatMap& map, PictureFormat format) : map_(map) {
    check();
    range();
    lay_out();
    canvas_ = make_canvas({page_, format, map.title});
  }

  std::string draw() {
    draw_heading(*canvas_, {map_.title, map_.facts, map_.small_print},
                 {kMargin, kMargin, page_.width - 2 * kMargin, kHeadingHeight});
    canvas_->box(plot_, filled(kSilicon));
    canvas_->begin_group({"cells", {}});
    for (std::size_t row = 0; row < map_.rows.size(); ++row) {
      for (std::size_t column = 0; column < map_.columns.size(); ++column) draw_cell(row, column);
    }
    canvas_->end_group();
    draw_marks();
    canvas_->box(plot_, {kNoColour, {kInk, 1.2, false}, 0});
    draw_row_names();
    draw_column_names();
    draw_legend();
    return canvas_->finish();
  }

 private:
  void check() const {
    if (map_.rows.empty() || map_.columns.empty()) {
      throw RequestError("a heat map has at least one row and one column");
    }
    if (std::max(map_.rows.size(), map_.columns.size()) > kMostHeatRows) {
      throw RequestError(fmt::format("a heat map has at most {} rows and columns", kMostHeatRows));
    }
    if (map_.cells.size() != map_.rows.size() * map_.columns.size()) {
      throw std::logic_error(
          fmt::format("a heat map has a cell for every row and column: expected {}, found {}",
                      map_.rows.size() * map_.columns.size(), map_.cells.size()));
    }
    for (const TableHeatMap::Cell& cell : map_.cells) {
      if (cell.value && (!std::isfinite(*cell.value) || (map_.logarithmic && *cell.value <= 0))) {
        throw RequestError(map_.logarithmic ? "a logarithmic heat map has finite values above 0"
                                            : "a heat map has finite values");
      }
    }
  }

  void range() {
    least_ = std::numeric_limits<double>::infinity();
    most_ = -least_;
    for (const TableHeatMap::Cell& cell : map_.cells) {
      if (!cell.value) {
        has_blanks_ = true;
        continue;
      }
      least_ = std::min(least_, *cell.value);
      most_ = std::max(most_, *cell.value);
    }
  }

  static std::string text_of(const TableHeatMap::Cell& cell) {
    if (!cell.text.empty()) return cell.text;
    return cell.value ? significant_text(*cell.value, kTableDigits) : std::string();
  }

  void lay_out() {
    std::vector<std::string> texts;
    for (const TableHeatMap::Cell& cell : map_.cells) texts.push_back(text_of(cell));
    const auto columns = double(map_.columns.size());
    const double wanted = std::clamp(widest(texts, kCellFace) + 8, 26.0, kMostCell);
    cell_width_ = std::min(wanted, kMostPlot / columns);
    const auto rows = double(map_.rows.size());
    cell_height_ = std::min(std::max(kCellHeight, kLeastHeight / rows), kMostPlot / rows);
    const double column_name = widest(map_.columns, kNameFace);
    upright_ = column_name + 4 > cell_width_;
    const double row_room = std::min(widest(map_.rows, kNameFace), kMostName) + 8 + kNameGap;
    const double column_room =
        (upright_ ? std::min(column_name, kMostName) : kLineHeight) + 6 + kNameGap;
    plot_ = {kMargin + row_room, kMargin + kHeadingHeight + 6, cell_width_ * columns,
             cell_height_ * rows};
    legend_left_ = plot_.x + plot_.width + kLegendGap;
    const double legend_height = kLegendHeading + (kLegendSteps + 2) * kLegendLine;
    page_ = {std::max(legend_left_ + kLegendWidth, kMargin + kLeastHeading) + kMargin,
             plot_.y + std::max(plot_.height + column_room, legend_height) + kMargin / 2};
  }

  double share(double value) const {
    const double low = map_.logarithmic ? std::log(least_) : least_;
    const double high = map_.logarithmic ? std::log(most_) : most_;
    if (!(high > low)) return 0;
    return ((map_.logarithmic ? std::log(value) : value) - low) / (high - low);
  }

  /// The value at a share of the scale.
  double value_at(double part) const {
    if (part <= 0) return least_;
    if (part >= 1) return most_;
    if (!map_.logarithmic) return least_ + part * (most_ - least_);
    return std::exp(std::log(least_) + part * (std::log(most_) - std::log(least_)));
  }

  Box box_of(std::size_t row, std::size_t column) const {
    return {plot_.x + double(column) * cell_width_, plot_.y + double(row) * cell_height_,
            cell_width_, cell_height_};
  }

  const TableHeatMap::Cell& cell_at(std::size_t row, std::size_t column) const {
    return map_.cells[row * map_.columns.size() + column];
  }

  void draw_cell(std::size_t row, std::size_t column) {
    const TableHeatMap::Cell& cell = cell_at(row, column);
    const std::string text = text_of(cell);
    if (!cell.value && text.empty() && cell.tooltip.empty()) return;
    const Box box = box_of(row, column);
    canvas_->begin_group({"cell", cell.tooltip});
    const Colour fill = cell.value ? heat_colour(share(*cell.value)) : kSilicon;
    canvas_->box(box, {fill, {kWhite, 0.5, false}, 0});
    const bool fits = text_width(clean_text(text), kCellFace) + 3 <= cell_width_ &&
                      kCellFace.size + 2 <= cell_height_;
    if (fits && !text.empty()) {
      const Point middle{box.x + box.width / 2,
                         centred_baseline({box.y + box.height / 2, kCellFace.size})};
      canvas_->text(text, middle,
                    {kCellFace, readable_on(fill), TextStyle::Anchor::middle, false, kNoColour});
    }
    canvas_->end_group();
  }

  void draw_marks() {
    for (std::size_t row = 0; row < map_.rows.size(); ++row) {
      for (std::size_t column = 0; column < map_.columns.size(); ++column) {
        if (!cell_at(row, column).marked) continue;
        canvas_->box(box_of(row, column), {kNoColour, {kAlarm, 2, false}, 0});
      }
    }
  }

  void draw_row_names() {
    const auto step = static_cast<std::size_t>(std::ceil(kLineHeight / cell_height_));
    for (std::size_t row = 0; row < map_.rows.size(); row += step) {
      const Box box = box_of(row, 0);
      canvas_->text(fit_text(map_.rows[row], kNameFace, kMostName),
                    {box.x - 6, centred_baseline({box.y + box.height / 2, kNameFace.size})},
                    {kNameFace, kInk, TextStyle::Anchor::end, false, kNoColour});
    }
    canvas_->text(fit_text(map_.row_title, kTitleFace, plot_.height),
                  {kMargin + kTitleFace.size, plot_.y + plot_.height / 2},
                  {kTitleFace, kInk, TextStyle::Anchor::middle, true, kNoColour});
  }

  void draw_column_names() {
    const double apart = upright_ ? kLineHeight : cell_width_;
    const auto step = static_cast<std::size_t>(std::ceil(apart / cell_width_));
    const double bottom = plot_.y + plot_.height;
    for (std::size_t column = 0; column < map_.columns.size(); column += step) {
      const double middle = box_of(0, column).x + cell_width_ / 2;
      const std::string name = fit_text(map_.columns[column], kNameFace, kMostName);
      if (upright_) {
        canvas_->text(name, {centred_baseline({middle, kNameFace.size}), bottom + 6},
                      {kNameFace, kInk, TextStyle::Anchor::end, true, kNoColour});
      } else {
        canvas_->text(name, {middle, bottom + 6 + kNameFace.size},
                      {kNameFace, kInk, TextStyle::Anchor::middle, false, kNoColour});
      }
    }
    const double names =
        upright_ ? std::min(widest(map_.columns, kNameFace), kMostName) : kLineHeight;
    canvas_->text(
        fit_text(map_.column_title, kTitleFace, std::max(plot_.width, 2 * kLegendWidth / 3)),
        {plot_.x + plot_.width / 2, bottom + 6 + names + kNameGap},
        {kTitleFace, kInk, TextStyle::Anchor::middle, false, kNoColour});
  }

  void draw_legend() {
    Legend legend(*canvas_, {legend_left_, plot_.y, kLegendWidth, plot_.height});
    legend.heading(map_.logarithmic ? map_.unit + ", by ratio" : map_.unit);
    const bool flat = !(most_ > least_);
    for (int step = flat ? 0 : kLegendSteps - 1; step >= 0 && most_ >= least_; --step) {
      const double value = value_at(double(step) / (kLegendSteps - 1));
      canvas_->box(legend.entry(significant_text(value, kTableDigits)),
                   {heat_colour(share(value)), {kHairline, 0.6, false}, 0});
    }
    if (has_blanks_) {
      canvas_->box(legend.entry(map_.blank_name), {kSilicon, {kHairline, 0.6, false}, 0});
    }
  }

  static constexpr double kNameGap = 18;  ///< for the title of the names

  const TableHeatMap& map_;
  double least_ = 0;
  double most_ = 0;
  bool has_blanks_ = false;
  bool upright_ = false;  ///< names of columns are read from bottom to top
  double cell_width_ = 0;
  double cell_height_ = 0;
  double legend_left_ = 0;
  Box plot_;
  PageSize page_;
  std::unique_ptr<Canvas> canvas_;
};

}  // namespace

std::string draw_table_heat_map(const TableHeatMap& map, PictureFormat format) {
  return Picture(map, format).draw();
}

}  // namespace waferloom::viz
