#include "tests/support/option_tables.h"

#include <doctest/doctest.h>

#include "planner/amped.h"
#include "planner/centimani.h"
#include "planner/design_space.h"
#include "planner/dfmodel.h"
#include "planner/dfmodel/mapping/mapping_search.h"
#include "planner/dfmodel/systems/layer_execution.h"
#include "planner/serving.h"
#include "planner/system_plan.h"

using namespace waferloom;
using namespace waferloom::planner;

TEST_CASE("the planners' tables have different names, defaults without fault, and whole help") {
  for (const std::vector<OptionSpec>& table :
       {specs_of(amped_options()), specs_of(centimani_options()), specs_of(dfmodel_options()),
        specs_of(systems_options()), specs_of(serving_options())}) {
    check_table(table);
  }
}

// What docs/cli.md and the models' pages tell, and limits far beyond any machine.

TEST_CASE("AMPeD's options in the order of help, with their values and ranges") {
  CHECK(table_text(specs_of(amped_options())) ==
        "batch N: required; 1 to 1000000000\n"
        "hardware NAME|FILE: default a100_hdr\n"
        "set KEY=VALUE\n"
        "chips N|AxB\n"
        "nodes N: 1 to 100000000\n"
        "node-chips N: 1 to 100000000\n"
        "tokens N: 1 to 1e18\n"
        "tp N|IxA\n"
        "pp N|IxA\n"
        "dp N|IxA\n"
        "explore\n"
        "top N: 1 to 1000000; default 10\n"
        "micro-batches N: 1 to 1000000000; best (default) or stages; default best\n"
        "recompute\n"
        "recompute-attention\n"
        "sequence-parallel\n"
        "efficiency A[,B[,F]]\n"
        "bubble FORM: consistent (default) or literal; default consistent\n"
        "all-reduce FORM: full (default) or scattered; default full\n"
        "transfers FORM: one (default) or every; default one\n"
        "bubble-ratio R: 0 to 1; default 1\n"
        "zero-overhead X: 0 to 100; default 0\n"
        "zero 0-3: 0 to 3; default 0\n"
        "experts N: 2 to 1000000\n"
        "experts-active N: 1 to 1000000; default 1\n"
        "experts-every N: 1 to 1000000; default 1\n"
        "expert-ways N: 1 to 1000000\n"
        "bits P[,A[,G[,E]]]\n"
        "factors I[,A[,M]]\n"
        "matrix-only\n"
        "layers-only\n"
        "any-degrees\n"
        "fits\n");
}

TEST_CASE("Centimani's and serving's options in the order of help, with values and ranges") {
  CHECK(table_text(specs_of(centimani_options())) ==
        "hardware NAME|FILE: default a100_40gb\n"
        "set KEY=VALUE\n"
        "batches N,N,...\n"
        "chips N: 1 to 100000000; default 1\n"
        "stages N: 1 to 100000000; default 1\n"
        "learning sync|async: sync (default) or async; default sync\n"
        "compress BITS[,DENSITY[,INDEX]]\n"
        "optimizer adam|sgd: adam (default) or sgd; default adam\n");
  CHECK(table_text(specs_of(serving_options())) ==
        "hardware NAME|FILE: default sn40l_16\n"
        "set KEY=VALUE\n"
        "chips N|AxB\n"
        "prompt N: 1 to 100000000; default 4096\n"
        "context N: 0 to 100000000; default 4096\n"
        "samples N: 1 to 1000000; default 1\n"
        "draft WORKLOAD\n"
        "acceptance A: 0 to 1; default 0.8\n"
        "window K: 1 to 20; default 4\n"
        "scheme S: sequence (default) or tree; default sequence\n"
        "area\n");
}

TEST_CASE("DFModel's options in the order of help, with their values and ranges") {
  CHECK(table_text(specs_of(dfmodel_options())) ==
        "hardware NAME|FILE: default sn10_8x1\n"
        "set KEY=VALUE\n"
        "chips N|AxB\n"
        "tensor N: 1 to 1000000\n"
        "sharded\n"
        "mapping M: default optimal\n"
        "partitions K: 1 to 4096\n"
        "method M: automatic (default), ideals, cbc or cuts (no proof); default automatic\n"
        "micro-batch N|max: 1 to 1000000; max; default 1\n"
        "batch N: 1 to 1000000000000\n"
        "cycles\n"
        "stream\n"
        "dram-limit\n");
  CHECK(table_text(specs_of(systems_options())) ==
        "objective O: time (default), throughput, cost or energy; default time\n"
        "show Q: utilisation (default), cost, power or time; default utilisation\n"
        "batch N: 1 to 1000000000; default 1024\n"
        "forward\n");
}
