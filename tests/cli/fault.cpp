// Loaded before the program's libraries: one allocation of the program fails, as a fault of our own
// would. In the environment:
//   WAFERLOOM_FAULT_AT=N        the Nth allocation throws std::invalid_argument, once
//   WAFERLOOM_FAULT_COUNT=FILE  at the end, the number of allocations is written there
// std::invalid_argument, because it is what checks of the standard library and of others throw, and
// what is mistaken for a wrong input most easily.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>

namespace {

std::atomic<long> allocations{0};

long number_of(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? -1 : std::atol(text);
}

const long fault_at = number_of("WAFERLOOM_FAULT_AT");

void write_count() {
  const char* const path = std::getenv("WAFERLOOM_FAULT_COUNT");
  if (path == nullptr) return;
  if (std::FILE* const file = std::fopen(path, "w")) {
    std::fprintf(file, "%ld\n", allocations.load());
    std::fclose(file);
  }
}

[[maybe_unused]] const int registered = std::atexit(write_count);

}  // namespace

void* operator new(std::size_t size) {
  if (++allocations == fault_at) throw std::invalid_argument("injected fault");
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

// The library's own would take the fault for a lack of memory and return a null pointer.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size == 0 ? 1 : size);
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
