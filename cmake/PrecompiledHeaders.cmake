# Headers that most sources read, compiled once for each kind of target. A source still includes what
# it uses: without WAFERLOOM_WHOLE_FOLDERS nobody does it for it.

set(waferloom_common_headers
  <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <cstdlib> <functional> <limits> <map>
  <memory> <numeric> <optional> <queue> <set> <span> <stdexcept> <string> <string_view> <tuple>
  <unordered_map> <utility> <variant> <vector> <fmt/format.h>)

# An owner of precompiled headers needs a source.
set(waferloom_no_source ${CMAKE_BINARY_DIR}/no_source.cpp)
file(CONFIGURE OUTPUT ${waferloom_no_source} CONTENT "")

add_library(waferloom_library_headers OBJECT ${waferloom_no_source})
target_link_libraries(waferloom_library_headers PRIVATE waferloom_flags)
target_precompile_headers(waferloom_library_headers PRIVATE ${waferloom_common_headers})
waferloom_inside_module(waferloom_library_headers)

add_library(waferloom_thin_headers OBJECT ${waferloom_no_source})
target_link_libraries(waferloom_thin_headers PRIVATE waferloom_thin_flags)
target_precompile_headers(waferloom_thin_headers PRIVATE ${waferloom_common_headers})
waferloom_inside_module(waferloom_thin_headers)

if(WAFERLOOM_TESTS)
  find_package(doctest 2.4.9 REQUIRED)
  add_library(waferloom_test_headers OBJECT ${waferloom_no_source})
  target_link_libraries(waferloom_test_headers PRIVATE
    waferloom_test_flags doctest::doctest nlohmann_json::nlohmann_json)
  target_compile_definitions(waferloom_test_headers PRIVATE DOCTEST_CONFIG_SUPER_FAST_ASSERTS)
  target_precompile_headers(waferloom_test_headers PRIVATE
    ${waferloom_common_headers} <fstream> <random> <sstream> <doctest/doctest.h> <nlohmann/json.hpp>)
endif()

# waferloom_precompiled(TARGET library|thin|test): the target's sources begin with those headers.
function(waferloom_precompiled target kind)
  target_precompile_headers(${target} REUSE_FROM waferloom_${kind}_headers)
endfunction()
