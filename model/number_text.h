#pragma once

#include <cstdint>
#include <string>

/// Numbers as people and files read them: one function for each way, for all libraries.
namespace waferloom {

/// The shortest text that reads back as the same double: "0.1", "1e+20".
std::string shortest_text(double value);
/// At most so many significant digits (1 to 17), no zeros behind the last one, and no exponent from
/// 1e-9 to below 1e9: "3.25", "0.00003072". Whole numbers are not rounded: "566912".
std::string significant_text(double value, int digits = 4);
/// So many places behind the point: "3.20".
std::string fixed_text(double value, int places);
/// A share with so many places: "31.2 %" of 0.312.
std::string percent_text(double share, int places);
/// The same of a fraction of whole numbers, exact before it is rounded half up, without zeros at
/// the end. `part` is not negative and `whole` at least 1.
std::string percent_text(std::int64_t part, std::int64_t whole, int places);
/// Bytes in the unit that suits, 1000 in a step: "12.5 GB".
std::string bytes_text(double bytes, int digits = 4);
enum class Rounding : std::uint8_t { down, up };
/// The same with one place, rounded one way: what is needed is rounded up, what there is down.
std::string bytes_text(std::int64_t bytes, Rounding rounding);
/// Bytes as messages say them, in full: "14,084,104,192", "1,700.5", "unlimited" where they are
/// infinite. Two numbers never read the same.
std::string whole_bytes_text(double bytes);
/// Seconds in s, ms, us or ns: "3.25 ms".
std::string seconds_text(double seconds, int digits = 4);
/// "1 stage", "3 stages": so many of a thing.
std::string counted_text(std::int64_t count, const std::string& thing);
/// A number of `unit` with a prefix: "7.5 PFLOP/s"; without a unit "7.5 P".
std::string prefixed_text(double value, const std::string& unit = "", int digits = 4);

/// The number that so many significant digits of a value make, as reports have it.
double rounded(double value, int digits = 6);

}  // namespace waferloom
