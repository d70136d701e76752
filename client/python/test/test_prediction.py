"""Prediction against caromd: own commands act at once, predicted events are confirmed or taken back, mistakes are errors."""

import contextlib
import io
import re
import time
import unittest

import support
from patience import SECONDS_MAX

import carom


class Predicted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.running = cls.enterClassContext(support.caromd())

    def setUp(self):
        self.client = carom.connect(f"127.0.0.1:{self.running.port}", timeout=SECONDS_MAX)
        self.addCleanup(self.client.close)
        self.name = self.id().split(".")[-1][-60:]
        self.world = self.client.world(self.name)
        self.world.create(gravity=[0, 0], hz=60, sleep=False)
        self.disc = self.world.body.spawn([carom.circle(0.5)])["body"]
        self.replica = carom.Replica.follow(self.client, self.name)

    def predict(self, input=None, **options):
        return carom.Prediction(self.client, self.replica, input, **options)

    def play(self, ahead, condition):
        """Polls and shows frames until the condition is true."""

        end = time.monotonic() + SECONDS_MAX
        while True:
            ahead.frame()
            if condition():
                return
            self.assertLess(time.monotonic(), end, "timed out")
            self.client.poll(1 / 60)

    def push(self, tick):
        tick.body.force(self.disc, [1, 0])


class Commands(Predicted):
    def test_own_commands_are_predicted_and_confirmed(self):
        asked = []

        def push(tick):
            if tick.first_time:
                asked.append(tick.number)
            self.push(tick)

        ahead = self.predict(push, check=True)
        self.play(ahead, lambda: ahead.figures.confirmed >= 20)
        self.assertEqual(sorted(set(asked)), asked, "each tick is asked for once, in order")
        self.assertGreaterEqual(ahead.figures.sent, 20)
        self.assertEqual((True, None, 0), (ahead.active, ahead.inactive_because, ahead.figures.check_failures))
        pose, = ahead.poses()
        self.assertEqual((self.disc, True), (pose.id, pose.vx > 0))
        self.assertGreater(self.world.body.get(self.disc)["velocity"][0], 0)

    def test_command_acts_here_before_it_acts_on_the_server(self):
        pushes, seen = [], {}

        def push(tick):
            if pushes and not seen:
                self.push(tick)
                seen["tick"] = tick.number

        ahead = self.predict(push)
        self.play(ahead, lambda: ahead.figures.sent == 0 and ahead.tick > self.replica.state.tick)
        pushes.append(True)
        self.play(ahead, lambda: seen and ahead.tick >= seen["tick"])
        # The replica advances in polls alone, and there was none since the frame.
        self.assertLess(self.replica.state.tick, ahead.tick)
        self.assertGreater(ahead.call("body.get", body=self.disc)["velocity"][0], 0)
        self.assertEqual(0, self.replica.call("body.get", body=self.disc)["velocity"][0])
        self.play(ahead, lambda: self.replica.call("body.get", body=self.disc)["velocity"][0] > 0)

    def test_ids_of_what_a_command_makes_are_known(self):
        made = {}

        def spawn(tick):
            if not made:
                tick.body.force(self.disc, [0, 0])
                made[tick.number] = tick.body.spawn([carom.circle(0.2)], position=[5, 0], tag="bullet")

        ahead = self.predict(spawn)
        self.play(ahead, lambda: made and all(ahead.made(*pair) is not None for pair in made.items()))
        (number, reference), = made.items()
        self.play(ahead, lambda: ahead.made(number, reference).confirmed)
        bullet = ahead.made(number, 1)
        self.assertEqual("bullet", self.world.body.get(bullet.id)["tag"])
        self.assertIsNone(ahead.made(number, 0))
        self.assertIsNone(ahead.made(number + 1000, 0))

    def test_predicted_state_feeds_a_view(self):
        ahead, view = self.predict(self.push), carom.View()
        self.play(ahead, lambda: ahead.figures.confirmed >= 1)
        view.feed(ahead.snapshot())
        self.assertEqual(ahead.tick, view.tick)
        self.assertEqual([self.disc], list(view.ids))

    def test_body_can_be_drawn_where_it_was_confirmed(self):
        ahead = self.predict(self.push)
        self.play(ahead, lambda: ahead.figures.confirmed >= 20)
        ahead.own(self.disc)
        frames = []

        def shown(where):
            frames.append(ahead.poses()[0].x > self.replica.positions[0][0])
            return frames[-20:] == [where == "ahead"] * 20

        self.play(ahead, lambda: shown("ahead"))
        ahead.predict(self.disc, False)
        self.play(ahead, lambda: shown("behind"))
        for body in range(1000, 1255):
            ahead.predict(body, False)
        with self.assertRaises(carom.LimitExceeded):
            ahead.predict(1255, False)

    def test_input_delay_makes_commands_act_later(self):
        leads = {}
        for delay in (0, 3):
            with self.predict(self.push, input_delay=delay) as ahead:
                self.play(ahead, lambda: ahead.figures.confirmed >= 5)
                leads[delay] = ahead.figures.delay
        self.assertEqual({0: 0, 3: 3}, leads)


class Events(Predicted):
    def test_events_have_one_fate_each(self):
        wall = self.world.body.spawn([carom.box([1, 4])], type="static", position=[2, 0])["body"]
        told = []
        ahead = self.predict(self.push, event=lambda event, fate, was: told.append((event.kind, fate, was, {event.a, event.b})),
                             events=["begin"])
        self.play(ahead, lambda: any(fate == "confirmed" for _, fate, _, _ in told))
        self.assertEqual({("begin", frozenset({self.disc, wall}))}, {(kind, frozenset(pair)) for kind, _, _, pair in told})
        fates = [fate for _, fate, _, _ in told]
        self.assertEqual(1, fates.count("confirmed"))
        self.assertEqual(fates.count("predicted") - fates.count("taken_back"), told[-1][2], told)

    def test_events_may_use_the_client_and_raise(self):
        self.world.body.spawn([carom.box([1, 4])], type="static", position=[2, 0])
        tags = []

        def event(event, fate, was_predicted):
            tags.append(self.world.body.get(self.disc)["body"])
            raise ZeroDivisionError

        ahead = self.predict(self.push, event=event, events=["begin"])
        with self.assertRaises(ZeroDivisionError):
            self.play(ahead, lambda: False)
        self.assertEqual([self.disc], tags)


class Mistakes(Predicted):
    def test_exception_of_input_is_raised_and_its_commands_are_dropped(self):
        asked = []

        def push(tick):
            self.push(tick)
            if tick.first_time:
                asked.append(tick.number)
            if len(asked) == 1:
                raise ZeroDivisionError

        ahead = self.predict(push)
        with self.assertRaises(ZeroDivisionError):
            self.play(ahead, lambda: False)
        self.assertEqual(len(asked) - 1, ahead.figures.sent)  # a frame may ask for several ticks
        self.play(ahead, lambda: ahead.figures.confirmed >= 1)

    def test_wrong_arguments_are_errors_with_their_place(self):
        for command, text in ((lambda tick: tick.body.force(self.disc, [float("nan"), 0]), "commands[0].force"),
                              (lambda tick: tick.body.force(self.disc, object()), "force: object: no type")):
            with self.predict(command) as ahead:
                with self.assertRaises(carom.InvalidArgument) as caught:
                    self.play(ahead, lambda: False)
                self.assertIn(text, caught.exception.text)
                self.assertEqual(0, ahead.figures.sent)

    def test_options_out_of_range_are_refused(self):
        for options, text in (({"input_delay": 4}, "input_delay: 0 to 3 ticks, got 4"), ({"input_delay": -1}, "got -1"),
                              ({"budget_ms": -1.0}, "budget_ms: 0 or more"), ({"smoothing_s": float("inf")}, "smoothing_s"),
                              ({"events": ["begins"]}, "'begins' is none of begin,")):
            with self.assertRaises(carom.InvalidArgument) as caught:
                self.predict(**options)
            self.assertIn(text, caught.exception.text)

    def test_replica_has_one_prediction(self):
        ahead = self.predict()
        with self.assertRaises(carom.AlreadyExists):
            self.predict()
        ahead.close()
        self.predict().close()

    def test_input_may_not_use_client_replica_or_prediction(self):
        raised = []

        def push(tick):
            for use in (self.client.poll, self.world.info, self.replica.close, self.client.close, lambda: self.replica.feed(b""),
                        ahead.close, ahead.frame):
                with self.assertRaises(ValueError) as caught:
                    use()
                raised.append(str(caught.exception))

        ahead = self.predict(push)
        self.play(ahead, lambda: raised)
        self.assertEqual({"a function `input` of a prediction must not use the client",
                          "a function `input` of a prediction must not use the replica",
                          "a function of a prediction must not close it, its replica or its client"}, set(raised))
        self.world.info()

    def test_prediction_ends_with_its_replica_and_its_client(self):
        for end in (self.replica.close, self.client.close):
            ahead = self.predict(self.push)
            self.play(ahead, lambda: ahead.figures.sent >= 1)
            end()
            for use in (ahead.frame, ahead.poses, lambda: ahead.tick, lambda: ahead.figures):
                with self.assertRaises(ValueError) as caught:
                    use()
                self.assertEqual("the prediction is closed", str(caught.exception))
            ahead.close()
            self.replica = carom.Replica.follow(self.client, self.name) if self.client._pointer else None

    def test_replica_without_prediction_goes_on(self):
        self.predict(self.push).close()
        tick = self.replica.state.tick
        self.assertTrue(self.client.wait(lambda: self.replica.state.tick > tick))


class Readme(Predicted):
    def test_readme_runs_as_it_is_printed(self):
        text = (support.PACKAGE / "README.md").read_text(encoding="utf-8")
        block = re.search(r"## Prediction\n.*?```python\n(.*?)```", text, re.S)[1]
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block.replace("127.0.0.1:22766", f"127.0.0.1:{self.running.port}"), "README", "exec"), {})
        self.assertRegex(printed.getvalue(), r"^\d+ ticks ahead, \d+ % right\n$")


if __name__ == "__main__":
    unittest.main()
