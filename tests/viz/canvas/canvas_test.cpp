#include "viz/canvas.h"

#include <cairo.h>
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <stdexcept>

#include "tests/support/close_to.h"
#include "tests/viz/canvas/picture_reader.h"
#include "viz/canvas/text.h"

namespace waferloom::viz {
namespace {

using test::close_to;

using test::elements_named;
using test::parse_xml;
using test::XmlElement;

constexpr PictureFormat kFormats[] = {PictureFormat::svg, PictureFormat::png, PictureFormat::pdf};

/// One of everything.
std::string sampler(PictureFormat format) {
  const auto canvas = make_canvas({{120, 79.5}, format, "a <sample> & more"});
  canvas->begin_group({"things", "hover \"me\""});
  canvas->box({10, 10, 30, 20}, {{255, 0, 0}, {kInk, 1, true}, 3});
  canvas->boxes({{50, 10, 4, 4}, {60, 10, 4, 4}}, {0, 0, 255});
  canvas->circle({{80, 20}, 5}, filled(faded(kPort, 0.5)));
  canvas->polygon({{90, 10}, {100, 10}, {95, 20}}, filled(kAlarm));
  canvas->end_group();
  canvas->lines({{{10, 40}, {60, 40}}, {{10, 40}, {10, 60}}, {{10, 40}, {60, 60}}},
                {kInk, 1, false});
  canvas->curve({{10, 70}, {50, 50}, {90, 70}}, {kAdapter, 2, false});
  canvas->push_clip({100, 40, 10, 10});
  canvas->box({90, 30, 100, 100}, filled({0, 255, 0}));
  canvas->pop_clip();
  canvas->text("name & <co>", {20, 60},
               {{8, true}, kInk, TextStyle::Anchor::middle, false, kWhite});
  canvas->text("up", {70, 60}, {{8, false}, kInk, TextStyle::Anchor::end, true, kNoColour});
  return canvas->finish();
}

/// A pixel of a PNG, at a place in page units.
Colour pixel(std::string png, const Point& at) {
  struct Source {
    std::string bytes;
    std::size_t read = 0;
  } source{std::move(png), 0};
  const auto read = [](void* from, unsigned char* data, unsigned int length) {
    auto& stream = *static_cast<Source*>(from);
    if (stream.bytes.size() - stream.read < length) return CAIRO_STATUS_READ_ERROR;
    std::memcpy(data, stream.bytes.data() + stream.read, length);
    stream.read += length;
    return CAIRO_STATUS_SUCCESS;
  };
  cairo_surface_t* image = cairo_image_surface_create_from_png_stream(read, &source);
  REQUIRE(cairo_surface_status(image) == CAIRO_STATUS_SUCCESS);
  std::uint32_t value = 0;
  const auto row = static_cast<std::ptrdiff_t>(at.y * kPngScale);
  const auto column = static_cast<std::ptrdiff_t>(at.x * kPngScale);
  std::memcpy(&value,
              cairo_image_surface_get_data(image) + row * cairo_image_surface_get_stride(image) +
                  4 * column,
              sizeof value);
  cairo_surface_destroy(image);
  return {static_cast<std::uint8_t>(value >> 16U), static_cast<std::uint8_t>(value >> 8U),
          static_cast<std::uint8_t>(value)};
}

TEST_CASE("formats are known by their extension") {
  CHECK(picture_format("svg") == PictureFormat::svg);
  CHECK(picture_format(".PNG") == PictureFormat::png);
  CHECK(picture_format("pdf") == PictureFormat::pdf);
  CHECK(picture_format("jpeg") == std::nullopt);
  CHECK(picture_format("") == std::nullopt);
  CHECK(picture_format("..svg") == std::nullopt);
}

TEST_CASE("the same calls give the same bytes") {
  for (const PictureFormat format : kFormats) CHECK(sampler(format) == sampler(format));
}

TEST_CASE("an SVG is well formed, sized in whole units and holds what was drawn") {
  const XmlElement svg = parse_xml(sampler(PictureFormat::svg));
  CHECK(svg.name == "svg");
  CHECK(svg.attributes.at("xmlns") == "http://www.w3.org/2000/svg");
  CHECK(svg.number("width") == 120);
  CHECK(svg.number("height") == 80);
  CHECK(svg.attributes.at("viewBox") == "0 0 120 80");
  CHECK(svg.children[0].text == "a <sample> & more");
  const auto things = test::groups_of(svg, "things");
  REQUIRE(things.size() == 1);
  CHECK(things[0]->children[0].text == "hover \"me\"");
  CHECK(things[0]->children.size() == 5);
  const XmlElement& box = things[0]->children[1];
  CHECK(box.number("x") == 10);
  CHECK(box.number("width") == 30);
  CHECK(box.attributes.at("fill") == "#ff0000");
  CHECK(things[0]->children[2].attributes.at("d") == "M50,10h4v4h-4zM60,10h4v4h-4z");
  CHECK(test::has_text(svg, "name & <co>"));
}

TEST_CASE("an SVG names nothing by id, so that several can stand in one page") {
  const XmlElement svg = parse_xml(sampler(PictureFormat::svg));
  CHECK(test::find_all(svg, [](const XmlElement& element) {
          return element.attributes.contains("id");
        }).empty());
}

TEST_CASE("SVG text says how wide it is, whatever typeface a viewer has") {
  const XmlElement svg = parse_xml(sampler(PictureFormat::svg));
  const auto texts = elements_named(svg, "text");
  REQUIRE(texts.size() == 2);
  CHECK(texts[0]->number("textLength") ==
        close_to(text_width("name & <co>", {8, true})).or_within(0.005));  // two decimals
  CHECK(texts[0]->attributes.at("text-anchor") == "middle");
  CHECK(texts[1]->attributes.at("transform") == "translate(70,60)rotate(-90)");
}

TEST_CASE("a PNG has its signature, two pixels a unit and the colours drawn") {
  const std::string png = sampler(PictureFormat::png);
  CHECK(test::png_size(png).width == 240);
  CHECK(test::png_size(png).height == 160);
  CHECK(pixel(png, {2, 2}) == kWhite);
  CHECK(pixel(png, {25, 20}) == Colour{255, 0, 0});
  CHECK(pixel(png, {52, 12}) == Colour{0, 0, 255});
  CHECK(pixel(png, {57, 12}) == kWhite);
  CHECK(pixel(png, {105, 45}) == Colour{0, 255, 0});
  CHECK(pixel(png, {97, 45}) == kWhite);  // clipped
}

TEST_CASE("a PDF has its header and end, its size, and no date") {
  const std::string pdf = sampler(PictureFormat::pdf);
  CHECK(pdf.starts_with("%PDF-1."));
  CHECK(pdf.find("%%EOF") != std::string::npos);
  CHECK(pdf.find("MediaBox [ 0 0 120 80 ]") != std::string::npos);
  CHECK(pdf.find("Date") == std::string::npos);
}

TEST_CASE("malformed text does not break any format") {
  for (const PictureFormat format : kFormats) {
    const auto canvas = make_canvas({{50, 50}, format, "\xff\x01"});
    canvas->begin_group({"odd", "\xc3\x28"});
    canvas->text("\xed\xa0\x80\x02", {1, 20}, {});
    canvas->text("", {1, 30}, {});
    canvas->end_group();
    const std::string bytes = canvas->finish();
    CHECK(bytes.size() > 100);
    if (format == PictureFormat::svg) {
      const XmlElement svg = parse_xml(bytes);
      CHECK(test::has_text(svg, "\uFFFD\uFFFD\uFFFD\uFFFD"));
      CHECK(elements_named(svg, "text").size() == 1);
    }
  }
}

TEST_CASE("a PNG larger than Cairo draws is an error, not a broken file") {
  const auto canvas = make_canvas({{40'000, 10}, PictureFormat::png, ""});
  canvas->box({0, 0, 10, 10}, filled(kInk));
  CHECK_THROWS_AS(canvas->finish(), std::runtime_error);
}

}  // namespace
}  // namespace waferloom::viz
