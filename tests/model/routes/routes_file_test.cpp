// The reader and the writer of routes.

#include <doctest/doctest.h>

#include <algorithm>

#include "model/routes.h"
#include "tests/kernels/random_kernels.h"
#include "tests/support/close_to.h"
#include "tests/support/complaint.h"
#include "tests/support/routing_cases.h"

namespace waferloom {
namespace {

using test::complaint_of;
using test::RoutedCase;

/// A file of one tensor with one lane, from (1, 1) to (4, 1) on a mesh of 6 × 4 tiles.
std::string file_with(const std::string& lane) {
  return "{\"columns\": 6, \"rows\": 4, \"tensors\": [\n  {\"name\": \"t\", \"bytes\": 5, "
         "\"lanes\": [\n    " +
         lane + "]}]}";
}

std::string file_with_path(const std::string& path) {
  return file_with(R"({"from": [1, 1], "to": [4, 1], "bytes": 5, "colour": 0, "path": ")" + path +
                   "\"}");
}

void check_refused(const std::string& text, const std::string& place, const std::string& expected) {
  CAPTURE(text);
  const std::string said = complaint_of([&] { (void)read_routes(text, "r.json"); });
  CHECK_MESSAGE(said.rfind("r.json:" + place + ":", 0) == 0, said);
  CHECK_MESSAGE(said.find(expected) != std::string::npos, said);
}

TEST_CASE("routes are written a lane a line") {
  RoutedCase example;
  example.routes.tensors.resize(2);
  CHECK(routes_text(example.routes) ==
        "{\n"
        "  \"schema\": \"waferloom/routes/1\",\n"
        "  \"hardware\": \"bytes\",\n"
        "  \"columns\": 6,\n"
        "  \"rows\": 4,\n"
        "  \"tensors\": [\n"
        "    {\"name\": \"in\", \"bytes\": 4, \"lanes\": [\n"
        "      {\"from\":[0,3],\"to\":[0,2],\"bytes\":4,\"path\":\"S1\",\"colour\":0,"
        "\"port\":0}]},\n"
        "    {\"name\": \"ab\", \"bytes\": 10, \"buffer_samples\": 3, \"lanes\": [\n"
        "      {\"from\":[1,1],\"to\":[4,1],\"bytes\":5,\"path\":\"E3\",\"colour\":0},\n"
        "      {\"from\":[1,2],\"to\":[4,2],\"bytes\":5,\"path\":\"E3\",\"colour\":1}]}\n"
        "  ]\n"
        "}\n");
}

TEST_CASE("the hops of a tensor are the mean of its bytes") {
  RoutedTensor tensor{"t", 40, {}, {}, {}};
  CHECK(mean_hops(tensor) == 0);
  tensor.lanes = {{{0, 0}, {2, 0}, 10, {{Direction::east, 2}}, 0, {}},
                  {{0, 1}, {2, 3}, 30, {{Direction::east, 2}, {Direction::north, 2}}, 0, {}}};
  CHECK(mean_hops(tensor) == test::close_to(3.5));
  CHECK(mean_hops({"none", 0, {}, {}, {}}) == 0);
}

TEST_CASE("the legs of a path are told by the first letter of their direction") {
  CHECK(path_text({}).empty());
  CHECK(path_text({{Direction::east, 12},
                   {Direction::north, 3},
                   {Direction::west, 1},
                   {Direction::south, 20}}) == "E12 N3 W1 S20");
}

TEST_CASE("what is written is read back as it was") {
  const RoutedCase example;
  CHECK(read_routes(routes_text(example.routes), "r") == example.routes);
  Routes routes{"a \"name\" with \\ and \n", 1, 1, {}};
  CHECK(read_routes(routes_text(routes), "r") == routes);
  // A lane that stays on its tile, a tensor without lanes, names that need escapes.
  routes.tensors.push_back({"\"quoted\" é\t", 0, {{{0, 0}, {0, 0}, 0, {}, 63, {}}}, 1'000'000});
  routes.tensors.push_back({"none", 0, {}, {}});
  CHECK(read_routes(routes_text(routes), "r") == routes);
}

/// A walk from tile to tile without two legs in one direction behind each other.
RoutedLane random_lane(test::RandomKernels& draw, const Routes& on) {
  RoutedLane lane;
  lane.from = {draw.between(0, on.columns - 1), draw.between(0, on.rows - 1)};
  lane.to = lane.from;
  for (std::int64_t legs = draw.between(0, 6); legs > 0; --legs) {
    const auto direction = static_cast<Direction>(draw.between(0, 3));
    if (!lane.path.empty() && lane.path.back().direction == direction) continue;
    const bool along_x = is_along_x(direction);
    const bool up = direction == Direction::east || direction == Direction::north;
    std::int64_t& at = along_x ? lane.to.x : lane.to.y;
    const std::int64_t room = up ? (along_x ? on.columns : on.rows) - 1 - at : at;
    if (room == 0) continue;
    const std::int64_t hops = draw.between(1, room);
    at += up ? hops : -hops;
    lane.path.push_back({direction, hops});
  }
  lane.bytes = draw.between(0, 1'000'000'000'000'000);
  lane.colour = draw.between(0, 63);
  if (draw.between(0, 2) == 0) lane.port = static_cast<std::size_t>(draw.between(0, 1'000'000));
  return lane;
}

TEST_CASE("write, then read is the identity on random routes") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    test::RandomKernels draw(seed);
    Routes routes{"h", draw.between(1, 900), draw.between(1, 900), {}};
    for (std::int64_t i = draw.between(0, 4); i > 0; --i) {
      RoutedTensor tensor{
          "t" + std::to_string(i), draw.between(0, 1'000'000'000'000'000), {}, {}, {}};
      for (std::int64_t j = draw.between(0, 4); j > 0; --j) {
        tensor.lanes.push_back(random_lane(draw, routes));
      }
      if (draw.between(0, 1) == 0) tensor.buffer_samples = draw.between(1, 1'000'000);
      if (draw.between(0, 1) == 0) {
        tensor.price = static_cast<double>(draw.between(0, 1'000'000)) / 1e6;
      }
      routes.tensors.push_back(std::move(tensor));
    }
    const std::string text = routes_text(routes);
    const Routes back = read_routes(text, "r");
    CHECK(back == routes);
    CHECK(routes_text(back) == text);
  }
}

TEST_CASE("a file may do without its schema and the hardware's name") {
  const Routes routes = read_routes(file_with_path("E1 N2 E2 S2"), "r.json");
  CHECK(routes.hardware.empty());
  CHECK(routes.tensors[0].lanes[0].path == std::vector<PathLeg>{{Direction::east, 1},
                                                                {Direction::north, 2},
                                                                {Direction::east, 2},
                                                                {Direction::south, 2}});
}

TEST_CASE("errors in the file name line and column") {
  check_refused("[]", "1:1", "routes as an object with columns, rows and tensors");
  check_refused("{\"columns\": 6, \"rows\": 4}", "1:1", "tensors");
  check_refused("{\"columns\": 6,\n \"rows\": 4, \"tensors\": 7}", "2:24", "tensors as an array");
  check_refused("{\"columns\": 0,\n \"rows\": 4, \"tensors\": []}", "1:13", "columns");
  check_refused("{\"columns\": 6,\n \"rows\": 32001, \"tensors\": []}", "2:10", "rows");
  check_refused("{\"columns\": 6, \"rows\": 4,\n\"tensors\": [], \"lanes\": 1}", "2:16", "lanes");
  check_refused("{\"schema\": \"waferloom/plan/1\", \"columns\": 6, \"rows\": 4, \"tensors\": []}",
                "1:12", "waferloom/routes/1");
  check_refused("{\"columns\": 6, \"rows\": 4, \"hardware\": 1, \"tensors\": []}", "1:39",
                "hardware");
  check_refused("{\"columns\": 6,", "1:15", "");
}

TEST_CASE("errors in a tensor name line and column") {
  const auto file = [](const std::string& tensor) {
    return "{\"columns\": 6, \"rows\": 4, \"tensors\": [\n" + tensor + "]}";
  };
  check_refused(file("7"), "2:1", "a tensor as an object with name, bytes and lanes");
  check_refused(file(R"({"name": "t", "bytes": 5})"), "2:1", "lanes");
  check_refused(file(R"({"name": 5, "bytes": 5, "lanes": []})"), "2:10", "name");
  check_refused(file(R"({"name": "t", "bytes": -1, "lanes": []})"), "2:24", "bytes");
  check_refused(file(R"({"name": "t", "bytes": 1e16, "lanes": []})"), "2:24", "bytes");
  check_refused(file(R"({"name": "t", "bytes": 5, "lanes": [], "tiles": []})"), "2:40", "tiles");
  check_refused(file(R"({"name": "t", "bytes": 5, "buffer_samples": 0, "lanes": []})"), "2:45",
                "buffer_samples");
  check_refused(file(R"({"name": "t", "bytes": 5, "price": -0.5, "lanes": []})"), "2:36", "price");
  check_refused(file(R"({"name": "t", "bytes": 5, "price": 1.5, "lanes": []})"), "2:36", "price");
  check_refused(file("{\"name\": \"t\", \"bytes\": 5, \"lanes\": []},\n"
                     "{\"bytes\": 5, \"name\": \"t\", \"lanes\": []}"),
                "3:22", "a name that no other tensor has");
}

TEST_CASE("errors in a lane name line and column") {
  check_refused(file_with("5"), "3:5", "a lane as an object with from, to, bytes, path and colour");
  check_refused(file_with(R"({"from": [1, 1], "to": [4, 1], "bytes": 5, "path": "E3"})"), "3:5",
                "colour");
  check_refused(file_with(R"({"hop": 1, "from": [1, 1]})"), "3:6", "hop");
  check_refused(file_with(R"({"from": 1, "to": [4, 1], "bytes": 5, "path": "E3", "colour": 0})"),
                "3:14", "from as [x, y]");
  check_refused(
      file_with(R"({"from": [1, 1, 1], "to": [4, 1], "bytes": 5, "path": "", "colour": 0})"),
      "3:14", "from as [x, y]");
  check_refused(file_with(R"({"from": [6, 1], "to": [4, 1], "bytes": 5, "path": "", "colour": 0})"),
                "3:15", "x");
  check_refused(file_with(R"({"from": [1, 1], "to": [4, 4], "bytes": 5, "path": "", "colour": 0})"),
                "3:32", "y");
  check_refused(
      file_with(R"({"from": [1, 1], "to": [4, 1], "bytes": -5, "path": "E3", "colour": 0})"),
      "3:45", "bytes");
  check_refused(file_with(R"({"from": [1, 1], "to": [4, 1], "bytes": 5, "path": 3, "colour": 0})"),
                "3:56", "path");
  check_refused(
      file_with(R"({"from": [1, 1], "to": [4, 1], "bytes": 5, "path": "E3", "colour": 64})"),
      "3:72", "colour");
  check_refused(file_with(R"({"from": [1, 1], "to": [4, 1], "bytes": 5, "path": "E3", "colour": 0,)"
                          R"( "port": -1})"),
                "3:83", "port");
}

TEST_CASE("paths that are no paths, leave the mesh or end elsewhere are refused at their place") {
  const std::string place = "3:69";
  for (const char* path : {"X3", "E", "E0", "3", "E3,", "e3", "E-3", "E3 N", "E1.5", " E3", "E3 ",
                           "E1  N1", "E3N1S1", "E1 E2"}) {
    check_refused(file_with_path(path), place, "path as turns, such as \"E12 N3\"");
  }
  for (const char* path : {"E5 W2", "W2 E5", "N3 E3 S3", "S2 E3 N2", "E999999 W999996"}) {
    check_refused(file_with_path(path), place, "a path on the mesh");
  }
  for (const char* path : {"", "E2", "E3 N1", "N1 E3"}) {
    check_refused(file_with_path(path), place, "a path that ends at `to`");
  }
  // Turns at the mesh's last tiles are still on it.
  for (const char* path : {"E4 W1", "W1 E4", "N2 E3 S2", "S1 E3 N1"}) {
    CHECK(read_routes(file_with_path(path), "r").tensors[0].lanes[0].to == TilePlace{4, 1});
  }
}

TEST_CASE("tensors and lanes have a place in the file") {
  const RoutedCase routed;
  const std::string text = routes_text(routed.routes);
  // A tensor a line, behind it a lane a line.
  const auto line_of = [&](const std::string& part) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(text.find(part));
    return 1 + static_cast<int>(std::count(text.begin(), end, '\n'));
  };
  const int tensor = line_of("\"ab\"");
  CHECK(place_in_routes(text, "ab", {}) == TextPosition{tensor, 5});
  CHECK(place_in_routes(text, "ab", 1) == TextPosition{tensor + 2, 7});
  CHECK(place_in_routes(text, "ab", 2) == TextPosition{tensor, 5});  // it has two
  CHECK(place_in_routes(text, "none", 0) == TextPosition{});
}

}  // namespace
}  // namespace waferloom
