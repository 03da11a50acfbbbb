#include "sweep/points.h"

#include <doctest/doctest.h>

#include <set>

using namespace waferloom::sweep;

namespace {

PointAxis axis(const std::string& name, const std::vector<std::string>& texts) {
  PointAxis made{.name = name, .columns = {name}};
  for (const std::string& text : texts) made.values.push_back({text, text, {text}});
  return made;
}

/// Two letters by three numbers.
PointSpace six() {
  return {.command = "model amped",
          .program = "1.0",
          .axes = {axis("letter", {"a", "b"}), axis("number", {"1", "2", "3"})},
          .dimensions = {{0}, {1}},
          .columns = {"letter", "number"}};
}

std::vector<Point> points_of(const PointSpace& space) {
  std::vector<Point> points;
  for_each_point(space, [&](const Point& point) {
    points.push_back(point);
    return true;
  });
  return points;
}

std::string cells_text(const std::vector<Point>& points) {
  std::string text;
  for (const Point& point : points) {
    for (const std::string& cell : point.cells) text += cell;
    text += " ";
  }
  return text;
}

}  // namespace

TEST_CASE("SHA-256 of the standard's example") {
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("the last dimension of a product runs fastest") {
  const std::vector<Point> points = points_of(six());
  CHECK(cells_text(points) == "a1 a2 a3 b1 b2 b3 ");
  CHECK(points[4].index == 4);
  CHECK(points[4].arguments ==
        std::vector<std::string>{"model", "amped", "--letter", "b", "--number", "2"});
}

TEST_CASE("operands have no name, flags no value, and what is not given is left out") {
  PointSpace space = six();
  space.axes[0].is_operand = true;
  space.axes[1].is_flag = true;
  space.axes[1].values = {{"", "true", {"true"}}, {std::nullopt, "", {""}}};
  const std::vector<Point> points = points_of(space);
  CHECK(points[0].arguments == std::vector<std::string>{"model", "amped", "a", "--number"});
  CHECK(points[1].arguments == std::vector<std::string>{"model", "amped", "a"});
}

TEST_CASE("zipped axes go together") {
  PointSpace space = six();
  space.axes.push_back(axis("word", {"x", "y"}));
  space.columns.push_back("word");
  space.dimensions = {{0, 2}, {1}};
  CHECK(cells_text(points_of(space)) == "a1x a2x a3x b1y b2y b3y ");
}

TEST_CASE("an exclusion needs all of its conditions") {
  PointSpace space = six();
  space.exclusions = {{{{"letter", {"a"}}, {"number", {"1", "3"}}}}, {{{"number", {"2"}}}}};
  const std::vector<Point> points = points_of(space);
  CHECK(cells_text(points) == "b1 b3 ");
  CHECK(points[1].index == 1);
}

TEST_CASE("a space stops where it is told to") {
  int left = 2;
  CHECK(for_each_point(six(), [&](const Point&) { return left-- > 0; }) == 2);
}

TEST_CASE("an id is of what is run, whatever its order and its names of files") {
  const std::vector<Point> points = points_of(six());
  std::set<std::string> ids;
  for (const Point& point : points) ids.insert(point.id);
  CHECK(ids.size() == 6);
  PointSpace turned = six();
  std::swap(turned.axes[0], turned.axes[1]);
  turned.dimensions = {{1}, {0}};
  CHECK(points_of(turned)[4].id == points[4].id);
  PointSpace newer = six();
  newer.program = "1.1";
  CHECK(points_of(newer)[4].id != points[4].id);
  PointSpace moved = six();
  moved.axes[0].values[1].argument = "elsewhere/b";
  CHECK(points_of(moved)[4].id == points[4].id);
  CHECK(points[0].id == sha256(R"({"command":"model amped","operands":{},)"
                               R"("options":{"letter":"a","number":"1"},"program":"1.0"})"));
}

TEST_CASE("a sample draws of lists and of ranges, and nothing twice") {
  PointSpace space = six();
  space.axes[1].values.clear();
  space.axes[1].range = ContinuousRange{10, 1000, true, false};
  space.sampling = Sampling{Sampling::Method::latin_hypercube, 40, 3};
  const std::vector<Point> points = points_of(space);
  CHECK(points.size() == 40);
  for (const Point& point : points) {
    CHECK(std::stod(point.cells[1]) >= 10);
    CHECK(std::stod(point.cells[1]) <= 1000);
  }
  CHECK(cells_text(points_of(space)) == cells_text(points));
  space.sampling->seed = 4;
  CHECK(cells_text(points_of(space)) != cells_text(points));
  // Six values at most can be told apart.
  PointSpace small = six();
  small.sampling = Sampling{Sampling::Method::sobol, 100, 0};
  CHECK(points_of(small).size() == 6);
}

TEST_CASE("whole ranges reach both ends") {
  PointSpace space = six();
  space.axes[1].values.clear();
  space.axes[1].range = ContinuousRange{1, 3, false, true};
  space.sampling = Sampling{Sampling::Method::sobol, 64, 0};
  std::set<std::string> met;
  for (const Point& point : points_of(space)) met.insert(point.cells[1]);
  CHECK(met == std::set<std::string>{"1", "2", "3"});
}

TEST_CASE("what is fixed does not change what a sample draws") {
  for (const auto method : {Sampling::Method::latin_hypercube, Sampling::Method::sobol}) {
    PointSpace space = six();
    space.sampling = Sampling{method, 5, 1};
    const std::string drawn = cells_text(points_of(space));
    PointAxis effort = axis("effort", {"9"});
    effort.fixed = true;
    space.axes.insert(space.axes.begin(), effort);
    space.dimensions = {{1}, {2}};
    const std::vector<Point> points = points_of(space);
    CHECK(cells_text(points) == drawn);
    CHECK(points[0].arguments[2] == "--effort");
  }
}
