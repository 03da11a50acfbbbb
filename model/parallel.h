#pragma once

#include <atomic>
#include <cstddef>

#ifdef WAFERLOOM_STD_THREADS
#include <thread>
#include <vector>
#else
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#endif

namespace waferloom {

/// Runs task(0) … task(count − 1) on at most `threads` threads (≥ 1), begun in this order, and
/// waits for all. Tasks write only to what their index owns, so results do not depend on the number
/// of threads. All parallelism goes through here; the std::thread backend exists because
/// Debian's oneTBB is not built for ThreadSanitizer. `task` must not throw.
template <typename Task>
void parallel_tasks(std::size_t count, int threads, const Task& task) {
  if (threads <= 1 || count <= 1) {
    for (std::size_t i = 0; i < count; ++i) task(i);
    return;
  }
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) task(i);
  };
#ifdef WAFERLOOM_STD_THREADS
  std::vector<std::thread> helpers;
  for (int t = 1; t < threads; ++t) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
#else
  const oneapi::tbb::global_control at_least(oneapi::tbb::global_control::max_allowed_parallelism,
                                             static_cast<std::size_t>(threads));
  oneapi::tbb::task_arena arena(threads);
  arena.execute([&] {
    // One loop a thread: a parallel_for over the tasks would begin some of the last ones first.
    oneapi::tbb::parallel_for(
        0, threads, [&](int) { work(); }, oneapi::tbb::simple_partitioner{});
  });
#endif
}

}  // namespace waferloom
