#!/usr/bin/env python3
"""Learns to balance a pole on a cart, by plain random search over many worlds at once.

A cart moves on a rail and carries a pole on a hinge; the policy is a force that is linear in four numbers: the cart's place
and speed, the pole's angle and turn. Each round tries 256 variations of the best policy so far, each in a world of its
own, and keeps the one that balances longest. The result is then tried from beginnings that it has not seen.

    balance.py [--seed N] [--rounds N] [--worlds N] [--threads N]
"""

import argparse
import math
import time

import numpy

import carom

FORCE = 10.0  # the greatest force on the cart [N]
HALF_RAIL = 2.4  # the farthest allowed distance of the cart from the middle [m]
ANGLE = math.radians(12)  # the largest allowed lean of the pole
HZ = 50
EPISODE = 500  # steps: 10 s


def cart_and_pole():
    """The world, and the ids of cart and pole."""
    world = carom.LocalWorld(gravity=[0, -9.81], hz=HZ, sleep=False)
    apart = {"mask": 0}  # nothing touches anything
    with world.batch() as batch:
        rail = batch.body.spawn([], type="static")
        cart = batch.body.spawn([carom.box([0.5, 0.3], filter=apart)], mass=1.0)
        pole = batch.body.spawn([carom.box([0.05, 1.0], center=[0, 0.5], filter=apart)], mass=0.1)
        batch.joint.create("prismatic", a=rail, b=cart, anchor=[0, 0], axis=[1, 0])
        batch.joint.create("revolute", a=cart, b=pole, anchor=[0, 0])
    return world, batch.id(cart), batch.id(pole)


class Balance(carom.VectorEnv):
    """Rewards 1 for each step in which the pole stands. Observations: x, speed, angle, turn."""

    def __init__(self, count, threads=1):
        world, cart, pole = cart_and_pole()
        super().__init__(world, count, watch=[cart, pole], threads=threads, episode_steps=EPISODE, autoreset="disabled",
                         drives=[carom.Drive("force", cart, axis=(1, 0), least=-FORCE, most=FORCE)])

    def observe(self):
        cart, pole = self.worlds.bodies[:, 0], self.worlds.bodies[:, 1]
        return numpy.stack([cart["x"], cart["vx"], pole["angle"], pole["w"]], axis=1)

    def judge(self, observations, actions):
        lost = (abs(observations[:, 0]) > HALF_RAIL) | (abs(observations[:, 2]) > ANGLE)
        return numpy.ones(self.num_envs), lost

    def randomise(self, which):
        bodies, n = self.worlds.bodies, self.num_envs
        start = self.np_random.uniform(-0.05, 0.05, (n, 4))
        bodies["x"][which] = start[which, :1]  # the pole stands on the cart
        bodies["vx"][which] = start[which, 1:2]
        bodies["angle"][which, 1] = start[which, 2]
        bodies["w"][which, 1] = start[which, 3]


def lengths(env, policies, seed):
    """The number of steps that each world's policy balances."""
    observations, _ = env.reset(seed=seed)
    alive, total = numpy.ones(env.num_envs, "bool"), numpy.zeros(env.num_envs)
    for _ in range(EPISODE):
        actions = numpy.sum(observations * policies, axis=1, keepdims=True)
        observations, rewards, terminated, truncated, _ = env.step(actions)
        total += rewards * alive
        alive &= ~(terminated | truncated)
        if not alive.any():
            break
    return total


def learn(seed=1, rounds=20, count=256, threads=1, report=print):
    """Returns (policy, steps that it balances on average from new beginnings, steps simulated)."""
    rng, env = numpy.random.default_rng(seed), Balance(count, threads)
    best, spread, simulated = numpy.zeros(4), 20.0, 0.0
    for number in range(rounds):
        candidates = best + spread * rng.standard_normal((count, 4))
        candidates[0] = best
        steps = lengths(env, candidates, seed * 1000 + number)
        simulated += steps.sum()
        # The mean of the eight or more that balance longest does not depend on one lucky beginning.
        best = candidates[steps >= numpy.sort(steps)[-8]].mean(axis=0)
        report(f"round {number + 1}: best {steps.max():.0f} of {EPISODE} steps, half of them over {numpy.median(steps):.0f}")
        if numpy.median(steps) == EPISODE:
            break
        spread *= 0.8
    unseen = lengths(env, numpy.tile(best, (count, 1)), seed=seed + 987654321).mean()
    env.close()
    return best, unseen, simulated


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--worlds", type=int, default=256)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    begun = time.perf_counter()
    policy, steps, simulated = learn(options.seed, options.rounds, options.worlds, options.threads)
    seconds = time.perf_counter() - begun
    print(f"policy {numpy.round(policy, 2).tolist()}: {steps:.0f} of {EPISODE} steps on average from {options.worlds} new beginnings")
    print(f"{seconds:.1f} s, {simulated:.0f} steps of worlds, {simulated / seconds:.0f} a second")


if __name__ == "__main__":
    main()
