#pragma once

#include <functional>
#include <memory>
#include <string_view>

namespace waferloom::cli {

/// Compresses text as it comes, in the format of gzip (RFC 1952), without time or name: the same
/// text gives the same bytes.
class Gzip {
 public:
  using Sink = std::function<void(std::string_view)>;

  /// Compressed bytes go to `sink` in pieces. Throws std::bad_alloc.
  explicit Gzip(Sink sink);
  ~Gzip();
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;
  void append(std::string_view text);
  /// Writes what is left; nothing may follow.
  void finish();

 private:
  struct State;
  void run(int flush);
  Sink sink_;
  std::unique_ptr<State> state_;
};

}  // namespace waferloom::cli
