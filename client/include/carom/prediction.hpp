// Prediction for C++17: carom/prediction.h with an owner that frees itself, functions of any kind,
// and errors that are thrown, as carom/replica.hpp has for replicas.
//
//   carom::replica copy;
//   carom::prediction::options options;
//   options.input = [&](carom::prediction &p, std::uint64_t tick, bool first_time) {
//       carom_value *args = carom_map();
//       ...
//       p.command("body.force", carom::value(args));
//   };
//   carom::prediction predicted(client, copy, options);
//   handlers.snapshot = [&](const carom_snapshot &s) { predicted.feed(s, now()); };
//   ... in every frame:
//   predicted.frame(now());
//   for (const carom_prediction_pose &pose : predicted.poses()) { ... }
//
// The client and the replica outlive it. Functions must not throw. Threads are as in C.
#ifndef CAROM_PREDICTION_HPP
#define CAROM_PREDICTION_HPP

#include <functional>

#include <carom/prediction.h>
#include <carom/replica.hpp>

namespace carom
{

class prediction
{
  public:
    struct options : carom_prediction_options {
        options() : carom_prediction_options(carom_prediction_options_default())
        {
        }
        std::function<void(prediction &, std::uint64_t tick, bool first_time)> input;
        std::function<void(const carom_event &, carom_prediction_fate, bool was_predicted)> event;
        std::function<bool(const carom_value *args)> send; // empty: the client sends
    };

    prediction(client &sender, replica &confirmed, const options &wanted)
        : prediction(sender.get(), confirmed, wanted)
    {
    }
    // Predicts without a client; wanted.send is required then.
    prediction(replica &confirmed, const options &wanted)
        : prediction(static_cast<carom_client *>(nullptr), confirmed, wanted)
    {
    }

    // False, with the reason in `why`: commands are sent and not predicted.
    bool active(carom_error *why = nullptr) const
    {
        return carom_prediction_active(get(), why);
    }
    void feed(const carom_snapshot &snapshot, double now)
    {
        done([&](carom_error *why) { return carom_prediction_feed(get(), &snapshot, now, why); });
    }
    void frame(double now)
    {
        done([&](carom_error *why) { return carom_prediction_frame(get(), now, why); });
    }
    // Only within `input`.
    void command(const char *method, const value &args)
    {
        done([&](carom_error *why) {
            return carom_prediction_command(get(), method, args.get(), why);
        });
    }
    std::uint64_t tick() const
    {
        return carom_prediction_tick(get());
    }
    std::vector<carom_prediction_pose> poses() const
    {
        std::vector<carom_prediction_pose> all(carom_prediction_poses(get(), nullptr, 0));
        carom_prediction_poses(get(), all.data(), all.size());
        return all;
    }
    value call(const char *method, const value &args = value()) const
    {
        carom_value *result = nullptr;
        done([&](carom_error *why) {
            return carom_prediction_call(get(), method, args.get(), &result, why);
        });
        return value(result);
    }
    std::uint64_t made(std::uint64_t at, std::size_t index, bool *confirmed = nullptr) const
    {
        return carom_prediction_made(get(), at, index, confirmed);
    }
    void own(std::uint64_t body)
    {
        carom_prediction_own(get(), body);
    }
    void predict(std::uint64_t body, bool predicted)
    {
        done([&](carom_error *why) {
            return carom_prediction_predict(get(), body, predicted, why);
        });
    }
    carom_prediction_figures figures() const
    {
        return carom_prediction_figures_now(get());
    }
    carom_prediction *get() const
    {
        return prediction_.get();
    }

  private:
    // The object that the C functions get as their `user`.
    struct functions {
        options wanted;
        prediction *self;
    };

    prediction(carom_client *sender, replica &confirmed, const options &wanted)
        : functions_(new functions{wanted, this})
    {
        carom_prediction_options plain = wanted;
        plain.input = wanted.input ? on_input : nullptr;
        plain.event = wanted.event ? on_event : nullptr;
        plain.send = wanted.send ? on_send : nullptr;
        plain.user = functions_.get();
        carom_prediction *made = nullptr;
        done([&](carom_error *why) {
            return carom_prediction_create(sender, confirmed.get(), &plain, &made, why);
        });
        prediction_.reset(made);
    }
    prediction(const prediction &) = delete;
    prediction &operator=(const prediction &) = delete;

    static void on_input(carom_prediction *, std::uint64_t tick, bool first_time, void *user)
    {
        auto *f = static_cast<functions *>(user);
        f->wanted.input(*f->self, tick, first_time);
    }
    static void on_event(const carom_event *event, carom_prediction_fate fate, bool was_predicted,
                         void *user)
    {
        static_cast<functions *>(user)->wanted.event(*event, fate, was_predicted);
    }
    static bool on_send(const carom_value *args, void *user)
    {
        return static_cast<functions *>(user)->wanted.send(args);
    }
    template <typename F> static void done(F call)
    {
        carom_error why;
        check(call(&why), why);
    }
    struct free_prediction {
        void operator()(carom_prediction *p) const
        {
            carom_prediction_free(p);
        }
    };
    std::unique_ptr<functions> functions_;
    std::unique_ptr<carom_prediction, free_prediction> prediction_;
};

} // namespace carom

#endif
