#!/usr/bin/env python3
"""How a sweep would run on a site of many nodes: a simulated schedule of Slurm, for docs/sweeps.md.

    scripts/sweep_schedule.py [--points 100000] [--nodes 100] [--cores 32] [--seed 1]

Points take log-normal times (mean 60 s, sigma 1). Task K of N has the points K modulo N, one behind
the other, as `sweep exec` does. The model of the site, whose numbers are options: the scheduler looks
every 3 s and starts at most 100 tasks (Slurm's default_queue_depth); a task takes 2 s to start and
end; a node fails once in 1000 hours, is back after half an hour, and its tasks are requeued after 120 s
(Slurm's default), without the points that were answered already.

Prints for several lengths of tasks and limits of tasks at once: tasks, makespan, the share of the
cores' time up to then that was work on points (packing), requeues, and work that was lost.
"""

import argparse
import heapq
import random
import sys
from dataclasses import dataclass, field


@dataclass
class Site:
    nodes: int
    cores: int
    look_s: float = 3
    starts: int = 100
    overhead_s: float = 2
    mean_failure_s: float = 1000 * 3600.0
    repair_s: float = 1800
    requeue_s: float = 120


@dataclass
class Schedule:
    makespan_s: float = 0
    tasks: int = 0
    requeues: int = 0
    lost_s: float = 0
    busiest_starts: int = 0  # in a minute


@dataclass(order=True)
class Event:
    time: float
    order: int
    kind: str = field(compare=False)
    node: int = field(compare=False, default=0)
    task: int = field(compare=False, default=0)
    run: int = field(compare=False, default=0)


def lost_of(left: list[float], worked: float) -> float:
    """Takes the points away that were answered in this time; what was worked on the next one."""
    while left and left[0] <= worked:
        worked -= left.pop(0)
    return worked


def simulate(points: list[float], tasks: int, at_once: int, site: Site, seed: int) -> Schedule:
    """Runs the tasks to their end."""
    draw = random.Random(f"failures {seed}")
    left = [points[task::tasks] for task in range(tasks)]
    waiting = list(range(tasks - 1, -1, -1))
    free = [site.cores] * site.nodes
    running: dict[int, tuple[int, float, int]] = {}  # task: node, begin of its work, run
    events: list[Event] = []
    result = Schedule(tasks=tasks)
    order = 0
    runs = 0
    ended = 0
    starts_in: dict[int, int] = {}

    def push(time: float, kind: str, node: int = 0, task: int = 0, run: int = 0) -> None:
        nonlocal order
        order += 1
        heapq.heappush(events, Event(time, order, kind, node, task, run))

    push(0, "look")
    for node in range(site.nodes):
        push(draw.expovariate(1 / site.mean_failure_s), "fail", node)
    while ended < tasks:
        event = heapq.heappop(events)
        now = event.time
        if event.kind == "look":
            started = 0
            while waiting and started < site.starts and len(running) < at_once and max(free) > 0:
                node = free.index(max(free))
                task = waiting.pop()
                free[node] -= 1
                runs += 1
                running[task] = (node, now + site.overhead_s / 2, runs)
                push(now + site.overhead_s + sum(left[task]), "end", node, task, runs)
                started += 1
            starts_in[int(now // 60)] = starts_in.get(int(now // 60), 0) + started
            push(now + site.look_s, "look")
        elif event.kind == "end" and running.get(event.task, (0, 0, 0))[2] == event.run:
            del running[event.task]
            free[event.node] += 1
            ended += 1
            result.makespan_s = now
        elif event.kind == "fail":
            for task in [task for task, (node, _, _) in running.items() if node == event.node]:
                _, begin, _ = running.pop(task)
                result.lost_s += lost_of(left[task], max(0.0, now - begin))
                result.requeues += 1
                push(now + site.requeue_s, "requeue", task=task)
            free[event.node] = 0
            push(now + site.repair_s, "repair", event.node)
        elif event.kind == "repair":
            free[event.node] = site.cores
            push(now + draw.expovariate(1 / site.mean_failure_s), "fail", event.node)
        elif event.kind == "requeue":
            waiting.insert(0, event.task)
    result.busiest_starts = max(starts_in.values())
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=100_000)
    parser.add_argument("--nodes", type=int, default=100)
    parser.add_argument("--cores", type=int, default=32)
    parser.add_argument("--failure-hours", type=float, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if min(options.points, options.nodes, options.cores, options.failure_hours) <= 0:
        parser.error("everything is above 0")
    draw = random.Random(options.seed)
    points = [draw.lognormvariate(3.594, 1) for _ in range(options.points)]  # mean e^(3.594 + 1/2)
    work = sum(points)
    site = Site(options.nodes, options.cores, mean_failure_s=3600 * options.failure_hours)
    slots = options.nodes * options.cores
    print(f"{options.points} points, {work / 3600:.0f} core hours; {slots} cores could do it in "
          f"{work / slots / 60:.1f} min")
    print("min a task   tasks  at once  makespan min  packing  most starts a min  requeues  lost h")
    for minutes in (1, 10, 30, 100):
        tasks = min(options.points, max(1, round(work / 60 / minutes)))
        for at_once in (100, 1000, slots):
            found = simulate(points, tasks, at_once, site, options.seed)
            used = min(at_once, slots, tasks)
            packing = work / (used * found.makespan_s)
            print(f"{minutes:10d}  {tasks:6d}  {at_once:7d}  {found.makespan_s / 60:12.1f}  "
                  f"{packing:7.1%}  {found.busiest_starts:17d}  {found.requeues:8d}  "
                  f"{found.lost_s / 3600:6.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
