#include "interchange/onnx/skim.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/interchange/onnx/model_bytes.h"
#include "tests/support/complaint.h"

namespace waferloom::interchange {
namespace {

using test::MessageBytes;

/// A model whose only initialiser has so many bytes of data.
std::string with_weights(std::size_t bytes) {
  const MessageBytes tensor =
      MessageBytes().number(1, 4).block(8, "w").block(9, std::string(bytes, 'x'));
  return MessageBytes().number(1, 8).block(7, MessageBytes().block(5, tensor)).bytes();
}

std::string skim_fault(const std::string& bytes) {
  return test::complaint_of([&] { skim_model(bytes, "m"); });
}

TEST_CASE("numbers of tensors are left out where they are many") {
  const std::string kept = with_weights(kMostKeptBytes);
  CHECK(skim_model(kept, "m") == kept);
  CHECK(skim_model(with_weights(kMostKeptBytes + 1), "m").size() < 20);
}

TEST_CASE("what is cut off is told with its place") {
  const std::string whole = with_weights(100);
  for (std::size_t size = 3; size < whole.size(); ++size) {
    CHECK(skim_fault(whole.substr(0, size)).starts_with("m: byte "));
  }
  // ir_version is two bytes, then graph begins with key and length.
  CHECK(skim_fault(whole.substr(0, 50)) ==
        "m: byte 2: expected a field within the 46 bytes that are left, found the length 109");
  CHECK(skim_fault("\x08") == "m: byte 1: expected a number, found the end of what holds it");
}

TEST_CASE("what is no protobuf is refused") {
  CHECK(skim_fault("hello") == "m: byte 2: expected a field of an ONNX model, found the key 108");
  CHECK(skim_fault(std::string(4, '\0')).find("byte 0: expected a field") != std::string::npos);
  CHECK(skim_fault(std::string(20, '\xff')).find("at most 10 bytes") != std::string::npos);
  CHECK(skim_fault(MessageBytes().number(7, 1).bytes()) ==
        "m: byte 0: expected a message in field 7, found a value of type 0");
  CHECK(skim_fault("\x0d\x01") == "m: byte 1: expected 4 bytes, found the end of what holds them");
}

TEST_CASE("nesting is bounded") {
  MessageBytes graph;
  for (int depth = 0; depth < 10'000; ++depth) {
    const MessageBytes attribute = MessageBytes().block(6, graph);
    graph = MessageBytes().block(1, MessageBytes().block(5, attribute));
    if (depth == 18) CHECK(skim_fault(MessageBytes().block(7, graph).bytes()).empty());
  }
  CHECK(skim_fault(MessageBytes().block(7, graph).bytes()).find("nested at most 60 deep") !=
        std::string::npos);
}

TEST_CASE("memory is bounded, whatever the bytes") {
  std::string nodes;
  for (int i = 0; i < 900'000; ++i) nodes += MessageBytes().block(1, "").bytes();
  CHECK(skim_fault(MessageBytes().block(7, nodes).bytes()).find("at most 128 MiB") !=
        std::string::npos);
  const std::string name(kMostKeptBytes + 1, 'n');
  const MessageBytes node = MessageBytes().block(3, name);
  CHECK(skim_fault(MessageBytes().block(7, MessageBytes().block(1, node)).bytes())
            .find("a name or sizes of at most 32768 bytes, found 32769") != std::string::npos);
}

}  // namespace
}  // namespace waferloom::interchange
