# The one place that says how a waferloom target is compiled.

find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS program_options)
find_package(fmt 9 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo>=1.16)
pkg_check_modules(CBC REQUIRED IMPORTED_TARGET cbc>=2.10)
if(NOT WAFERLOOM_STD_THREADS)
  find_package(TBB 2021 REQUIRED)
endif()

# Flags that every target, library, program or test, is compiled and linked with.
add_library(waferloom_flags INTERFACE)
target_compile_features(waferloom_flags INTERFACE cxx_std_20)
target_compile_options(waferloom_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow
  # A fused multiply and add rounds once: numbers would be those of processors that have it.
  -ffp-contract=off
  # False alarms of g++ 12 in its own std::string (GCC bug 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  # What g++ does not count among -Wconversion of C++.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-sign-conversion>
  $<$<BOOL:${WAFERLOOM_WERROR}>:-Werror>)
target_include_directories(waferloom_flags INTERFACE ${PROJECT_SOURCE_DIR})
# Of every target, because it is among the precompiled headers.
target_link_libraries(waferloom_flags INTERFACE fmt::fmt)
if(WAFERLOOM_SANITIZE)
  # Instrumented code makes g++ 12 see uninitialised members inside std::regex.
  target_compile_options(waferloom_flags INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
    -fsanitize=${WAFERLOOM_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(waferloom_flags INTERFACE -fsanitize=${WAFERLOOM_SANITIZE})
endif()
if(WAFERLOOM_FUZZ)
  target_compile_options(waferloom_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# What who links a library gets, warnings and how we compile apart.
add_library(waferloom_headers INTERFACE)
target_compile_features(waferloom_headers INTERFACE cxx_std_20)
target_include_directories(waferloom_headers INTERFACE ${PROJECT_SOURCE_DIR})

# waferloom_inside_module(TARGET…): its code may stand in a shared module, such as one of Python's,
# which shows none of its names.
function(waferloom_inside_module)
  set_target_properties(${ARGN} PROPERTIES
    POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# Code outside of the libraries computes nothing that takes long: optimising it a little is enough,
# and halves the time that it takes to build.
add_library(waferloom_thin_flags INTERFACE)
target_link_libraries(waferloom_thin_flags INTERFACE waferloom_flags)
target_compile_options(waferloom_thin_flags INTERFACE $<$<CONFIG:Release>:-O1>)

# What tests hold is run once. They compute in libraries, and are built in half the time.
add_library(waferloom_test_flags INTERFACE)
target_link_libraries(waferloom_test_flags INTERFACE waferloom_flags)
target_compile_options(waferloom_test_flags INTERFACE $<$<CONFIG:Release>:-O0>)

# What makes a build from nothing quick: the sources of a folder compiled as one, with precompiled
# headers, on any machine. Who edits may switch that off, and has each source in ccache then, where
# that is there (ADR 7).
if(WAFERLOOM_WHOLE_FOLDERS)
  include(PrecompiledHeaders)
  include(WholeFolders)
  # g++ 12 forgets that what it read from there is a system's header, and warns of its own code.
  target_compile_options(waferloom_flags INTERFACE
    "$<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overflow>")
else()
  find_program(WAFERLOOM_CCACHE ccache)
  if(WAFERLOOM_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${WAFERLOOM_CCACHE})
  endif()
  function(waferloom_precompiled)
  endfunction()
  function(waferloom_whole_folders)
  endfunction()
endif()

# waferloom_library(NAME SOURCES a.cpp … THIN b.cpp … LINKS waferloom::lower …)
# A static library of one folder, known to others as waferloom::NAME. LINKS are public. THIN are the
# sources that compute nothing that takes long: readers, writers, reports, pictures. They are
# optimised a little alone, and read JSON's headers precompiled (ADR 10).
function(waferloom_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;THIN;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(waferloom_${name} STATIC ${ARG_SOURCES})
  add_library(waferloom::${name} ALIAS waferloom_${name})
  target_link_libraries(waferloom_${name}
    PUBLIC waferloom_headers ${ARG_LINKS} PRIVATE $<BUILD_INTERFACE:waferloom_flags> ${ARG_PRIVATE_LINKS})
  waferloom_inside_module(waferloom_${name})
  if(ARG_SOURCES)
    waferloom_precompiled(waferloom_${name} library)
    waferloom_whole_folders(waferloom_${name})
  endif()
  if(ARG_THIN)
    add_library(waferloom_${name}_thin OBJECT ${ARG_THIN})
    target_link_libraries(waferloom_${name}_thin
      PRIVATE waferloom_thin_flags ${ARG_LINKS} ${ARG_PRIVATE_LINKS})
    waferloom_inside_module(waferloom_${name}_thin)
    waferloom_precompiled(waferloom_${name}_thin thin)
    waferloom_whole_folders(waferloom_${name}_thin)
    target_sources(waferloom_${name} PRIVATE $<TARGET_OBJECTS:waferloom_${name}_thin>)
  endif()
endfunction()

# waferloom_embedded(SOURCE FILE FUNCTION)
# Sets SOURCE to a C++ source in which waferloom::FUNCTION() is the text of a JSON file.
function(waferloom_embedded source file function)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/embedded_text.cpp.in ${function}.cpp @ONLY)
  set(${source} ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp PARENT_SCOPE)
endfunction()

# waferloom_test(NAME SOURCES a_test.cpp … LINKS waferloom::x … [LABEL unit|property|golden|cli])
# One doctest binary a folder. `NAME` runs everything that stands on its own. Where a test case's
# name holds "[shared]", `NAME.shared` runs those: they read the reference data beside the project
# and count as skipped, by name, where it is not there (tests/support/shared_data.h); a failure
# among them still is one. `NAME.deep` runs those whose name holds "[deep]", at the deep level alone.
# "[long]" marks a sweep over many cases of code that others run too: sanitizers leave it out.
function(waferloom_test name)
  cmake_parse_arguments(ARG "" "LABEL" "SOURCES;LINKS" ${ARGN})
  if(NOT ARG_LABEL)
    set(ARG_LABEL unit)
  endif()
  set(long "")
  if(WAFERLOOM_SANITIZE)
    set(long ",*[long]*")
  endif()
  add_executable(test_${name} ${ARG_SOURCES})
  target_link_libraries(test_${name} PRIVATE
    waferloom_test_flags waferloom_test_support doctest::doctest ${ARG_LINKS})
  # Assertions are calls, not code of their own each: half the time to compile. An exception that
  # leaves an expression ends its test case as a failure.
  target_compile_definitions(test_${name} PRIVATE DOCTEST_CONFIG_SUPER_FAST_ASSERTS)
  waferloom_precompiled(test_${name} test)
  waferloom_whole_folders(test_${name})
  add_test(NAME ${name} COMMAND test_${name} "--test-case-exclude=*[shared]*,*[deep]*${long}")
  set_tests_properties(${name} PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${waferloom_hangs_s})
  waferloom_mentions(mentions_shared shared ${ARG_SOURCES})
  waferloom_mentions(mentions_deep deep ${ARG_SOURCES})
  if(mentions_shared)
    add_test(NAME ${name}.shared
      COMMAND test_${name} "--test-case=*[shared]*" "--test-case-exclude=*[deep]*${long}")
    set_tests_properties(${name}.shared PROPERTIES
      LABELS "${ARG_LABEL};shared" TIMEOUT ${waferloom_hangs_s} SKIP_REGULAR_EXPRESSION "SKIPPED .*Status: SUCCESS!")
  endif()
  if(mentions_deep)
    waferloom_deep_test(${name}.deep COMMAND test_${name} "--test-case=*[deep]*")
  endif()
endfunction()

# After so long a test hangs: no verdict hangs on less, on however slow a machine.
set(waferloom_hangs_s 3600)

# waferloom_deep_test(NAME COMMAND …): a test that is worth more time than everybody's. It runs under
# `ctest -C deep` alone, which is `scripts/test.sh --deep` (tests/README.md).
function(waferloom_deep_test name)
  add_test(NAME ${name} CONFIGURATIONS deep ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS deep TIMEOUT ${waferloom_hangs_s})
endfunction()

# waferloom_mentions(RESULT TAG a_test.cpp …): whether a source holds "[TAG]". Looked up again
# whenever one of them changes.
function(waferloom_mentions result tag)
  set(found FALSE)
  foreach(source ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    file(STRINGS ${source} lines REGEX "\\[${tag}\\]" LIMIT_COUNT 1)
    if(NOT "${lines}" STREQUAL "")
      set(found TRUE)
    endif()
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()
