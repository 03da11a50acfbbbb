#include "model/describe/json_sink.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "model/describe.h"

namespace waferloom {

JsonSink::JsonSink(Json& root) : next_(&root) {}

void JsonSink::open(Json empty) {
  Json& opened = put(std::move(empty));
  open_.push_back(&opened);
}

void JsonSink::open_object() { open(Json::object()); }
void JsonSink::open_list() { open(Json::array()); }
void JsonSink::close() { open_.pop_back(); }
void JsonSink::key(std::string_view name) { next_ = &(*open_.back())[std::string(name)]; }
void JsonSink::whole(std::int64_t value) { put(value); }
void JsonSink::count(std::uint64_t value) { put(value); }
void JsonSink::real(double value) { put(value); }
void JsonSink::flag(bool value) { put(value); }
void JsonSink::text(std::string_view value) { put(std::string(value)); }
void JsonSink::nothing() { put(nullptr); }

Json& JsonSink::put(Json value) {
  if (next_ == nullptr) {
    open_.back()->push_back(std::move(value));
    return open_.back()->back();
  }
  *next_ = std::move(value);
  return *std::exchange(next_, nullptr);
}

std::string written_text(const std::function<void(ValueSink&)>& write) {
  Json root;
  JsonSink sink(root);
  write(sink);
  return json_text(root);
}

std::string written_line(const std::function<void(ValueSink&)>& write) {
  Json root;
  JsonSink sink(root);
  write(sink);
  return root.dump();
}

std::string value_text(const Row& row, const void* owner) {
  return written_line([&](ValueSink& sink) { row.type->write(row, row.value_of(owner), sink); });
}

Report rows_report(const TypeRows& type, const void* from) {
  Json root;
  JsonSink sink(root);
  write_rows(type, from, sink);
  return Report(std::move(root));
}

}  // namespace waferloom
