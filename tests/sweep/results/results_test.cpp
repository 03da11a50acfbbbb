#include "sweep/results.h"

#include <doctest/doctest.h>

#include "model/errors.h"
#include "tests/support/complaint.h"

using namespace waferloom;
using namespace waferloom::sweep;

namespace {

const std::string kId(64, 'b');

PointOutcome outcome(int code, const std::string& report) {
  return {.exit_code = code, .report = report};
}

}  // namespace

TEST_CASE("answers and failures are told apart") {
  CHECK(status_of(outcome(0, "{}")) == PointStatus::done);
  CHECK(status_of(outcome(4, "{}")) == PointStatus::done);
  CHECK(status_of(outcome(4, "")) == PointStatus::failed);
  CHECK(status_of(outcome(0, "")) == PointStatus::failed);
  CHECK(status_of(outcome(3, "")) == PointStatus::infeasible);
  for (const int code : {1, 2, 5, 127, 137, 143}) {
    CHECK(status_of(outcome(code, "{}")) == PointStatus::failed);
  }
}

TEST_CASE("a failure has a reason") {
  CHECK(failure_reason(outcome(0, "{}")).empty());
  CHECK(failure_reason(outcome(0, "")) == "no report");
  CHECK(failure_reason(outcome(2, "")) == "exit code 2");
  CHECK(failure_reason(outcome(137, "")) == "signal 9");
  PointOutcome large = outcome(1, "");
  large.memory_limit = true;
  CHECK(failure_reason(large) == "memory limit");
}

TEST_CASE("any object can end as a whole") {
  const std::string text = whole_text("{\n \"a\": {}\n}\n");
  CHECK(text == "{\n \"a\": {},\n \"whole\": true\n}\n");
  CHECK(ends_whole(text));
}

TEST_CASE("names of files say id and status") {
  for (const auto status : {PointStatus::done, PointStatus::infeasible, PointStatus::failed}) {
    const std::string path = result_path(kId, status);
    CHECK(path.starts_with("results/bb/" + kId));
    const auto read = result_of_name(path.substr(path.rfind('/') + 1));
    REQUIRE(read.has_value());
    CHECK(read->first == kId);
    CHECK(read->second == status);
  }
  CHECK_FALSE(result_of_name("." + kId + ".host.12").has_value());
  CHECK_FALSE(result_of_name(kId + ".txt").has_value());
}

TEST_CASE("a result is read back, and a part of it is not whole") {
  PointOutcome done = outcome(0, "{\n \"total\": 4632\n}\n");
  done.wall_s = 0.25;
  done.peak_memory_bytes = 1000;
  const std::string text = result_text(kId, done);
  CHECK(ends_whole(text));
  for (std::size_t length = 0; length < text.size(); ++length) {
    CHECK_FALSE(ends_whole(text.substr(0, length)));
  }
  const PointResult read = read_result(text, "r");
  CHECK(read.id == kId);
  CHECK(read.status == PointStatus::done);
  REQUIRE(read.report.keys == std::vector<std::string>{"total"});
  CHECK(read.report.items.front().text == "4632");
  CHECK(read.wall_s == 0.25);
  PointOutcome failed = outcome(2, "");
  failed.message = "a \"b\"\nc";
  const PointResult other = read_result(result_text(kId, failed), "r");
  CHECK(other.report.kind == JsonValue::Kind::null);
  CHECK(other.message == failed.message);
  CHECK(other.reason == "exit code 2");
  const auto fault = [](const std::string& wrong) {
    return test::complaint_of<InputError>([&] { read_result(wrong, "r"); });
  };
  CHECK(fault("{}") == "r:1:1: expected the key 'schema', found an object without it");
  std::string wrong = text;
  CHECK(fault(wrong.replace(wrong.find("\"done\""), 6, "\"well\"")) ==
        "r:4:13: expected status as done, infeasible or failed, found 'well'");
  wrong = text;
  const std::size_t report = wrong.find("\"report\": ") + 10;
  CHECK(fault(wrong.replace(report, wrong.find('}', report) + 1 - report, "7")) ==
        "r:10:12: expected report as an object or null, found '7'");
}

TEST_CASE("what a failed point left of a report is not kept") {
  const PointResult read = read_result(result_text(kId, outcome(137, "{\n \"total\": 46")), "r");
  CHECK(read.status == PointStatus::failed);
  CHECK(read.report.kind == JsonValue::Kind::null);
}
