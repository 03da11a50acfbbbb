#include "sweep/space/range_values.h"

#include <doctest/doctest.h>

using namespace waferloom::sweep;

TEST_CASE("steps reach their end, and no number has the dust of sums") {
  CHECK(stepped({0, 3}, 1, 100) == std::vector<double>{0, 1, 2, 3});
  CHECK(stepped({0, 0.3}, 0.1, 100) == std::vector<double>{0, 0.1, 0.2, 0.3});
  CHECK(stepped({0, 2.9}, 1, 100) == std::vector<double>{0, 1, 2});
  CHECK(stepped({5, 5}, 1, 100) == std::vector<double>{5});
  CHECK(stepped({0, 1000}, 1, 3) == std::vector<double>{0, 1, 2});
}

TEST_CASE("factors reach their end") {
  CHECK(multiplied({1, 8}, 2, 100) == std::vector<double>{1, 2, 4, 8});
  CHECK(multiplied({0.1, 10}, 10, 100) == std::vector<double>{0.1, 1, 10});
  CHECK(multiplied({1, 7.9}, 2, 100) == std::vector<double>{1, 2, 4});
}

TEST_CASE("numbers are as options take them") {
  CHECK(number_cell(3) == "3");
  CHECK(number_cell(4.4e9) == "4400000000");
  CHECK(number_cell(0.1 + 0.2) == "0.3");
  CHECK(number_cell(-2.5) == "-2.5");
  CHECK(number_cell(1e16) == "1e+16");
}

TEST_CASE("numbers of JSON have a single form each") {
  CHECK(plain_number("2.2e9") == "2200000000");
  CHECK(plain_number("1.50") == "1.5");
  CHECK(plain_number("18446744073709551615") == "18446744073709551615");
  CHECK(plain_number("0.12345678901234567") == "0.12345678901234567");
}
