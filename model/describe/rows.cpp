#include <algorithm>

#include "model/describe.h"

namespace waferloom {
namespace {

void* part_of(const Row& row, void* owner) { return static_cast<std::byte*>(owner) + row.part; }

void* within(const Row& row, void* owner) {
  return static_cast<std::byte*>(part_of(row, owner)) + row.offset;
}

/// What a file says of a row; null: nothing.
const JsonValue* said_of(const Row& row, const JsonValue& file) {
  return row.facts.null_is_none ? JsonReader::find_unless_null(file, row.key)
                                : JsonReader::find(file, row.key);
}

/// Whether a file without the key means what an owner has.
bool is_default(const TypeRows& type, const Row& row, const void* owner) {
  if (row.is_derived) return row.is_derived(row.whole_of(owner));
  return !row.facts.required && value_text(row, owner) == value_text(row, type.defaults);
}

/// " with name, bytes and bytes_per_s": the keys that an object has to have.
std::string with_needed(const TypeRows& type) {
  std::vector<std::string_view> needed;
  for (const Row& row : type.rows) {
    if (row.facts.required) needed.push_back(row.key);
  }
  std::string text;
  for (std::size_t i = 0; i < needed.size(); ++i) {
    const char* before = i == 0 ? " with " : (i + 1 == needed.size() ? " and " : ", ");
    text += before + std::string(needed[i]);
  }
  return text;
}

/// Whether every object of a schema has to have a key.
bool is_required(const TypeRows& type, const Row& row) {
  if (type.defaults != nullptr) return row.facts.required;
  return row.applies == nullptr && row.facts.or_null;
}

}  // namespace

const void* Row::whole_of(const void* owner) const {
  return static_cast<const std::byte*>(leads_to != nullptr ? leads_to(owner) : owner) + part;
}
const void* Row::value_of(const void* owner) const {
  return static_cast<const std::byte*>(whole_of(owner)) + offset;
}

void read_rows(const JsonReader& reader, const JsonValue& value, const std::string& what,
               const TypeRows& type, void* into) {
  if (value.kind != JsonValue::Kind::object) {
    reader.fail(value, what + " as an object" + with_needed(type));
  }
  if (!type.has_labels) {
    std::vector<std::string_view> keys;
    for (const Row& row : type.rows) keys.push_back(row.key);
    reader.expect_keys(value, what, keys);
  }
  for (const Row& row : type.rows) {
    const JsonValue* item = row.facts.required ? &reader.at(value, row.key) : said_of(row, value);
    if (item != nullptr) {
      row.type->read(reader, *item, std::string(row.key), row, within(row, into));
    }
  }
  for (const Row& row : type.rows) {
    if (row.derive && said_of(row, value) == nullptr) row.derive(part_of(row, into));
  }
  if (type.check) type.check(reader, value, into);
}

void write_rows(const TypeRows& type, const void* from, ValueSink& sink) {
  sink.open_object();
  for (const Row& row : type.rows) {
    const void* whole = row.whole_of(from);
    if (!row.says_default && is_default(type, row, from)) continue;
    if (!row.is_written || (row.applies != nullptr && !row.applies(whole))) continue;
    if (!row.facts.or_null && !row.type->is_there(row.value_of(from))) continue;
    sink.key(row.key);
    if (row.is_known != nullptr && !row.is_known(whole)) {
      sink.nothing();
    } else {
      row.type->write(row.value_of(from), sink);
    }
  }
  sink.close();
}

void describe_rows(const TypeRows& type, ValueSink& schema) {
  schema.pair("type", "object");
  schema.pair("additionalProperties", type.has_labels);
  const auto is_needed = [&](const Row& row) { return is_required(type, row); };
  if (std::any_of(type.rows.begin(), type.rows.end(), is_needed)) {
    schema.key("required");
    schema.open_list();
    for (const Row& row : type.rows) {
      if (is_needed(row)) schema.text(row.key);
    }
    schema.close();
  }
  schema.key("properties");
  schema.open_object();
  for (const Row& row : type.rows) {
    schema.key(row.key);
    schema.open_object();
    if (!row.facts.meaning.empty()) schema.pair("description", row.facts.meaning);
    const bool has_default = type.defaults != nullptr && row.is_member && !row.facts.required;
    const void* otherwise = has_default ? row.value_of(type.defaults) : nullptr;
    if (row.is_known != nullptr || row.facts.null_is_none) {
      describe_or_null(row, *row.type, schema);
    } else {
      row.type->describe(row, otherwise, schema);
    }
    schema.close();
  }
  schema.close();
}

std::string schema_text(const TypeRows& type, std::string_view title, std::string_view meaning) {
  return written_text([&](ValueSink& schema) {
    schema.open_object();
    schema.pair("$schema", "http://json-schema.org/draft-07/schema#");
    schema.pair("title", title);
    if (!meaning.empty()) schema.pair("description", meaning);
    describe_rows(type, schema);
    schema.close();
  });
}

std::string schema_text(const std::vector<ReportForm>& forms, std::string_view title) {
  return written_text([&](ValueSink& schema) {
    schema.open_object();
    schema.pair("$schema", "http://json-schema.org/draft-07/schema#");
    schema.pair("title", title);
    schema.key("oneOf");
    schema.open_list();
    for (const ReportForm& form : forms) {
      schema.open_object();
      schema.pair("description", form.meaning);
      describe_rows(*form.rows, schema);
      schema.close();
    }
    schema.close();
    schema.close();
  });
}

std::vector<Row> joined(std::vector<std::vector<Row>> lists) {
  std::vector<Row> all;
  for (std::vector<Row>& list : lists) {
    all.insert(all.end(), std::make_move_iterator(list.begin()),
               std::make_move_iterator(list.end()));
  }
  return all;
}

std::vector<Row> terse(std::vector<Row> rows) {
  for (Row& row : rows) row.says_default = false;
  return rows;
}

Row needed(Row row) {
  row.facts.required = true;
  return row;
}

Row later_row(Row row) {
  row.applies = [](const void* /*owner*/) { return true; };
  return row;
}

TypeRows with_labels(TypeRows type) {
  type.has_labels = true;
  return type;
}

TypeRows report_rows(std::vector<Row> rows) { return {"", std::move(rows)}; }

TypeRows report_file(std::string_view format, std::vector<Row> rows) {
  return report_rows(joined({{format_row(format)}, std::move(rows), {made_by_row()}}));
}

std::vector<std::string> different_keys(const TypeRows& type, const void* left, const void* right) {
  std::vector<std::string> different;
  for (const Row& row : type.rows) {
    if (value_text(row, left) != value_text(row, right)) different.emplace_back(row.key);
  }
  return different;
}

}  // namespace waferloom
