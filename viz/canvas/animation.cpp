#include "viz/canvas/animation.h"

#include <boost/crc.hpp>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace waferloom::viz {
namespace {

constexpr std::string_view kMagic("\x89PNG\r\n\x1a\n", 8);

struct Chunk {
  std::string_view type;  ///< four letters
  std::string_view data;
};

/// An integer of the file format, most significant byte first.
std::string big_endian(std::uint32_t value, int bytes = 4) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(value >> (8 * i) & 0xFFU);
  return text;
}

std::uint32_t read_big_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char byte : bytes) value = value << 8U | static_cast<unsigned char>(byte);
  return value;
}

/// Splits a PNG; the views are into `png`.
std::vector<Chunk> chunks(std::string_view png) {
  constexpr std::size_t kFrame = 12;  // length, type and checksum around the data
  if (!png.starts_with(kMagic)) throw std::logic_error("a frame is not a PNG");
  png.remove_prefix(kMagic.size());
  std::vector<Chunk> result;
  while (!png.empty()) {
    const std::size_t size = png.size() < kFrame ? png.size() : read_big_endian(png.substr(0, 4));
    if (png.size() < kFrame || size > png.size() - kFrame) {
      throw std::logic_error("a frame is a broken PNG");
    }
    result.push_back({png.substr(4, 4), png.substr(8, size)});
    png.remove_prefix(kFrame + size);
  }
  return result;
}

std::string chunk_bytes(std::string_view type, std::string_view data) {
  boost::crc_32_type checksum;
  checksum.process_bytes(type.data(), type.size());
  checksum.process_bytes(data.data(), data.size());
  std::string bytes = big_endian(static_cast<std::uint32_t>(data.size()));
  bytes.append(type).append(data);
  return bytes + big_endian(checksum.checksum());
}

std::string_view header_of(const std::vector<Chunk>& png) {
  if (png.empty() || png.front().type != "IHDR") {
    throw std::logic_error("a frame is a PNG without header");
  }
  return png.front().data;
}

/// Writes the chunks of an animation, which are numbered throughout.
class AnimationWriter {
 public:
  explicit AnimationWriter(std::string_view header) : header_(header) {
    bytes_.append(kMagic).append(chunk_bytes("IHDR", header));
  }

  void begin(std::size_t frames) {
    const std::uint32_t kForever = 0;
    bytes_ +=
        chunk_bytes("acTL", big_endian(static_cast<std::uint32_t>(frames)) + big_endian(kForever));
  }

  /// The picture of programs that know no animation.
  void still(const std::vector<Chunk>& png) {
    for (const Chunk& chunk : png) {
      if (chunk.type == "IDAT") bytes_ += chunk_bytes("IDAT", chunk.data);
    }
  }

  void frame(const std::vector<Chunk>& png, std::chrono::milliseconds duration) {
    const std::string size(header_.substr(0, 8));
    const std::string offset = big_endian(0) + big_endian(0);
    const std::string delay =
        big_endian(static_cast<std::uint32_t>(duration.count()), 2) + big_endian(1000, 2);
    const std::string keep_and_replace(2, '\0');
    bytes_ += chunk_bytes("fcTL", next_number() + size + offset + delay + keep_and_replace);
    for (const Chunk& chunk : png) {
      if (chunk.type != "IDAT") continue;
      bytes_ += chunk_bytes("fdAT", next_number() + std::string(chunk.data));
    }
  }

  std::string finish() { return std::move(bytes_) + chunk_bytes("IEND", ""); }

 private:
  std::string next_number() { return big_endian(number_++); }

  std::string_view header_;
  std::string bytes_;
  std::uint32_t number_ = 0;
};

}  // namespace

std::string animated_png(const std::vector<AnimationFrame>& frames) {
  if (frames.empty()) throw std::logic_error("an animation without frames");
  std::vector<std::vector<Chunk>> pictures;
  for (const AnimationFrame& frame : frames) pictures.push_back(chunks(frame.png));
  const std::string_view header = header_of(pictures.front());
  for (const auto& picture : pictures) {
    if (header_of(picture) != header) {
      throw std::logic_error("frames of different sizes or pixels");
    }
  }
  AnimationWriter writer(header);
  writer.begin(frames.size());
  writer.still(pictures.back());
  for (std::size_t i = 0; i < frames.size(); ++i) writer.frame(pictures[i], frames[i].duration);
  return writer.finish();
}

}  // namespace waferloom::viz
