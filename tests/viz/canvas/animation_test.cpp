#include "viz/canvas/animation.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "tests/viz/canvas/picture_reader.h"
#include "viz/canvas.h"

namespace waferloom::viz {
namespace {

std::string png_of(const Colour& colour, double side = 20) {
  const auto canvas = make_canvas({{side, side}, PictureFormat::png, "frame"});
  canvas->box({2, 2, 8, 8}, filled(colour));
  return canvas->finish();
}

struct Chunk {
  std::string type;
  std::string data;
  std::uint32_t checksum = 0;
};

std::uint32_t number(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char byte : bytes) value = value << 8U | static_cast<unsigned char>(byte);
  return value;
}

/// The checksum of PNG chunks, bit by bit.
std::uint32_t checksum(const std::string& bytes) {
  std::uint32_t value = 0xFFFFFFFFU;
  for (const char byte : bytes) {
    value ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) value = value >> 1U ^ (value & 1U ? 0xEDB88320U : 0U);
  }
  return ~value;
}

std::vector<Chunk> chunks_of(std::string_view png) {
  std::vector<Chunk> chunks;
  png.remove_prefix(8);
  while (!png.empty()) {
    const std::size_t size = number(png.substr(0, 4));
    chunks.push_back({std::string(png.substr(4, 4)), std::string(png.substr(8, size)),
                      number(png.substr(8 + size, 4))});
    png.remove_prefix(12 + size);
  }
  return chunks;
}

/// All image data of a PNG.
std::string pixels(const std::string& png) {
  std::string data;
  for (const Chunk& chunk : chunks_of(png)) data += chunk.type == "IDAT" ? chunk.data : "";
  return data;
}

TEST_CASE("frames follow one another, numbered, and the last stands in front") {
  const std::string red = png_of({200, 0, 0});
  const std::string blue = png_of({0, 0, 200});
  const std::string animation = animated_png(
      {{red, std::chrono::milliseconds{300}}, {blue, std::chrono::milliseconds{2000}}});
  const auto size = test::png_size(animation);
  CHECK(size.width == test::png_size(red).width);
  CHECK(size.height == test::png_size(red).height);

  std::string still;
  std::vector<std::string> frames;
  std::vector<std::uint32_t> durations;
  std::uint32_t next = 0;
  for (const Chunk& chunk : chunks_of(animation)) {
    CHECK(chunk.checksum == checksum(chunk.type + chunk.data));
    if (chunk.type == "IDAT") {
      CHECK(frames.empty());
      still += chunk.data;
    } else if (chunk.type == "acTL") {
      CHECK(still.empty());
      CHECK(number(chunk.data.substr(0, 4)) == 2);
    } else if (chunk.type == "fcTL") {
      CHECK(number(chunk.data.substr(0, 4)) == next++);
      CHECK(number(chunk.data.substr(4, 4)) == size.width);
      CHECK(number(chunk.data.substr(8, 4)) == size.height);
      CHECK(number(chunk.data.substr(22, 2)) == 1000);
      durations.push_back(number(chunk.data.substr(20, 2)));
      frames.emplace_back();
    } else if (chunk.type == "fdAT") {
      REQUIRE_FALSE(frames.empty());
      CHECK(number(chunk.data.substr(0, 4)) == next++);
      frames.back() += chunk.data.substr(4);
    }
  }
  CHECK(chunks_of(animation).back().type == "IEND");
  CHECK(frames == std::vector<std::string>{pixels(red), pixels(blue)});
  CHECK(durations == std::vector<std::uint32_t>{300, 2000});
  CHECK(still == pixels(blue));
}

TEST_CASE("what is no animation is refused") {
  const std::string frame = png_of({200, 0, 0});
  CHECK_THROWS_AS(animated_png({}), std::logic_error);
  CHECK_THROWS_AS(animated_png({{"no picture"}}), std::logic_error);
  CHECK_THROWS_AS(animated_png({{frame.substr(0, frame.size() - 3)}}), std::logic_error);
  CHECK_THROWS_AS(animated_png({{frame}, {png_of({200, 0, 0}, 30)}}), std::logic_error);
}

}  // namespace
}  // namespace waferloom::viz
