#include "model/network/operator_rows.h"

#include <fmt/format.h>

namespace waferloom {
namespace {

std::string size_text(std::int64_t height, std::int64_t width) {
  return fmt::format("[{}, {}]", height, width);
}

constexpr NumberRange kPixels{0, kOperatorSize.most};

/// A number, [above and below, left and right], or all four sides, clockwise from the left of the
/// top as in ONNX.
constexpr OwnForm<Window> kPadding{
    [](const JsonReader& reader, const JsonValue& value, Window& window) {
      if (value.kind != JsonValue::Kind::array) {
        window.padding = window.even_padding(reader.whole(value, "padding", kPixels));
        return;
      }
      std::vector<std::int64_t> sides;
      for (const JsonValue& side : value.items) {
        sides.push_back(reader.whole(side, "padding", kPixels));
      }
      constexpr std::size_t kAll = 4;
      if (sides.size() == 2) sides.insert(sides.end(), {sides[0], sides[1]});
      if (sides.size() != kAll) {
        reader.fail(value,
                    "padding as a number, [vertical, horizontal] or [top, left, bottom, right]");
      }
      window.padding = {sides[0], sides[1], sides[2], sides[3]};
    },
    [](const Window& window, ValueSink& sink) {
      const Padding& sides = window.padding;
      if (const auto pixels = window.even_pixels()) return sink.whole(*pixels);
      sink.open_list();
      for (const std::int64_t side : {sides.top, sides.left, sides.bottom, sides.right}) {
        sink.whole(side);
      }
      sink.close();
    },
    [](ValueSink& schema) {
      schema.key("anyOf");
      schema.open_list();
      schema.open_object();
      type_of<std::int64_t>().describe({{}, {.range = kPixels}, {}}, nullptr, schema);
      schema.close();
      for (const std::int64_t sides : {2, 4}) {
        schema.open_object();
        type_of<std::vector<std::int64_t>>().describe(
            {{}, {.range = kPixels, .items = {sides, sides}}, {}}, nullptr, schema);
        schema.close();
      }
      schema.close();
      schema.pair("default", 0);
    }};

std::vector<Row> window_rows() {
  return {
      sides_row("image", &Window::in_height, &Window::in_width,
                {.meaning = "[height, width] in pixels, or a number for both", .required = true}),
      sides_row(
          "filter", &Window::height, &Window::width,
          {.meaning =
               "[height, width] in pixels, or a number for both; within the image and its padding",
           .required = true}),
      sides_row("stride", &Window::vertical_stride, &Window::horizontal_stride,
                {"pixels that the filter moves, [vertical, horizontal], or a number for both"}),
      sides_row("dilation", &Window::vertical_dilation, &Window::horizontal_dilation,
                {"pixels from one row or column of the filter to the next"}),
      formed("padding", kPadding,
             {"pixels around the image: a number, on each side where the filter is wider than a "
              "pixel; or [vertical, horizontal]; or [top, left, bottom, right]"})};
}

void check_filter(const JsonReader& reader, const JsonValue& item, const Window& window) {
  if (window.padded_height() >= window.reached_height() &&
      window.padded_width() >= window.reached_width()) {
    return;
  }
  reader.fail(reader.at(item, "filter").position,
              "expected a filter within the image and its padding, " +
                  size_text(window.padded_height(), window.padded_width()) + ", found " +
                  size_text(window.reached_height(), window.reached_width()) +
                  (window.reached_height() > window.height || window.reached_width() > window.width
                       ? " with its dilation"
                       : ""));
}

void check_convolution(const JsonReader& reader, const JsonValue& item, ConvOperator& at) {
  if (at.in_channels % at.groups != 0 || at.out_channels % at.groups != 0) {
    reader.fail(reader.at(item, "groups"), fmt::format("groups that divide in and out, {} and {}",
                                                       at.in_channels, at.out_channels));
  }
  if (!at.transposed) return check_filter(reader, item, at.window);
  if (at.out_height() < 1 || at.out_width() < 1) {
    reader.fail(reader.at(item, "padding"), "padding that leaves something of the output");
  }
}

void check_pool(const JsonReader& reader, const JsonValue& item, PoolOperator& at) {
  check_filter(reader, item, at.window);
}

void check_patches(const JsonReader& reader, const JsonValue& item, PatchesOperator& at) {
  if (at.patch_height > at.in_height || at.patch_width > at.in_width) {
    reader.fail(reader.at(item, "patch"),
                "a patch within the image, " + size_text(at.in_height, at.in_width));
  }
  if (at.positions != 0 && at.positions < at.tokens()) {
    reader.fail(reader.at(item, "positions"),
                fmt::format("positions for all {} tokens, or 0 for none", at.tokens()));
  }
}

void check_sums(const JsonReader& reader, const JsonValue& item, ReduceOperator& at) {
  if (at.elements % at.out == 0) return;
  reader.fail(reader.at(item, "out"),
              fmt::format("sums that divide the elements, {}", at.elements));
}

/// A size that a file has to have, and one that it need not have.
template <typename Owner>
Row needed_size(std::string_view key, std::string_view meaning, std::int64_t Owner::*member) {
  return needed(key, member, {meaning, kOperatorSize});
}
template <typename Owner>
Row size_row(std::string_view key, std::string_view meaning, std::int64_t Owner::*member) {
  return row(key, member, {meaning, kOperatorSize});
}

template <typename Owner>
TypeRows operator_rows(std::vector<Row> rows,
                       void (*check)(const JsonReader&, const JsonValue&, Owner&) = nullptr) {
  return rows_for<Owner>("an operator", terse(std::move(rows)), check);
}

}  // namespace

template <>
const TypeRows& rows_of<LinearOperator>() {
  static const TypeRows rows = operator_rows<LinearOperator>(
      {size_row("rows", "rows of a sample", &LinearOperator::rows),
       needed_size("in", "features of the input", &LinearOperator::in_features),
       needed_size("out", "features of the output", &LinearOperator::out_features),
       row("bias", &LinearOperator::bias, {"whether a vector is added"})});
  return rows;
}

template <>
const TypeRows& rows_of<ConvOperator>() {
  static const TypeRows rows = operator_rows<ConvOperator>(
      joined(
          {inside(&ConvOperator::window, window_rows()),
           {needed_size("in", "channels of the input", &ConvOperator::in_channels),
            needed_size("out", "channels of the output", &ConvOperator::out_channels),
            row("normalised", &ConvOperator::normalised, {"whether a batch normalisation follows"}),
            size_row("groups",
                     "parts of the channels that have filters of their own; divides in and out; in "
                     "of them: depthwise",
                     &ConvOperator::groups),
            row("transposed", &ConvOperator::transposed,
                {"whether every pixel of the input adds the filter to the output; padding is then "
                 "cut off it"})}}),
      check_convolution);
  return rows;
}

template <>
const TypeRows& rows_of<PoolOperator>() {
  static const TypeRows rows = operator_rows<PoolOperator>(
      joined({inside(&PoolOperator::window, window_rows()),
              {needed_size("channels", "channels, which stay apart", &PoolOperator::channels)}}),
      check_pool);
  return rows;
}

template <>
const TypeRows& rows_of<PatchesOperator>() {
  using Patches = PatchesOperator;
  static const TypeRows rows = operator_rows<Patches>(
      {sides_row("image", &Patches::in_height, &Patches::in_width,
                 {.meaning = "[height, width] in pixels, or a number for both", .required = true}),
       sides_row("patch", &Patches::patch_height, &Patches::patch_width,
                 {.meaning = "[height, width] in pixels, or a number for both; within the image",
                  .required = true}),
       size_row("channels", "channels of the image", &Patches::channels),
       needed_size("hidden", "features of a token's vector", &Patches::hidden),
       row("class_token", &Patches::class_token, {"whether there is one learned token more"}),
       derived(
           "positions", &Patches::positions, [](const Patches& at) { return at.tokens(); },
           {"learned vectors of positions; by default one a token; 0: none", kOperatorSizeOrNone})},
      check_patches);
  return rows;
}

template <>
const TypeRows& rows_of<ProductOperator>() {
  static const TypeRows rows = operator_rows<ProductOperator>(
      {size_row("batch", "products side by side", &ProductOperator::batch),
       needed_size("rows", "rows of the left side", &ProductOperator::rows),
       needed_size("in", "columns of the left side, rows of the right side",
                   &ProductOperator::in_features),
       needed_size("out", "columns of the right side", &ProductOperator::out_features)});
  return rows;
}

template <>
const TypeRows& rows_of<GemmOperator>() {
  static const TypeRows rows = operator_rows<GemmOperator>(
      {size_row("batch", "products side by side", &GemmOperator::batch),
       needed_size("m", "rows of the left side and of the output", &GemmOperator::m),
       needed_size("k", "columns of the left side, rows of the right side", &GemmOperator::k),
       needed_size("n", "columns of the right side and of the output", &GemmOperator::n),
       row("weights", &GemmOperator::weights, {"whether the left side is learned"})});
  return rows;
}

template <>
const TypeRows& rows_of<ElementOperator>() {
  static const TypeRows rows = operator_rows<ElementOperator>(
      {needed("elements", &ElementOperator::elements, {"numbers of the tensor", kManyElements}),
       size_row("operations", "operations on each of them", &ElementOperator::operations)});
  return rows;
}

template <>
const TypeRows& rows_of<ReduceOperator>() {
  static const TypeRows rows = operator_rows<ReduceOperator>(
      {needed("elements", &ReduceOperator::elements, {"numbers that are summed", kManyElements}),
       size_row("out", "sums; divides elements", &ReduceOperator::out)},
      check_sums);
  return rows;
}

template <>
const TypeRows& rows_of<SortOperator>() {
  static const TypeRows rows = operator_rows<SortOperator>(
      {needed_size("elements", "numbers that are put in order, in n ⌈log2 n⌉ comparisons",
                   &SortOperator::elements)});
  return rows;
}

template <>
const TypeRows& rows_of<ExchangeOperator>() {
  static const TypeRows rows = operator_rows<ExchangeOperator>(
      {needed("elements", &ExchangeOperator::elements,
              {"numbers of all equal parts that chips hand to one another", kManyElements})});
  return rows;
}

template <>
const TypeRows& rows_of<AddOperator>() {
  static const TypeRows rows = operator_rows<AddOperator>(
      {needed_size("elements", "numbers of each tensor", &AddOperator::elements)});
  return rows;
}

}  // namespace waferloom
