// A game's side of carom, for any engine of C#: it connects, draws the bodies where they are predicted, and steers one.
//
// Neither Unity nor Godot is named here, so this file compiles and runs under mono, where the tests run it. Each engine needs a
// few lines around it: UnityShip.cs.txt, GodotShip.cs.txt. Those were written by the engines' documentation and have not run.

using System;

namespace Carom.Sample
{
    /// <summary>A ship in a world that anyone may share. Call Frame once a frame, and Dispose at the end.</summary>
    public sealed class Ship : IDisposable
    {
        const double Thrust = 30.0; // [N]

        readonly Client client;
        readonly Replica replica;
        readonly Prediction prediction;
        readonly ulong body;
        Body[] bodies;
        Vec2 thrust;

        public Ship(string address, string world)
        {
            client = Client.Connect(address, new ConnectOptions { Reconnect = true });
            client.Call(world, new WorldCreate { IfAbsent = true, Gravity = new Vec2(0, 0) });
            body = client.Call(world, new BodySpawn
            {
                Shapes = new Shape[] { new Capsule { A = new Vec2(-0.5, 0), B = new Vec2(0.5, 0), Radius = 0.3 } },
                LinearDamping = 0.5, Lifetime = "session", Tag = "ship"
            }).Body;
            replica = new Replica(client, world);
            prediction = new Prediction(client, replica, Steer);
        }

        void Steer(PredictedTick tick)
        {
            tick.Add(new BodyForce { Body = body, Force = new Vec2(thrust.X * Thrust, thrust.Y * Thrust) });
        }

        /// <summary>The ship's own body.</summary>
        public ulong Id => body;

        /// <summary>One frame: `x` and `y` are the stick, -1 to 1; `draw` gets each body where it is to be drawn.</summary>
        public void Frame(double x, double y, Action<Body> draw)
        {
            thrust = new Vec2(x, y);
            client.Poll();
            prediction.Frame();
            int count = prediction.Poses(ref bodies);
            for (int i = 0; i < count; i++) draw(bodies[i]);
        }

        public void Dispose()
        {
            prediction.Dispose();
            replica.Dispose();
            client.Dispose();
        }
    }
}
