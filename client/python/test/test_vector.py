"""Many worlds in one call: drives, resets, forks, threads, Gymnasium's rules; and the worked example."""

import contextlib
import io
import re
import sys
import unittest

import support

if support.numpy is None:
    print(support.WHY_NOT)
    sys.exit()

import balance
import numpy

import carom


def start():
    world = carom.LocalWorld(gravity=[0, 0], sleep=False)
    return world, world.body.spawn([carom.box([1, 1])], mass=2.0)["body"]


class Push(carom.VectorEnv):
    """Rewards the way to the right; ends beyond 1 m."""

    def __init__(self, count=3, **options):
        world, self.box = start()
        super().__init__(world, count, watch=[self.box], drives=[carom.Drive("velocity", self.box, least=-30, most=30)], **options)

    def judge(self, observations, actions):
        return observations[:, 0], observations[:, 0] > 1


class Worlds(unittest.TestCase):
    def test_drives_do_what_they_say(self):
        world, box = start()
        for kind, name, expected in (("force", "vx", 4 / 2 / 60), ("torque", "w", None), ("impulse", "vx", 2.0), ("spin", "w", 4.0),
                                     ("angular_impulse", "w", None), ("velocity", "vx", 4.0)):
            worlds = carom.Worlds(world, 2, watch=[box], drives=[carom.Drive(kind, box, least=-9, most=9)])
            worlds.step([[4.0], [-4.0]])
            got = worlds.bodies[name][:, 0]
            self.assertAlmostEqual(got[0], -got[1], places=5, msg=kind)
            self.assertGreater(got[0], 0, kind)
            if expected is not None:
                self.assertAlmostEqual(expected, got[0], places=5, msg=kind)

    def test_motor_drives_a_joint(self):
        world, box = start()
        post = world.body.spawn([], type="static")["body"]
        hinge = world.joint.create("revolute", a=post, b=box, anchor=[0, 0], max_torque=1e6, motor_speed=0)["joint"]
        worlds = carom.Worlds(world, 1, watch=[box], drives=[carom.Drive("motor", hinge, least=-5, most=5)])
        worlds.step([[3.0]], 10)
        self.assertAlmostEqual(3.0, worlds.spins[0, 0], places=2)

    def test_two_forces_of_a_body_add_up_and_end(self):
        world, box = start()
        drives = [carom.Drive("force", box, axis=axis, most=8) for axis in ((1, 0), (0, 1))]
        worlds = carom.Worlds(world, 1, watch=[box], drives=drives)
        worlds.step([[4.0, 8.0]], 60)
        numpy.testing.assert_allclose([[[2.0, 4.0]]], worlds.velocities, rtol=1e-4)
        worlds.step([[0.0, 0.0]], 60)
        numpy.testing.assert_allclose([[[2.0, 4.0]]], worlds.velocities, rtol=1e-4)
        worlds.step([[100.0, -100.0]], 60)  # bounded to 8 and -1
        numpy.testing.assert_allclose([[[6.0, 3.5]]], worlds.velocities, rtol=1e-4)

    def test_bad_input_is_refused_and_changes_nothing(self):
        world, box = start()
        drive = carom.Drive("force", box)
        cases = ((lambda: carom.Worlds(world, 0), "count: must be 1 to 65536"),
                 (lambda: carom.Worlds(world, 1, watch=[77]), "bodies[0]: there is no body 77"),
                 (lambda: carom.Worlds(world, 1, drives=[drive, carom.Drive("force", 77)]), "drives[1].id: there is no body 77"),
                 (lambda: carom.Worlds(world, 1, drives=[carom.Drive("motor", box + 76)]), "drives[0].id: there is no joint"),
                 (lambda: carom.Worlds(world, 1, drives=[carom.Drive("push", box)]), "'push' is none of force,"),
                 (lambda: carom.Worlds(world, 1, drives=[carom.Drive("force", box, least=1, most=0)]), "drives[0]: least"),
                 (lambda: carom.Worlds(world, 1, threads=65), "threads: must be 1 to 64"),
                 (lambda: carom.Worlds(world, 60000, watch=[box] * 4000), "count * body_count"))
        for call, text in cases:
            with self.subTest(text), self.assertRaises(carom.Error) as caught:
                call()
            self.assertIn(text, str(caught.exception))
        worlds = carom.Worlds(world, 2, watch=[box], drives=[drive], threads=2)
        for actions, text in (([[0.0], [numpy.nan]], "world 1, drive 0"), ([[0.0]], "the shape must be (2, 1)")):
            with self.assertRaises(carom.InvalidArgument) as caught:
                worlds.step(actions)
            self.assertIn(text, caught.exception.text)
        with self.assertRaises(carom.InvalidArgument):
            worlds.step(ticks=10**7)
        self.assertEqual([0, 0], [worlds.world(i).tick for i in range(2)])
        worlds.bodies["x"][1] = 1e9
        with self.assertRaises(carom.InvalidArgument) as caught:
            worlds.place()
        self.assertIn("world 1, body 1: position", caught.exception.text)
        with self.assertRaises(IndexError):
            worlds.world(2)

    def test_threads_change_nothing(self):
        world, box = start()
        hashes = []
        for threads in (1, 2, 5):
            worlds = carom.Worlds(world, 7, watch=[box], drives=[carom.Drive("force", box, most=50)], threads=threads)
            for _ in range(20):
                worlds.step(numpy.arange(7.0)[:, None])
            worlds.reset([i == 3 for i in range(7)])
            hashes.append([worlds.world(i).state.hash for i in range(7)])
            worlds.close()
        self.assertEqual(hashes[0], hashes[1])
        self.assertEqual(hashes[0], hashes[2])
        self.assertEqual(7, len(set(hashes[0])))

    def test_more_threads_than_worlds(self):
        world, box = start()
        worlds = carom.Worlds(world, 2, watch=[box], drives=[carom.Drive("spin", box)], threads=5)
        worlds.step([[1.0], [0.5]])
        numpy.testing.assert_allclose([1.0, 0.5], worlds.spins[:, 0])

    def test_bodies_share_memory_and_outlive_the_object(self):
        world, box = start()
        worlds = carom.Worlds(world, 2, watch=[box], drives=[carom.Drive("velocity", box)])
        bodies, positions = worlds.bodies, worlds.positions
        self.assertTrue(numpy.shares_memory(bodies, positions))
        worlds.step([[1.0], [-1.0]], 60)
        numpy.testing.assert_allclose([1, -1], positions[:, 0, 0], rtol=1e-3)
        worlds.close()
        del worlds
        numpy.testing.assert_allclose([1, -1], bodies["x"][:, 0], rtol=1e-3)

    def test_removed_body_has_the_id_0(self):
        world, box = start()
        worlds = carom.Worlds(world, 2, watch=[box], drives=[carom.Drive("force", box)])
        worlds.world(1).body.remove(box)
        worlds.step([[1.0], [1.0]])
        self.assertEqual([box, 0], worlds.ids[:, 0].tolist())
        worlds.reset()
        self.assertEqual([box, box], worlds.ids[:, 0].tolist())

    def test_forks_continue_alike(self):
        world, box = start()
        worlds = carom.Worlds(world, 3, watch=[box], drives=[carom.Drive("force", box, most=9)])
        worlds.step([[1.0], [2.0], [3.0]], 10)
        worlds.fork(2, [0])
        self.assertEqual(worlds.bodies["x"][2, 0], worlds.bodies["x"][0, 0])
        image = worlds.world(1).image()
        worlds.step(None, 10)
        self.assertEqual(worlds.world(0).state.hash, worlds.world(2).state.hash)
        worlds.restore(image, [0])
        worlds.step(None, 10)
        later = carom.LocalWorld.from_image(image)
        later.step(10)
        self.assertEqual(later.state.hash, worlds.world(0).state.hash)


class Environment(unittest.TestCase):
    def test_spaces_say_shapes_and_bounds(self):
        env = Push()
        self.assertEqual(((3, 6), (6,), (3, 1), (1,)), (env.observation_space.shape, env.single_observation_space.shape,
                                                      env.action_space.shape, env.single_action_space.shape))
        self.assertEqual(([-30.0], [30.0]), (env.single_action_space.low.tolist(), env.single_action_space.high.tolist()))

    def test_next_step_resets_in_the_step_after_the_end(self):
        env = Push()
        observations, infos = env.reset(seed=1)
        self.assertEqual((3, 6), observations.shape)
        observations, rewards, terminated, truncated, infos = env.step([[30.0], [60.0], [0.0]])
        self.assertEqual([False] * 3, terminated.tolist())
        for _ in range(2):
            observations, rewards, terminated, truncated, infos = env.step([[30.0], [0.0], [0.0]])
        self.assertEqual([True, False, False], terminated.tolist())
        self.assertGreater(rewards[0], 1)
        observations, rewards, terminated, truncated, infos = env.step([[30.0], [0.0], [0.0]])
        self.assertEqual(([0.0, 0.0], False), (observations[0, :2].tolist(), bool(terminated[0])))
        self.assertEqual(0.0, rewards[0])
        self.assertGreater(observations[1, 0], 0.4)  # the others went on

    def test_same_step_tells_the_last_observations(self):
        env = Push(autoreset="same_step", ticks=3)
        env.reset()
        observations, rewards, terminated, _, infos = env.step([[30.0], [1.0], [0.0]])
        self.assertEqual(([True, False, False], 0.0), (terminated.tolist(), observations[0, 0]))
        self.assertGreater(infos["final_obs"][0, 0], 1)
        self.assertEqual([True, False, False], infos["_final_obs"].tolist())

    def test_episodes_are_truncated(self):
        env = Push(episode_steps=2)
        env.reset()
        for expected in (False, True, False, False, True):
            truncated = env.step(numpy.zeros((3, 1)))[3]
            self.assertEqual([expected] * 3, truncated.tolist())

    def test_some_worlds_are_reset(self):
        env = Push()
        env.reset()
        env.step([[9.0]] * 3)
        observations, _ = env.reset(options={"reset_mask": [True, False, True]})
        self.assertEqual([True, False, True], (observations[:, 0] == 0).tolist())

    def test_an_image_is_forked(self):
        env = Push()
        env.reset()
        env.step([[9.0], [0.0], [0.0]])
        env.restore(env.image(0))
        self.assertEqual(1, len(set(env.observe()[:, 0])))
        with self.assertRaises(carom.InvalidArgument):
            Push(autoreset="later")

    def test_a_seed_gives_the_same_beginnings(self):
        env = balance.Balance(4)
        first, _ = env.reset(seed=5)
        again, _ = env.reset(seed=5)
        other, _ = env.reset(seed=6)
        numpy.testing.assert_array_equal(first, again)
        self.assertFalse((first == other).any())
        self.assertTrue((abs(first) <= 0.0501).all() and first.any())


class Example(unittest.TestCase):
    def test_guide_runs_as_it_is_printed(self):
        text = (support.ROOT / "client" / "guides" / "python-many-worlds.md").read_text(encoding="utf-8")
        names = {}
        for block in re.findall(r"```python\n(.*?)```", text, re.S):
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(block, "guide", "exec"), names)
        self.assertEqual((256, 1), names["worlds"].bodies.shape)
        self.assertLess(names["worlds"].bodies["x"][0, 0], -0.01)
        env = type("Guide", (names["Balance"], balance.Balance), {})(4)  # its rules, the example's world
        env.reset(seed=1)
        observations, rewards, terminated, _, _ = env.step(numpy.zeros((4, 1)))
        self.assertEqual(((4, 4), 4.0, 0), (observations.shape, rewards.sum(), terminated.sum()))
        self.assertEqual(4, len(set(observations[:, 2])))

    def test_a_pole_falls_without_a_policy(self):
        env = balance.Balance(32)
        self.assertLess(balance.lengths(env, numpy.zeros((32, 4)), 1).mean(), 150)

    def test_random_search_learns_to_balance(self):
        policy, steps, _ = balance.learn(seed=7, rounds=12, count=128, threads=2, report=lambda text: None)
        self.assertGreater(steps, 0.95 * balance.EPISODE)


if __name__ == "__main__":
    unittest.main()
