#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "model/text.h"
#include "tests/kernels/random_kernels.h"

namespace waferloom {

TEST_CASE("decimals of up to six places are read exactly") {
  CHECK(parse_decimal6("0") == Decimal6{0});
  CHECK(parse_decimal6("12") == decimal6(12));
  CHECK(parse_decimal6("0.5") == Decimal6{500'000});
  CHECK(parse_decimal6("0.000001") == Decimal6{1});
  CHECK(parse_decimal6("007.10") == Decimal6{7'100'000});
  CHECK(parse_decimal6("9000000000") == decimal6(9'000'000'000));
  CHECK(parse_decimal6("9000000000.000000") == decimal6(9'000'000'000));
}

TEST_CASE("what is no such decimal is nothing") {
  for (const char* text : {"",
                           ".",
                           ".5",
                           "5.",
                           "-1",
                           "-0",
                           "+1",
                           "1e3",
                           "0x1",
                           "1.0000001",
                           "1,5",
                           " 1",
                           "1 ",
                           "1.2.3",
                           "nan",
                           "inf",
                           "9000000000.000001",
                           "9000000001",
                           "99999999999999999999999999",
                           "1.-5"}) {
    INFO("text ", std::string(text));
    CHECK_FALSE(parse_decimal6(text).has_value());
  }
}

TEST_CASE("decimals with an exponent are exact, or nothing") {
  CHECK(parse_number6("12.5") == Decimal6{12'500'000});
  CHECK(parse_number6("1.25e1") == Decimal6{12'500'000});
  CHECK(parse_number6("1e-6") == Decimal6{1});
  CHECK(parse_number6("10e-7") == Decimal6{1});
  CHECK(parse_number6("0.0000000001E+10") == decimal6(1));
  CHECK(parse_number6("9e9") == decimal6(9'000'000'000));
  CHECK(parse_number6("0e99") == Decimal6{0});
  for (const char* text : {"1e-7", "9.000000000000001e9", "1e10", "-1e0", "-0e0", "1e", "e1",
                           "1.e1", ".1e1", "1e1.0", "1e1e1", "1e +1", "1.0000001"}) {
    INFO("text ", std::string(text));
    CHECK_FALSE(parse_number6(text).has_value());
  }
}

TEST_CASE("whole numbers with an exponent are exact, or nothing") {
  CHECK(parse_whole_text("12") == 12);
  CHECK(parse_whole_text("-12") == -12);
  CHECK(parse_whole_text("200e9") == 200'000'000'000);
  CHECK(parse_whole_text("1.5e3") == 1500);
  CHECK(parse_whole_text("-1.5E+3") == -1500);
  CHECK(parse_whole_text("20e-1") == 2);
  CHECK(parse_whole_text("1.50e1") == 15);
  // 2^53 + 1 and 2^63 - 1: no double has them.
  CHECK(parse_whole_text("900719925474099.3e1") == 9'007'199'254'740'993);
  CHECK(parse_whole_text("9.223372036854775807e18") == std::numeric_limits<std::int64_t>::max());
  CHECK(to_string(parse_whole_text("1e35").value_or(0)) == "1" + std::string(35, '0'));
  CHECK(parse_whole_text("0e999999999999999999999") == 0);
  CHECK(parse_whole_text("0.0e-999999999999999999999") == 0);
  for (const char* text :
       {"", "-", "1e-3", "1.5", "1.0", "1.5e0", "1e36", "1e999999999999999999999",
        "1e-999999999999999999999", "+1", "1e", "e3", "1 ", "0x1e1", "1e1_", "--1"}) {
    INFO("text ", std::string(text));
    CHECK_FALSE(parse_whole_text(text).has_value());
  }
}

TEST_CASE("decimals are written as short as they are exact") {
  CHECK(to_string(Decimal6{0}) == "0");
  CHECK(to_string(decimal6(1)) == "1");
  CHECK(to_string(Decimal6{500'000}) == "0.5");
  CHECK(to_string(Decimal6{1}) == "0.000001");
  CHECK(to_string(Decimal6{12'340'000}) == "12.34");
}

TEST_CASE("reading what was written gives the same decimal") {
  const std::uint64_t seed = 5;
  INFO("seed ", seed);
  test::RandomKernels random(seed);
  for (int round = 0; round < 1000; ++round) {
    const Decimal6 value{random.between(0, 9'000'000'000'000'000)};
    CHECK(parse_decimal6(to_string(value)) == value);
  }
}

TEST_CASE("fractions are written exactly where they end") {
  CHECK(decimal_text(0, 7) == "0");
  CHECK(decimal_text(1, 4) == "0.25");
  CHECK(decimal_text(21, 7) == "3");
  CHECK(decimal_text(3, 1 << 20) == "0.00000286102294921875");
  CHECK(decimal_text(Int128(10'000'000'000) * 10'000'000'000, 1) == "100000000000000000000");
  CHECK(is_exact_decimal(1, 4));
  CHECK(is_exact_decimal(3, 6));
  CHECK_FALSE(is_exact_decimal(1, 6));
}

TEST_CASE("fractions without an end are rounded half up to twelve places") {
  CHECK(decimal_text(1, 3) == "0.333333333333");
  CHECK(decimal_text(2, 3) == "0.666666666667");
  CHECK(decimal_text(Int128(3) * 1'000'000'000'000 - 1, Int128(3) * 1'000'000'000'000) ==
        "1.000000000000");
  CHECK(decimal_text(1, Int128(3) * 1'000'000'000'000) == "0.000000000000");
}

TEST_CASE("128-bit integers are written in full") {
  CHECK(to_string(Int128(0)) == "0");
  CHECK(to_string(Int128(-42)) == "-42");
  CHECK(to_string(Int128(1) << 120) == "1329227995784915872903807060280344576");
  const Int128 least = -(((Int128(1) << 126) - 1) * 2 + 1) - 1;
  CHECK(to_string(least) == "-170141183460469231731687303715884105728");
}

}  // namespace waferloom
