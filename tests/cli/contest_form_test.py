"""waferloom kgraph=F output=F …: the contest's own form."""

import unittest

from program import ProgramTest


class ContestFormTest(ProgramTest):
    def place(self, *more: str):
        return self.run_here("kgraph=small.kgraph", "output=out.sol", *more, "--effort", "1")

    def score(self) -> dict:
        return self.run_here("score", "small.kgraph", "out.sol", "--report", "-").json()

    def test_the_contest_calls_it_so(self) -> None:
        done = self.run_here("kgraph=small.kgraph", "output=out.sol", "wirepenalty=2",
                             "timelimit=2", "width=40", "height=30", "--effort", "1")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertTrue(self.score()["legal"])

    def test_the_rest_comes_from_the_header(self) -> None:
        done = self.place("--report", "-")
        self.assert_valid("place", done.stdout)
        self.assertEqual(done.json()["wafer"], {"width": 40, "height": 30, "usable_tiles": 1200})
        self.assertEqual(done.json()["score"], {
            key: value for key, value in self.score().items()
            if key not in ("schema", "made_by", "warnings")})

    def test_sides_override_the_header(self) -> None:
        done = self.place("width=20", "height=21", "--report", "-")
        self.assertEqual(done.json()["wafer"], {"width": 20, "height": 21, "usable_tiles": 420})

    def test_wirepenalty_overrides_wlength(self) -> None:
        report = self.place("wirepenalty=1000.5", "--report", "-").json()["score"]
        self.assertEqual(report["total"], report["time"] + 1000.5 * report["distance"]
                         + 3 * report["adapter"])

    def test_bad_settings_are_exit_2(self) -> None:
        for bad, part in (("widht=3", "did you mean 'width'"), ("width=0", "from 1 to"),
                          ("width=x", "from 1 to"), ("wirepenalty=-1", "at least 0"),
                          ("timelimit=0", "seconds"), ("output=", "expected a value"),
                          ("kgraph=small.kgraph", "more than once"), ("small", "key=value")):
            done = self.place(bad)
            self.assert_fails(done, 2, part)
            self.assertNotIn("out.sol", self.names())

    def test_both_files_are_needed(self) -> None:
        self.assert_fails(self.run_here("kgraph=small.kgraph"), 2, "output=FILE")
        self.assert_fails(self.run_here("output=out.sol"), 2, "kgraph=FILE")

    def test_two_time_limits_are_one_too_many(self) -> None:
        self.assert_fails(self.place("timelimit=1", "--time-limit", "1"), 2, "timelimit=")


if __name__ == "__main__":
    unittest.main()
