#include "cluster/run_folder.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "cluster/folder/own_file.h"
#include "cluster/folder/process_name.h"
#include "sweep/results.h"
#include "tests/support/complaint.h"
#include "tests/support/scratch_folder.h"

using namespace waferloom;
using namespace waferloom::cluster;

namespace {

const std::string kText = sweep::whole_text("{\n \"a\": 1\n}\n");

/// The id of a process that has ended.
std::string ended_process() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  return std::to_string(child);
}

}  // namespace

TEST_CASE("a result is there as a whole") {
  const test::ScratchFolder scratch;
  const RunFolder run(scratch.file("run//"));
  CHECK(run.path() == scratch.file("run"));
  const std::string name = "results/ab/x.json";
  CHECK_FALSE(run.has_result(name));
  run.write_result(name, kText);
  CHECK(run.has_result(name));
  CHECK(own_file_text(run.file(name)) == kText);
  for (const std::size_t kept : {std::size_t{0}, kText.size() / 2, kText.size() - 1}) {
    scratch.write("run/" + name, kText.substr(0, kept));
    CHECK_FALSE(run.has_result(name));
  }
}

TEST_CASE("whole results of a group are listed by name") {
  const test::ScratchFolder scratch;
  const RunFolder run(scratch.file("run"));
  CHECK(run.whole_results("1").empty());
  for (const char* name : {"b", "a"}) {
    run.write_result("results/1/" + std::string(name), kText);
  }
  run.write_result("results/2/c", kText);
  scratch.write("run/results/1/cut", "{");
  CHECK(run.whole_results("1") == std::vector<std::string>{"a", "b"});
}

TEST_CASE("a result that cannot be put in place leaves nothing") {
  const test::ScratchFolder scratch;
  const RunFolder run(scratch.file("run"));
  scratch.write("run/results/ab/x.json/in_the_way", "");
  const auto write = [&] { run.write_result("results/ab/x.json", "{}"); };
  CHECK(test::complaint_of(write).starts_with(run.file("results/ab/x.json") +
                                              ": cannot be written: "));
  const std::filesystem::directory_iterator left(run.file("results/ab"));
  CHECK(std::distance(begin(left), end(left)) == 1);
}

TEST_CASE("only what nobody will finish is a leftover") {
  const test::ScratchFolder scratch;
  const RunFolder run(scratch.file("run"));
  const std::string here = "run/results/ab/.x." + host_name() + ".";
  const std::string of_nobody = here + ended_process();
  const std::string of_this = here + std::to_string(getpid());
  const std::string elsewhere = "run/results/ab/.x.other.host.1";
  for (const std::string& name : {of_nobody, of_this, elsewhere}) scratch.write(name, "half");
  run.remove_leftovers();
  CHECK_FALSE(std::filesystem::exists(scratch.file(of_nobody)));
  CHECK(std::filesystem::exists(scratch.file(of_this)));
  CHECK(std::filesystem::exists(scratch.file(elsewhere)));
  const auto day_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(25);
  std::filesystem::last_write_time(scratch.file(elsewhere), day_ago);
  run.remove_leftovers();
  CHECK_FALSE(std::filesystem::exists(scratch.file(elsewhere)));
}

TEST_CASE("a temporary name says whose it is") {
  CHECK(temporary_name("a/b.err.json") == "a/.b." + own_process_name());
}
