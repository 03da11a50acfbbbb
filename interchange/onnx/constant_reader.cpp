#include "interchange/onnx/constant_reader.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

namespace waferloom::interchange {
namespace {

// The standard's numbers of types, beside those that ElementType names.
constexpr int kUint8 = 2;
constexpr int kInt8 = 3;
constexpr int kUint16 = 4;
constexpr int kInt16 = 5;
constexpr int kFloat16 = 10;
constexpr int kDouble = 11;
constexpr int kUint32 = 12;
constexpr int kUint64 = 13;
constexpr int kComplex64 = 14;
constexpr int kBfloat16 = 16;
constexpr int kFloat8 = 17;
constexpr int kFloat8Last = 20;
constexpr int kUint4 = 21;
constexpr int kInt4 = 22;
constexpr int kFloat4 = 23;

/// Numbers of one C++ type behind each other, little-endian.
template <typename Number, typename Out>
bool read_raw(const std::string& bytes, std::size_t count, std::vector<Out>& out) {
  static_assert(std::endian::native == std::endian::little);
  if (bytes.size() != count * sizeof(Number)) return false;
  for (std::size_t i = 0; i < count; ++i) {
    Number number;
    std::memcpy(&number, bytes.data() + i * sizeof(Number), sizeof(Number));
    out.push_back(static_cast<Out>(number));
  }
  return true;
}

/// IEEE 754 binary16.
double half(std::uint16_t bits) {
  constexpr int kFraction = 10;
  const int exponent = bits >> kFraction & 0x1f;
  const int fraction = bits & 0x3ff;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  if (exponent == 0x1f) {
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  }
  return sign * std::ldexp(fraction + 0x400, exponent - 25);
}

double brain_float(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// Reads the 16-bit floats of a tensor.
bool read_halves(const format::Tensor& tensor, std::size_t count, std::vector<double>& out) {
  std::vector<std::int64_t> bits;
  if (tensor.has_raw_data()) {
    if (!read_raw<std::uint16_t>(tensor.raw_data(), count, bits)) return false;
  } else {
    for (const std::int32_t value : tensor.int32_data()) bits.push_back(value);
  }
  for (const std::int64_t value : bits) {
    const auto pattern = static_cast<std::uint16_t>(value);
    out.push_back(tensor.data_type() == kFloat16 ? half(pattern) : brain_float(pattern));
  }
  return out.size() == count;
}

template <typename Numbers, typename Out>
bool copy_numbers(const Numbers& numbers, std::size_t count, std::vector<Out>& out) {
  out.assign(numbers.begin(), numbers.end());
  return out.size() == count;
}

bool read_reals(const format::Tensor& tensor, std::size_t count, std::vector<double>& out) {
  switch (tensor.data_type()) {
    case static_cast<int>(ElementType::float32):
      return tensor.has_raw_data() ? read_raw<float>(tensor.raw_data(), count, out)
                                   : copy_numbers(tensor.float_data(), count, out);
    case kDouble:
      return tensor.has_raw_data() ? read_raw<double>(tensor.raw_data(), count, out)
                                   : copy_numbers(tensor.double_data(), count, out);
    case kFloat16:
    case kBfloat16:
      return read_halves(tensor, count, out);
    default:
      return false;
  }
}

bool read_raw_wholes(const format::Tensor& tensor, std::size_t count,
                     std::vector<std::int64_t>& out) {
  const std::string& bytes = tensor.raw_data();
  switch (tensor.data_type()) {
    case static_cast<int>(ElementType::int64):
      return read_raw<std::int64_t>(bytes, count, out);
    case static_cast<int>(ElementType::int32):
      return read_raw<std::int32_t>(bytes, count, out);
    case static_cast<int>(ElementType::boolean):
    case kUint8:
      return read_raw<std::uint8_t>(bytes, count, out);
    case kInt8:
      return read_raw<std::int8_t>(bytes, count, out);
    case kUint16:
      return read_raw<std::uint16_t>(bytes, count, out);
    case kInt16:
      return read_raw<std::int16_t>(bytes, count, out);
    case kUint32:
      return read_raw<std::uint32_t>(bytes, count, out);
    default:
      return false;
  }
}

bool read_wholes(const format::Tensor& tensor, std::size_t count, std::vector<std::int64_t>& out) {
  if (tensor.has_raw_data()) return read_raw_wholes(tensor, count, out);
  if (tensor.data_type() == static_cast<int>(ElementType::int64)) {
    return copy_numbers(tensor.int64_data(), count, out);
  }
  const bool is_whole = tensor.data_type() <= static_cast<int>(ElementType::boolean);
  return is_whole && copy_numbers(tensor.int32_data(), count, out);
}

}  // namespace

bool is_real(ElementType type) {
  const int number = static_cast<int>(type);
  return type == ElementType::float32 || number == kFloat16 || number == kDouble ||
         (number >= kComplex64 && number <= kBfloat16) ||
         (number >= kFloat8 && number <= kFloat8Last) || number == kFloat4;
}

bool is_narrow(ElementType type) {
  const int number = static_cast<int>(type);
  return number == kUint8 || number == kInt8 || number == kUint4 || number == kInt4;
}

std::optional<Constant> constant_of(const format::Tensor& tensor) {
  std::size_t count = 1;
  for (const std::int64_t size : tensor.dims()) {
    if (size < 0 || size > static_cast<std::int64_t>(kMostConstant)) return std::nullopt;
    count *= static_cast<std::size_t>(size);
    if (count > kMostConstant) return std::nullopt;
  }
  Constant constant;
  constant.is_real = is_real(static_cast<ElementType>(tensor.data_type()));
  const bool is_read = constant.is_real ? read_reals(tensor, count, constant.reals)
                                        : read_wholes(tensor, count, constant.wholes);
  if (!is_read) return std::nullopt;
  return constant;
}

}  // namespace waferloom::interchange
