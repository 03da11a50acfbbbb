#include "model/describe/json_sink.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <vector>

#include "model/describe.h"
#include "model/errors.h"

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

namespace {

Json json_of(const std::function<void(ValueSink&)>& write) {
  Json root;
  JsonSink sink(root);
  write(sink);
  return root;
}

}  // namespace

std::string written_text(const std::function<void(ValueSink&)>& write) {
  return json_text(json_of(write));
}

std::string line_text(const std::function<void(ValueSink&)>& write) {
  return json_of(write).dump(-1, ' ', false, Json::error_handler_t::replace);
}

namespace {

void write_number(const std::string& text, ValueSink& sink) {
  const char* end = text.data() + text.size();
  const auto reads = [&](auto& number) {
    const auto read = std::from_chars(text.data(), end, number);
    return read.ec == std::errc() && read.ptr == end;
  };
  std::int64_t whole = 0;
  std::uint64_t count = 0;
  double real = 0;
  if (reads(whole)) {
    sink.whole(whole);
  } else if (reads(count)) {
    sink.count(count);
  } else if (reads(real)) {
    sink.real(real);
  } else {
    throw RequestError("the number " + text + " is beyond all doubles");
  }
}

}  // namespace

void write_json(const JsonValue& value, ValueSink& sink) {
  switch (value.kind) {
    case JsonValue::Kind::null:
      return sink.nothing();
    case JsonValue::Kind::boolean:
      return sink.flag(value.text == "true");
    case JsonValue::Kind::number:
      return write_number(value.text, sink);
    case JsonValue::Kind::string:
      return sink.text(value.text);
    case JsonValue::Kind::array:
      sink.open_list();
      for (const JsonValue& item : value.items) write_json(item, sink);
      return sink.close();
    case JsonValue::Kind::object:
      sink.open_object();
      for (std::size_t i = 0; i < value.keys.size(); ++i) {
        sink.key(value.keys[i]);
        write_json(value.items[i], sink);
      }
      return sink.close();
  }
}

std::string hashed_text(const JsonValue& value) {
  const Json root = json_of([&](ValueSink& sink) { write_json(value, sink); });
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string json_string(std::string_view text) {
  return line_text([&](ValueSink& sink) { sink.text(text); });
}

std::string value_text(const Row& row, const void* owner) {
  return line_text([&](ValueSink& sink) { row.type->write(row.value_of(owner), sink); });
}

Report rows_report(const TypeRows& type, const void* from) {
  return Report(json_of([&](ValueSink& sink) { write_rows(type, from, sink); }));
}

}  // namespace waferloom
