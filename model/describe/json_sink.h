#pragma once

#include <vector>

#include "model/describe.h"
#include "model/report.h"

namespace waferloom {

/// Builds JSON of what it takes in. Private to model/.
class JsonSink final : public ValueSink {
 public:
  /// `root` must outlive the sink.
  explicit JsonSink(Json& root);
  void open_object() override;
  void open_list() override;
  void close() override;
  void key(std::string_view name) override;
  void whole(std::int64_t value) override;
  void count(std::uint64_t value) override;
  void real(double value) override;
  void flag(bool value) override;
  void text(std::string_view value) override;
  void nothing() override;

 private:
  void open(Json empty);
  /// At the key before, or behind the last item of the open list.
  Json& put(Json value);

  std::vector<Json*> open_{};  ///< from the root inwards; only the last one grows
  Json* next_;                 ///< where the next value goes; null: to the end of the open list
};

}  // namespace waferloom
