#include "cluster/task_array.h"

#include <doctest/doctest.h>

using namespace waferloom::cluster;

TEST_CASE("a task is a line, in its folder if it has one") {
  TaskArray array;
  array.words = [](const std::string& number) {
    return std::vector<std::string>{"run", "--task", number + "/8"};
  };
  CHECK(task_line(array, "3") == "run --task 3/8");
  array.work_folder = "/my runs";
  CHECK(task_line(array, "3") == "cd '/my runs' && run --task 3/8");
}

TEST_CASE("the local engine needs no program") { CHECK_FALSE(missing_program("local")); }
