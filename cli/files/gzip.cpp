#include "cli/files/gzip.h"

#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>

namespace waferloom::cli {
namespace {

constexpr int kGzipFormat = 16;  // added to zlib's window bits
constexpr int kMemoryLevel = 8;  // zlib's default
constexpr std::size_t kPiece = 1 << 16;

}  // namespace

struct Gzip::State {
  z_stream stream = {};
};

Gzip::Gzip(Sink sink) : sink_(std::move(sink)), state_(std::make_unique<State>()) {
  if (deflateInit2(&state_->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzipFormat,
                   kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
}

Gzip::~Gzip() { deflateEnd(&state_->stream); }

void Gzip::append(std::string_view text) {
  while (!text.empty()) {
    const std::size_t count = std::min<std::size_t>(text.size(), std::numeric_limits<uInt>::max());
    state_->stream.next_in = reinterpret_cast<const Bytef*>(text.data());
    state_->stream.avail_in = static_cast<uInt>(count);
    run(Z_NO_FLUSH);
    text.remove_prefix(count);
  }
}

void Gzip::finish() { run(Z_FINISH); }

void Gzip::run(int flush) {
  char piece[kPiece];
  do {
    state_->stream.next_out = reinterpret_cast<Bytef*>(piece);
    state_->stream.avail_out = kPiece;
    const int result = deflate(&state_->stream, flush);
    if (result == Z_STREAM_ERROR) throw std::logic_error("zlib: used after its end");
    sink_({piece, kPiece - state_->stream.avail_out});
  } while (state_->stream.avail_out == 0);
}

}  // namespace waferloom::cli
