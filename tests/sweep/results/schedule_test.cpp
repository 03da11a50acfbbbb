#include "sweep/schedule.h"

#include <doctest/doctest.h>

using namespace waferloom::sweep;

TEST_CASE("tasks are as long as was asked, within what is allowed") {
  CHECK(packed_tasks({1000, 6, 10, 1001}) == 10);
  CHECK(packed_tasks({1001, 6, 10, 1001}) == 11);
  CHECK(packed_tasks({1000, 6, 10, 4}) == 4);
  CHECK(packed_tasks({3, 6000, 10, 1001}) == 3);
  CHECK(packed_tasks({10, 0.001, 10, 1001}) == 1);
  CHECK(packed_tasks({0, 1, 10, 1001}) == 1);
}

TEST_CASE("an array has runs and gaps") {
  CHECK(array_text({0, 1, 2, 3}) == "0-3");
  CHECK(array_text({0, 2, 3, 7}) == "0,2-3,7");
  CHECK(array_text({5}) == "5");
}

TEST_CASE("values of scontrol have their whole keys") {
  const std::string text =
      "MaxArraySizeX = 5\nMaxArraySize            = 1001\nMaxJobId = 7\nNone =\n";
  const std::map<std::string, std::string> values = config_values(text);
  CHECK(values.at("MaxArraySize") == "1001");
  CHECK_FALSE(values.contains("MaxJob"));
  CHECK(values.at("None").empty());
}

TEST_CASE("jobs are taken out of a log by their number") {
  const std::string log = "Seq\tHost\n1\t:\n2\t:\n12\t:\n";
  CHECK(without_jobs(log, {0, 11}) == "Seq\tHost\n2\t:\n");
  CHECK(without_jobs(log, {}) == log);
}
