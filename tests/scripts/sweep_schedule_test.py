"""scripts/sweep_schedule.py: schedules that can be done by hand, and what holds of all of them."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
from sweep_schedule import Site, simulate

NEVER = 1e15


class SweepScheduleTest(unittest.TestCase):
    def test_a_wave_takes_its_points_and_the_overhead(self) -> None:
        site = Site(nodes=2, cores=4, mean_failure_s=NEVER)
        found = simulate([60.0] * 80, 8, 8, site, 1)
        self.assertEqual(found.makespan_s, 10 * 60 + site.overhead_s)
        self.assertEqual((found.requeues, found.lost_s, found.busiest_starts), (0, 0, 8))

    def test_tasks_at_once_make_waves(self) -> None:
        site = Site(nodes=2, cores=4, mean_failure_s=NEVER, look_s=1)
        found = simulate([60.0] * 80, 8, 4, site, 1)
        self.assertGreaterEqual(found.makespan_s, 2 * (600 + site.overhead_s))
        self.assertLess(found.makespan_s, 2 * (600 + site.overhead_s) + 2 * site.look_s)

    def test_a_scheduler_starts_so_many_each_time_it_looks(self) -> None:
        site = Site(nodes=10, cores=10, mean_failure_s=NEVER, starts=10, look_s=3)
        found = simulate([600.0] * 100, 100, 100, site, 1)
        self.assertEqual(found.makespan_s, 9 * 3 + 600 + site.overhead_s)

    def test_failures_lose_a_point_at_most_each(self) -> None:
        site = Site(nodes=4, cores=2, mean_failure_s=3600)
        points = [60.0] * 800
        found = simulate(points, 16, 8, site, 1)
        self.assertGreater(found.requeues, 0)
        self.assertLessEqual(found.lost_s, 60 * found.requeues)
        self.assertGreater(found.makespan_s, sum(points) / 8)
        self.assertEqual(simulate(points, 16, 8, site, 1), found)


if __name__ == "__main__":
    unittest.main()
