// libcarom for C++17: the C library with owners that free themselves and errors that are thrown.
//
//   carom::client client = carom::client::connect("127.0.0.1");
//   carom::view view;
//   client.watch("demo", view);
//   while (view.state().snapshots < 60) {
//       client.poll(std::chrono::seconds(1));
//   }
//   for (const carom_body &body : view) {
//       std::cout << body.id << " is at " << body.x << ", " << body.y << "\n";
//   }
//
// Nothing is hidden: structs are those of the C headers, `get()` gives the C object for everything
// that has no method here, and `carom::check` throws for a status. An exception in a handler is
// kept until the call in which it happened returns, and is thrown from there.
//
// Threads are as in C: an object is used by one at a time. Objects may be moved, not copied; one
// that was moved from may only be assigned to or destroyed.
#ifndef CAROM_CAROM_HPP
#define CAROM_CAROM_HPP

#include <array>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <carom/carom.h>

namespace carom
{

// ---- errors

// Any failure: its status, the text for a person in what(), and whether the server reported it.
class error : public std::runtime_error
{
  public:
    explicit error(const carom_error &why)
        : std::runtime_error(why.text), status_(why.status), from_server_(why.from_server)
    {
    }
    carom_status status() const noexcept
    {
        return status_;
    }
    bool from_server() const noexcept
    {
        return from_server_;
    }
    const char *name() const noexcept
    {
        return carom_status_name(status_);
    }

  private:
    carom_status status_;
    bool from_server_;
};

// Throws std::bad_alloc for CAROM_OUT_OF_MEMORY and carom::error for any other failure.
inline void check(carom_status status, const carom_error &why)
{
    if (status == CAROM_OUT_OF_MEMORY) {
        throw std::bad_alloc();
    }
    if (status != CAROM_OK) {
        throw error(why);
    }
}

namespace detail
{
template <typename T> T *made(T *object)
{
    if (object == nullptr) {
        throw std::bad_alloc();
    }
    return object;
}

inline int milliseconds(std::chrono::milliseconds time)
{
    constexpr std::int64_t most = 1000000000;
    return static_cast<int>(time.count() < most ? time.count() : most);
}
} // namespace detail

inline constexpr std::chrono::milliseconds default_timeout{5000};

// ---- values

// A tree of values, owned; empty (nil) by default.
class value
{
  public:
    value() = default;
    explicit value(carom_value *owned) : tree_(owned)
    {
    }
    static value map()
    {
        return value(detail::made(carom_map()));
    }
    static value array()
    {
        return value(detail::made(carom_array()));
    }
    static value of(bool b)
    {
        return value(detail::made(carom_bool(b)));
    }
    static value of(std::int64_t n)
    {
        return value(detail::made(carom_int(n)));
    }
    static value of(std::uint64_t n)
    {
        return value(detail::made(carom_uint(n)));
    }
    static value of(int n)
    {
        return of(static_cast<std::int64_t>(n));
    }
    static value of(double x)
    {
        return value(detail::made(carom_real(x)));
    }
    static value of(std::string_view text)
    {
        return value(detail::made(carom_strn(text.data(), text.size())));
    }
    static value of(const char *text)
    {
        return of(std::string_view(text));
    }
    static value of(carom_vec2 v)
    {
        return value(detail::made(carom_vec(v.x, v.y)));
    }

    // Sets a key of a map, or appends to an array.
    value &set(const char *key, value child)
    {
        carom_set(tree_.get(), key, child.release());
        return *this;
    }
    template <typename T> value &set(const char *key, T child)
    {
        return set(key, of(child));
    }
    value &push(value child)
    {
        carom_push(tree_.get(), child.release());
        return *this;
    }

    // By path, as carom_value_path: "bodies[0].position[1]".
    double real(const char *path, double fallback = 0.0) const
    {
        return carom_get_real(get(), path, fallback);
    }
    std::uint64_t uint(const char *path, std::uint64_t fallback = 0) const
    {
        return carom_get_uint(get(), path, fallback);
    }
    bool boolean(const char *path, bool fallback = false) const
    {
        return carom_get_bool(get(), path, fallback);
    }
    std::string text(const char *path, const char *fallback = "") const
    {
        return carom_get_str(get(), path, fallback);
    }
    carom_vec2 vec(const char *path, carom_vec2 fallback = {0.0, 0.0}) const
    {
        return carom_get_vec(get(), path, fallback);
    }
    std::size_t size() const
    {
        return carom_value_count(get());
    }
    const carom_value *get() const
    {
        return tree_.get();
    }
    carom_value *release()
    {
        return tree_.release();
    }

  private:
    struct free_tree {
        void operator()(carom_value *tree) const
        {
            carom_value_free(tree);
        }
    };
    std::unique_ptr<carom_value, free_tree> tree_;
};

// ---- views

// A world as a subscription shows it. Iterating gives its bodies, valid until the next poll.
class view
{
  public:
    view() : view(carom_view_options_default())
    {
    }
    explicit view(const carom_view_options &options) : view_(carom_view_create(&options))
    {
        if (!view_) {
            throw std::invalid_argument("carom_view_options: out of range, or out of memory");
        }
    }
    carom_view_state state() const
    {
        return carom_view_get_state(get());
    }
    std::size_t size() const
    {
        return carom_view_count(get());
    }
    const carom_body *begin() const
    {
        return carom_view_body(get(), 0);
    }
    const carom_body *end() const
    {
        return size() == 0 ? begin() : begin() + size();
    }
    const carom_body *find(std::uint64_t id) const // nullptr: not seen
    {
        return carom_view_find(get(), id);
    }
    const carom_body_info *info(std::uint64_t id) const // nullptr: not described
    {
        std::size_t index;
        return carom_view_index(get(), id, &index) ? carom_view_info(get(), index) : nullptr;
    }
    std::optional<carom_event> next_event()
    {
        carom_event event;
        return carom_view_next_event(get(), &event) ? std::optional<carom_event>(event)
                                                    : std::nullopt;
    }
    // ---- drawing, with options.interpolation; see carom/interpolation.h

    double advance(double now = carom_now()) // NAN: there is nothing to draw yet
    {
        return carom_view_advance(get(), now);
    }
    void rtt(double seconds)
    {
        carom_view_set_rtt(get(), seconds);
    }
    std::vector<carom_drawn> drawn() const
    {
        std::vector<carom_drawn> all(carom_view_drawn(get(), nullptr, 0));
        carom_view_drawn(get(), all.data(), all.size());
        return all;
    }
    carom_view_playback playback() const
    {
        return carom_view_get_playback(get());
    }
    carom_view *get() const
    {
        return view_.get();
    }

  private:
    struct free_view {
        void operator()(carom_view *v) const
        {
            carom_view_free(v);
        }
    };
    std::unique_ptr<carom_view, free_view> view_;
};

// ---- batches

// Commands of one tick; see carom/batch.h.
class batch
{
  public:
    batch() : batch_(detail::made(carom_batch_create()))
    {
    }
    std::size_t spawn(const carom_body_options &options)
    {
        return carom_batch_spawn(get(), &options);
    }
    std::size_t joint(const carom_joint_settings &settings)
    {
        return carom_batch_joint(get(), &settings);
    }
    std::size_t add(const char *method, value args)
    {
        return carom_batch_add(get(), method, args.release());
    }
    std::uint64_t id(std::size_t index) const // 0: it made nothing
    {
        return carom_batch_id(get(), index);
    }
    carom_batch *get() const
    {
        return batch_.get();
    }

  private:
    struct free_batch {
        void operator()(carom_batch *b) const
        {
            carom_batch_free(b);
        }
    };
    std::unique_ptr<carom_batch, free_batch> batch_;
};

// ---- clients

// A connection. Handlers are called inside poll, call and the methods that wait.
class client
{
  public:
    struct handlers {
        std::function<void(const carom_snapshot &)> snapshot;
        std::function<void(const carom_event &)> event;
        std::function<void(const std::string &method, const carom_value *params)> notification;
        std::function<void(carom_status, const std::string &reason)> closed;
    };

    // `options.handlers` are set by this class; see on().
    static client connect(const std::string &host = CAROM_HOST_DEFAULT,
                          std::uint16_t port = CAROM_PORT_DEFAULT,
                          std::chrono::milliseconds timeout = default_timeout,
                          carom_options options = carom_options_default())
    {
        client c;
        carom_client *raw = nullptr;
        carom_error why;
        options.handlers = c.shared_->c_handlers();
        check(
            carom_connect(host.c_str(), port, detail::milliseconds(timeout), &options, &raw, &why),
            why);
        c.client_.reset(raw);
        return c;
    }
    static client adopt(int fd, std::chrono::milliseconds timeout = default_timeout,
                        carom_options options = carom_options_default())
    {
        client c;
        carom_client *raw = nullptr;
        carom_error why;
        options.handlers = c.shared_->c_handlers();
        check(carom_connect_fd(fd, detail::milliseconds(timeout), &options, &raw, &why), why);
        c.client_.reset(raw);
        return c;
    }

    client(client &&other) noexcept = default;
    client &operator=(client &&other) noexcept
    {
        std::swap(shared_, other.shared_); // each C client keeps the handlers that it knows
        std::swap(client_, other.client_);
        return *this;
    }

    void on(handlers h)
    {
        shared_->h = std::move(h);
    }

    value call(const char *method, const value &args = value(),
               std::chrono::milliseconds timeout = default_timeout)
    {
        carom_value *result = nullptr;
        done([&](carom_error *why) {
            return carom_call(get(), method, args.get(), detail::milliseconds(timeout), &result,
                              why);
        });
        return value(result);
    }
    // A notification: sent, and not awaited.
    void send(const char *method, const value &args = value())
    {
        done([&](carom_error *why) { return carom_send(get(), method, args.get(), why); });
    }
    // Processes messages for at most `timeout`; throws once the connection is closed.
    void poll(std::chrono::milliseconds timeout = std::chrono::milliseconds(0))
    {
        done([&](carom_error *why) {
            return carom_poll(get(), detail::milliseconds(timeout), why);
        });
    }
    // Makes everything that is sent to the world name this epoch (0: no epoch); see carom/epoch.h.
    void pin_epoch(const std::string &world, std::uint64_t epoch)
    {
        done([&](carom_error *why) { return carom_pin_epoch(get(), world.c_str(), epoch, why); });
    }
    std::uint64_t known_epoch(const std::string &world) const
    {
        return carom_known_epoch(get(), world.c_str());
    }
    void flush(std::chrono::milliseconds timeout = default_timeout)
    {
        done([&](carom_error *why) {
            return carom_flush(get(), detail::milliseconds(timeout), why);
        });
    }

    // Creates the world unless it exists; true if it was created.
    bool ensure_world(const std::string &world,
                      const carom_world_options &options = carom_world_options_default(),
                      std::chrono::milliseconds timeout = default_timeout)
    {
        bool created = false;
        done([&](carom_error *why) {
            return carom_world_ensure(get(), world.c_str(), &options, detail::milliseconds(timeout),
                                      &created, nullptr, why);
        });
        return created;
    }
    void destroy_world(const std::string &world,
                       std::chrono::milliseconds timeout = default_timeout)
    {
        done([&](carom_error *why) {
            return carom_world_destroy(get(), world.c_str(), detail::milliseconds(timeout), why);
        });
    }
    std::uint64_t spawn(const std::string &world, const carom_body_options &options,
                        std::chrono::milliseconds timeout = default_timeout)
    {
        std::uint64_t body = 0;
        done([&](carom_error *why) {
            return carom_body_spawn(get(), world.c_str(), &options, detail::milliseconds(timeout),
                                    &body, nullptr, why);
        });
        return body;
    }
    void impulse(const std::string &world, std::uint64_t body, carom_vec2 impulse,
                 std::chrono::milliseconds timeout = default_timeout)
    {
        done([&](carom_error *why) {
            return carom_body_impulse(get(), world.c_str(), body, impulse, nullptr,
                                      detail::milliseconds(timeout), nullptr, why);
        });
    }
    // Returns the tick whose state first shows the batch.
    std::uint64_t apply(const std::string &world, batch &commands,
                        std::chrono::milliseconds timeout = default_timeout)
    {
        std::uint64_t tick = 0;
        done([&](carom_error *why) {
            return carom_batch_apply(commands.get(), get(), world.c_str(), nullptr,
                                     detail::milliseconds(timeout), &tick, why);
        });
        return tick;
    }
    // Applies the batch at the tick `at`; `late` says what happens to it if that tick is over.
    carom_batch_timing apply_at(const std::string &world, batch &commands, std::uint64_t at,
                                carom_late late = CAROM_LATE_REFUSE,
                                std::chrono::milliseconds timeout = default_timeout)
    {
        carom_batch_timing applied = {};
        done([&](carom_error *why) {
            return carom_batch_apply_at(commands.get(), get(), world.c_str(), at, late,
                                        detail::milliseconds(timeout), &applied, why);
        });
        return applied;
    }
    std::vector<carom_hit> ray(const std::string &world, carom_vec2 from, carom_vec2 to,
                               const carom_query_options &options = {},
                               std::chrono::milliseconds timeout = default_timeout)
    {
        std::vector<carom_hit> hits(64);
        std::size_t count = 0;
        const auto ask = [&](carom_error *why) {
            return carom_query_ray(get(), world.c_str(), from, to, &options, hits.data(),
                                   hits.size(), detail::milliseconds(timeout), &count, why);
        };
        done(ask);
        if (count > hits.size()) {
            hits.resize(count);
            done(ask);
        }
        hits.resize(count < hits.size() ? count : hits.size());
        return hits;
    }
    // Returns the number of the subscription.
    std::uint64_t watch(const std::string &world, view &v,
                        const carom_subscribe_options &options = carom_subscribe_options_default(),
                        std::chrono::milliseconds timeout = default_timeout)
    {
        std::uint64_t subscription = 0;
        done([&](carom_error *why) {
            return carom_watch(get(), world.c_str(), &options, v.get(),
                               detail::milliseconds(timeout), &subscription, why);
        });
        return subscription;
    }
    // Subscribes without a view: snapshots go to the handler alone, for example those of encoding
    // log.
    std::uint64_t subscribe(const std::string &world, const carom_subscribe_options &options,
                            std::chrono::milliseconds timeout = default_timeout)
    {
        std::uint64_t subscription = 0;
        done([&](carom_error *why) {
            return carom_subscribe(get(), world.c_str(), &options, detail::milliseconds(timeout),
                                   &subscription, why);
        });
        return subscription;
    }
    // The value for carom_subscribe_options.compact; see carom_compact.
    std::uint32_t compact() const
    {
        return carom_compact(get());
    }
    // Changes the subscription's area: x0, y0, x1, y1 [m].
    void set_area(std::uint64_t subscription, const std::array<double, 4> &area,
                  std::chrono::milliseconds timeout = default_timeout)
    {
        done([&](carom_error *why) {
            return carom_subscription_area(get(), subscription, area.data(),
                                           detail::milliseconds(timeout), why);
        });
    }
    // Makes the area move with a body; it is relative to that body's position.
    void follow(std::uint64_t subscription, std::uint64_t body, const std::array<double, 4> &area,
                std::chrono::milliseconds timeout = default_timeout)
    {
        done([&](carom_error *why) {
            return carom_subscription_follow(get(), subscription, body, area.data(),
                                             detail::milliseconds(timeout), why);
        });
    }

    bool open() const
    {
        return carom_client_state(get()) == CAROM_OPEN;
    }
    carom_client *get() const
    {
        return client_.get();
    }

  private:
    // The C callbacks' user pointer: it stays where it is when the client is moved.
    struct shared {
        handlers h;
        std::exception_ptr thrown;

        template <typename F> void guarded(F &&f)
        {
            try {
                f();
            } catch (...) {
                thrown = thrown ? thrown : std::current_exception();
            }
        }
        carom_handlers c_handlers()
        {
            carom_handlers c = {};
            c.user = this;
            c.snapshot = [](carom_client *, const carom_snapshot *snapshot, void *user) {
                auto *s = static_cast<shared *>(user);
                s->guarded([&] {
                    if (s->h.snapshot) {
                        s->h.snapshot(*snapshot);
                    }
                });
            };
            c.event = [](carom_client *, const carom_snapshot *, const carom_event *event,
                         void *user) {
                auto *s = static_cast<shared *>(user);
                s->guarded([&] {
                    if (s->h.event) {
                        s->h.event(*event);
                    }
                });
            };
            c.notification = [](carom_client *, const char *method, const carom_value *params,
                                void *user) {
                auto *s = static_cast<shared *>(user);
                s->guarded([&] {
                    if (s->h.notification) {
                        s->h.notification(method, params);
                    }
                });
            };
            c.closed = [](carom_client *, carom_status status, const char *reason, void *user) {
                auto *s = static_cast<shared *>(user);
                s->guarded([&] {
                    if (s->h.closed) {
                        s->h.closed(status, reason);
                    }
                });
            };
            return c;
        }
    };
    struct free_client {
        void operator()(carom_client *c) const
        {
            carom_free(c);
        }
    };

    client() : shared_(std::make_unique<shared>())
    {
    }

    template <typename F> void done(F &&f)
    {
        carom_error why;
        carom_status status = f(&why);
        if (shared_->thrown) {
            std::rethrow_exception(std::exchange(shared_->thrown, nullptr));
        }
        check(status, why);
    }

    std::unique_ptr<shared> shared_; // outlives the client, whose end may call `closed`
    std::unique_ptr<carom_client, free_client> client_;
};

// ---- the server's clock

// See carom/clock.h. `ping` is for every frame, before client.poll().
class clock
{
  public:
    clock() : clock_(carom_clock_create())
    {
        if (!clock_) {
            throw std::bad_alloc();
        }
    }
    void ping(client &of)
    {
        carom_clock_ping(get(), of.get());
    }
    double at(double now = carom_now()) const // [s]; NAN before the first answer
    {
        return carom_clock_at(get(), now);
    }
    carom_clock_state state() const
    {
        return carom_clock_get_state(get());
    }
    carom_clock *get() const
    {
        return clock_.get();
    }

  private:
    struct free_clock {
        void operator()(carom_clock *c) const
        {
            carom_clock_free(c);
        }
    };
    std::unique_ptr<carom_clock, free_clock> clock_;
};

} // namespace carom

#endif
