#include "cluster/processes.h"

#include <doctest/doctest.h>

#include "cluster/task_array.h"
#include "tests/support/complaint.h"
#include "tests/support/cut_run.h"

using namespace waferloom;
using namespace waferloom::cluster;
using test::complaint_of;

TEST_CASE("a shell reads the words of a line back") {
  CHECK(shell_line({"a", "--b=c/d.e", "1%2"}) == "a --b=c/d.e 1%2");
  CHECK(shell_line({"two words", "", "it's", "{}"}) == R"('two words' '' 'it'\''s' '{}')");
  CHECK(output_of({"/bin/sh", "-c", shell_line({"printf", "%s|", "a b", "$x", "it's"})}) ==
        "a b|$x|it's|");
}

TEST_CASE("a program is waited for, and a cut ends it") {
  CHECK(run_and_wait({"/bin/sh", "-c", "exit 7"}, RunControl{}) == 7);
  const test::CutRun cut(0);
  CHECK(run_and_wait({"sleep", "1000"}, cut.control()) == 128 + 15);
  CHECK(cut.questions() == 1);
}

TEST_CASE("a program that is not there, or fails, is an engine's fault") {
  CHECK(complaint_of<EngineError>([] { output_of({"/nowhere/sbatch"}); }) ==
        "/nowhere/sbatch: cannot be run: No such file or directory");
  CHECK(complaint_of<EngineError>([] {
          output_of({"/bin/sh", "-c", "exit 3"});
        }) == "/bin/sh failed with exit code 3: /bin/sh -c 'exit 3'");
}
