#!/usr/bin/env python3
"""Views over the wire: margins, followed bodies, and refused requests, which leave the subscription unchanged. Called
with the path of caromd."""

import math
import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from wire import Client, RemoteError  # noqa: E402

CAROMD = os.path.abspath(sys.argv[1])
BALL = {"kind": "circle", "radius": 0.5}
AREA = [-5, -5, 5, 5]


class ViewsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Caromd(CAROMD)
        cls.client = Client(cls.server.port)

    @classmethod
    def tearDownClass(cls):
        cls.client.socket.close()
        cls.server.__exit__()

    def setUp(self):
        self.world = self.id().rsplit(".", 1)[1][:60]
        self.call("world.create", gravity=[0, 0], hz=50, paused=True)
        self.addCleanup(lambda: self.call("world.destroy"))

    def call(self, method, /, **arguments):
        return self.client.call(method, world=self.world, **arguments)

    def ball(self, x, y=0):
        return self.call("body.spawn", position=[x, y], shapes=[BALL])["body"]

    def put(self, body, x, y=0):
        self.call("body.set", body=body, position=[x, y])

    def subscribe(self, **arguments):
        return self.call("world.subscribe", events=[], **arguments)["subscription"]

    def view(self, number, **arguments):
        return self.client.call("world.view", subscription=number, **arguments)

    def next(self, number):
        """The next snapshot of a subscription; a paused world sends one when it was changed."""
        def found():
            for i, (method, [params]) in enumerate(self.client.notifications):
                if method == "snapshot" and params["subscription"] == number:
                    del self.client.notifications[i]
                    return params
            return None
        return self.client.read_until(found)

    def refused(self, text, method, /, **arguments):
        with self.assertRaises(RemoteError) as caught:
            self.client.call(method, **arguments)
        self.assertRegex(str(caught.exception), text)


class Places(ViewsTest):
    def test_margin_is_a_sixteenth_unless_it_is_said(self):
        body = self.ball(0)
        usual = self.subscribe(area=AREA)  # ten wide: 0.625
        none = self.subscribe(area=AREA, margin=0)
        wide = self.subscribe(area=AREA, margin=20)
        for number in (usual, none, wide):
            self.assertEqual([row[0] for row in self.next(number)["bodies"]], [body])
        self.put(body, 6)
        self.assertEqual([self.next(n)["leave"] for n in (usual, none, wide)], [[], [body], []])
        self.put(body, 6.5)
        self.assertEqual([self.next(n)["leave"] for n in (usual, none, wide)], [[body], [], []])
        self.put(body, 24)
        self.assertEqual([self.next(n)["leave"] for n in (usual, none, wide)], [[], [], []])
        self.view(wide, area=[0, -5, 5, 5])  # its margin stays
        self.assertEqual(self.next(wide)["leave"], [])
        self.view(wide, area=[0, -5, 5, 5], margin=2)
        self.assertEqual(self.next(wide)["leave"], [body])

    def test_area_goes_along_with_a_body(self):
        leader, near, far = self.ball(0), self.ball(3), self.ball(50)
        number = self.subscribe(area=AREA, follow=leader, margin=0)
        self.assertEqual([row[0] for row in self.next(number)["bodies"]], [leader, near])
        self.put(leader, 48)
        snapshot = self.next(number)
        self.assertEqual((snapshot["enter"], snapshot["leave"]), ([far], [near]))
        self.assertNotIn("unfollowed", snapshot)
        self.call("body.remove", body=leader)
        snapshot = self.next(number)
        self.assertEqual((snapshot["unfollowed"], snapshot["removed"]), (leader, [leader]))
        self.put(far, 49)
        snapshot = self.next(number)
        self.assertEqual([row[0] for row in snapshot["bodies"]], [far])
        self.assertNotIn("unfollowed", snapshot)
        self.refused(f"^not_found: follow: body {leader} does not exist$", "world.view", subscription=number,
                     area=AREA, follow=leader)
        self.put(far, 48)
        self.assertEqual([row[0] for row in self.next(number)["bodies"]], [far])
        self.view(number, area=AREA, follow=near)
        snapshot = self.next(number)
        self.assertEqual((snapshot["enter"], snapshot["leave"]), ([near], [far]))

    def test_packed_views_tell_the_end_of_what_they_follow_once(self):
        leader = self.ball(0)
        number = self.subscribe(area=AREA, follow=leader, encoding="packed")
        self.assertTrue(self.next(number)["full"])
        self.call("body.remove", body=leader)
        self.assertEqual(self.next(number)["unfollowed"], leader)
        self.ball(1)
        self.assertNotIn("unfollowed", self.next(number))


class Budgets(ViewsTest):
    def test_bodies_enter_as_the_budget_allows_and_all_in_the_end(self):
        for x in range(200):
            self.ball(3 * x)
        plain = self.subscribe(budget=3000)
        packed = self.subscribe(budget=1000, encoding="packed")
        told, left_out = set(), []
        while True:
            snapshot = self.next(plain)
            self.assertEqual(snapshot["full"], not told)
            told.update(row[0] for row in snapshot["bodies"])
            self.assertEqual(len(told), 200 - snapshot.get("left_out", 0))
            self.assertLessEqual(snapshot.get("oldest", 0), snapshot["tick"])
            left_out.append(snapshot.get("left_out", 0))
            if left_out[-1] == 0:
                break
        self.assertGreater(len(left_out), 3)
        self.assertEqual(left_out, sorted(left_out, reverse=True))
        first = self.next(packed)
        self.assertGreater(first["left_out"], 100)
        while "left_out" in self.next(packed):
            pass


class BadInput(ViewsTest):
    """Each request is refused with its fault and the allowed values, and the subscription continues unchanged."""

    VIEWS = [
        ({"area": [math.nan, 0, 1, 1]}, r"^invalid_argument: area\[0\]: .*finite"),
        ({"area": [0, 0, math.inf, 1]}, r"^invalid_argument: area\[2\]: .*finite"),
        ({"area": [5, 0, -5, 1]}, r"^invalid_argument: area: x0 <= x1 and y0 <= y1 .* got \[5, 0, -5, 1\]"),
        ({"area": [0, 1, 1, 0]}, r"^invalid_argument: area: x0 <= x1"),
        ({"area": [0, 0, 2e6, 1]}, r"^invalid_argument: area\[2\]: .*1000000"),
        ({"area": [0, 0, 1]}, r"^invalid_argument: area: expected \[x0, y0, x1, y1\], got an array of 3"),
        ({"area": AREA, "margin": -1}, r"^invalid_argument: margin: .*0 to"),
        ({"area": AREA, "margin": math.nan}, r"^invalid_argument: margin: .*finite"),
        ({"area": AREA, "margin": 2e6}, r"^invalid_argument: margin: "),
        ({"margin": 1}, r"^invalid_argument: margin: needs an area"),
        ({"follow": 1}, r"^invalid_argument: follow: needs an area"),
        ({"area": AREA, "follow": 0}, r"^invalid_argument: follow: "),
        ({"area": AREA, "follow": 1.5}, r"^invalid_argument: follow: "),
        ({"area": AREA, "follow": 4711}, r"^not_found: follow: body 4711 does not exist$"),
        ({"areas": AREA}, r"^invalid_argument: .*areas"),
    ]
    SUBSCRIPTIONS = [
        ({"encoding": "zip"}, r"^invalid_argument: encoding: .*plain|packed"),
        ({"encoding": "packed", "precision": {"position": 0}}, r"^invalid_argument: precision.position: .* to 16"),
        ({"encoding": "packed", "precision": {"position": 3000}}, r"^invalid_argument: precision.position: .* to 16"),
        ({"encoding": "packed", "precision": {"velocity": math.nan}}, r"^invalid_argument: precision.velocity: "),
        ({"encoding": "packed", "precision": {"angle": 7}}, r"^invalid_argument: precision.angle: "),
        ({"precision": {"position": 1}}, r"^invalid_argument: precision: is of encoding \"packed\" alone"),
        ({"budget": 0}, r"^invalid_argument: budget: .*256 to"),
        ({"budget": -1}, r"^invalid_argument: budget: .*256 to"),
        ({"budget": 255}, r"^invalid_argument: budget: .*256 to"),
        ({"budget": math.nan}, r"^invalid_argument: budget: .*finite"),
        ({"budget": 2e9}, r"^invalid_argument: budget: "),
        ({"budget": 1000, "bodies": False}, r"^invalid_argument: budget: needs bodies"),
        ({"budget": 1000, "encoding": "log"}, r"^invalid_argument: budget: a log is sent whole"),
        ({"rate": 0}, r"^invalid_argument: rate: "),
        ({"rate": -5}, r"^invalid_argument: rate: "),
        ({"rate": 1001}, r"^invalid_argument: rate: "),
        ({"rate": 51}, r"^invalid_argument: rate: at most 50, .* got 51$"),
        ({"encoding": "packed", "rate": 51}, r"^invalid_argument: rate: at most 50, .* got 51$"),
        ({"encoding": "log", "rate": 51}, r"^invalid_argument: rate: at most 50, .* got 51$"),
        ({"encoding": "log", "area": AREA}, r"^invalid_argument: area: a log tells of the whole world"),
    ]

    def setUp(self):
        super().setUp()
        self.body = self.ball(0)
        self.numbers = [self.subscribe(area=AREA), self.subscribe(area=AREA, encoding="packed")]
        for number in self.numbers:
            self.next(number)

    def goes_on(self):
        self.x = -getattr(self, "x", 1)
        self.put(self.body, self.x)
        plain = self.next(self.numbers[0])
        self.assertEqual([row[:2] for row in plain["bodies"]], [[self.body, self.x]])
        self.assertFalse(plain["full"])
        self.assertNotIn("full", self.next(self.numbers[1]))

    def test_views_that_are_wrong(self):
        for arguments, text in self.VIEWS:
            with self.subTest(str(arguments)):
                self.refused(text, "world.subscribe", world=self.world, **arguments)
                for number in self.numbers:
                    self.refused(text, "world.view", subscription=number, **arguments)
                self.goes_on()
        self.refused("^not_found: subscription 999 does not belong to this connection", "world.view", subscription=999)

    def test_subscriptions_that_are_wrong(self):
        for arguments, text in self.SUBSCRIPTIONS:
            with self.subTest(str(arguments)):
                self.refused(text, "world.subscribe", world=self.world, **arguments)
                self.goes_on()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
