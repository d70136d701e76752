// libcarom-replica for C++17: carom/replica.h with owners that free themselves and errors that are
// thrown, as carom/carom.hpp has for libcarom.
//
//   carom::replica copy;
//   carom::client::handlers handlers;
//   handlers.snapshot = [&](const carom_snapshot &s) { copy.feed(s); };
//   client.on(handlers);
//   carom_subscribe_options log = carom_subscribe_options_default();
//   log.encoding = "log";
//   log.compact = client.compact(); // a quarter of the bytes
//   client.subscribe("main", log);
//   ...
//   carom::value hit = copy.call("query.ray", ray);
//
// Threads are as in C: an object is used by one at a time. A handler of events must not throw.
#ifndef CAROM_REPLICA_HPP
#define CAROM_REPLICA_HPP

#include <carom/carom.hpp>
#include <carom/replica.h>

namespace carom
{

class replica
{
  public:
    replica() : replica_(detail::made(carom_replica_create()))
    {
    }

    void feed(const void *encoded, std::size_t size)
    {
        done([&](carom_error *why) { return carom_replica_feed(get(), encoded, size, why); });
    }
    // Plays a snapshot of encoding log; ignores those of other encodings.
    void feed(const carom_snapshot &snapshot)
    {
        if (snapshot.log) {
            feed(snapshot.encoded, snapshot.encoded_size);
        }
    }
    void load(const void *image, std::size_t size, const std::string &world = "")
    {
        done([&](carom_error *why) {
            return carom_replica_load(get(), image, size, world.c_str(), why);
        });
    }
    std::vector<std::uint8_t> save() const
    {
        void *bytes = nullptr;
        std::size_t size = 0;
        done([&](carom_error *why) { return carom_replica_save(get(), &bytes, &size, why); });
        std::unique_ptr<void, void (*)(void *)> owned(bytes, carom_replica_free_bytes);
        const auto *first = static_cast<const std::uint8_t *>(bytes);
        return std::vector<std::uint8_t>(first, first + size);
    }

    carom_replica_state now() const
    {
        return carom_replica_now(get());
    }
    std::vector<carom_body> bodies() const
    {
        std::vector<carom_body> all(now().bodies);
        carom_replica_bodies(get(), all.data(), all.size());
        return all;
    }
    // Calls any method that reads a world; see carom_replica_call.
    value call(const char *method, const value &args = value()) const
    {
        carom_value *result = nullptr;
        done([&](carom_error *why) {
            return carom_replica_call(get(), method, args.get(), &result, why);
        });
        return value(result);
    }
    // Shows the state in a view: fully after an image, then the changes since the last call.
    void show(view &on, const carom_replica_snapshot_options &options = {false, true, true, 0})
    {
        const void *encoded = nullptr;
        std::size_t size = 0;
        done([&](carom_error *why) {
            return carom_replica_snapshot(get(), &options, &encoded, &size, why);
        });
        done([&](carom_error *why) {
            return carom_view_feed(on.get(), encoded, size, nullptr, why);
        });
    }
    carom_difference compare(const replica &other) const
    {
        carom_difference difference;
        done([&](carom_error *why) {
            return carom_replica_compare(get(), other.get(), &difference, why);
        });
        return difference;
    }
    carom_replica *get() const
    {
        return replica_.get();
    }

  private:
    template <typename F> static void done(F call)
    {
        carom_error why;
        check(call(&why), why);
    }
    struct free_replica {
        void operator()(carom_replica *r) const
        {
            carom_replica_free(r);
        }
    };
    std::unique_ptr<carom_replica, free_replica> replica_;
};

} // namespace carom

#endif
