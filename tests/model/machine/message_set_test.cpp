#include <doctest/doctest.h>

#include "model/errors.h"
#include "model/mesh.h"
#include "model/text/json_items.h"
#include "tests/support/complaint.h"

namespace waferloom {
namespace {

std::string message_set_complaint(const std::string& messages) {
  return test::complaint_of(
      [&] { read_message_set("{\"mesh\": [4, 2], \"messages\": [" + messages + "]}", "m.json"); });
}

bool names(const std::string& messages, const char* what) {
  const std::string error = message_set_complaint(messages);
  CAPTURE(error);
  return error.find("m.json:1:") == 0 && error.find(what) != std::string::npos;
}

TEST_CASE("messages, their order and labels that mean nothing") {
  const MessageSet set = read_message_set(R"({
    "name": "x", "mesh": [4, 2], "routing": "yx", "packet_flits": 8, "router": {"vcs": 4},
    "messages": [
      {"id": 7, "src": [0, 1], "dst": [3, 0], "flits": 5, "release_cycle": 2, "after": [9]},
      {"id": 9, "src": [1, 1], "dst": [[2, 0], [0, 0]], "flits": 1, "complete_cycle": 3}]})",
                                          "m.json");
  CHECK(set.columns == 4);
  CHECK(set.rows == 2);
  CHECK(set.routing == Routing::yx);
  CHECK(set.packet_flits == 8);
  REQUIRE(set.messages.size() == 2);
  CHECK(set.messages[0].id == 7);
  CHECK(set.messages[0].after == std::vector<std::size_t>{1});
  CHECK(set.messages[0].release_cycle == 2);
  CHECK(set.messages[1].destinations == std::vector<TilePlace>{{2, 0}, {0, 0}});
  CHECK(set.messages[1].release_cycle == 0);
}

TEST_CASE("messages compute, are copied and wait for what stands behind them, mesh last") {
  const MessageSet set = read_message_set(R"({"messages": [
      {"id": 3, "src": [0, 1], "dst": [3, 0], "flits": 5, "release_cycle": 2, "after": [8]},
      {"id": 8, "src": [1, 1], "dst": [1, 1], "flits": 0, "delay_cycles": 6},
      {"id": 5, "src": [1, 1], "dst": [[0, 0], [3, 1]], "flits": 4, "after": [8, 3]}],
      "routing": "yx", "mesh": [4, 2]})",
                                          "m");
  CHECK(set.columns == 4);
  CHECK(set.rows == 2);
  CHECK(set.routing == Routing::yx);
  REQUIRE(set.messages.size() == 3);
  CHECK(set.messages[0].after == std::vector<std::size_t>{1});
  CHECK(set.messages[0].release_cycle == 2);
  CHECK(set.messages[1].delay_cycles == 6);
  CHECK(set.messages[2].after == std::vector<std::size_t>{1, 0});
  CHECK(set.messages[2].destinations == std::vector<TilePlace>{{0, 0}, {3, 1}});
}

TEST_CASE("of a long list each element is given away, and errors keep their places") {
  std::vector<std::string> seen;
  const auto take = [&](const JsonValue& item) {
    seen.push_back(item.text + " at " + std::to_string(item.position.column));
  };
  const JsonValue rest =
      parse_json_items(R"({"a": {"list": [0]}, "list": [1, 22], "b": [3]})", "f", {"list", take});
  CHECK(seen == std::vector<std::string>{"1 at 31", "22 at 34"});
  CHECK(JsonReader::find(rest, "list")->items.empty());
  CHECK(JsonReader::find(rest, "b")->items.size() == 1);
  CHECK(JsonReader::find(*JsonReader::find(rest, "a"), "list")->items.size() == 1);
  CHECK(test::complaint_of([] {
          parse_json_line("{\"a\": 1,}", "f.jsonl", 7);
        }).find("f.jsonl:7:9:") == 0);
  CHECK(test::complaint_of([] {
          parse_json(R"({"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1,
                         "m":1,"n":1,"c":2})",
                     "f");
        }).find("found 'c' again") != std::string::npos);
}

TEST_CASE("what is wrong is named with its place") {
  const std::string good = R"({"id": 1, "src": [0, 0], "dst": [1, 0], "flits": 1})";
  CHECK(message_set_complaint(good).empty());
  CHECK(names(good + "," + good, "an id that no message before has"));
  CHECK(names(R"({"id": 1, "src": [0, 0], "dst": [4, 0], "flits": 1})", "x of dst"));
  CHECK(names(R"({"id": 1, "src": [0, 0], "dst": [4, 0], "flits": 1})", "from 0 to 3"));
  CHECK(names(R"({"id": 1, "src": [0, 2], "dst": [3, 0], "flits": 1})", "y of src"));
  CHECK(names(R"({"id": 1, "src": [0, 0], "dst": [[1, 0], [3, 2]], "flits": 1})", "from 0 to 1"));
  CHECK(names(R"({"id": 1, "src": [0, 0], "dst": [], "flits": 1})", "dst as [x, y]"));
  CHECK(names(R"({"id": 1, "src": [0, 0], "dst": [[1, 0], [1, 0]], "flits": 1})", "differ"));
  CHECK(names(R"({"id": 1, "src": [0, 0], "dst": [1, 0], "flits": 0})", "flits as a whole number"));
  CHECK(names(R"({"id": 1, "src": [0, 0], "dst": [1, 0], "flits": 1, "after": [5]})",
              "the id of a message"));
  CHECK(names(R"({"id": 1, "src": [0, 0], "dst": [1, 0], "flits": 1, "after": [2]},
                 {"id": 2, "src": [0, 0], "dst": [1, 0], "flits": 1, "after": [1]})",
              "in a circle"));
  CHECK_THROWS_AS(read_message_set("{\"mesh\": [4], \"messages\": []}", "m.json"), InputError);
  CHECK_THROWS_AS(read_message_set("[]", "m.json"), InputError);
}

}  // namespace
}  // namespace waferloom
