// A stranger's C++17 program with carom.hpp: it needs no server, only a pair of sockets, to one end
// of which the test writes the answers.
#include <carom/carom.hpp>
#include <carom/methods.hpp>
#include <carom/prediction.hpp>
#include <carom/replica.hpp>

#include <iostream>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::cout << "line " << __LINE__ << ": " #condition "\n";                              \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

static void say(int fd, const std::string &bytes)
{
    if (write(fd, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
        throw std::runtime_error("write");
    }
}

int main()
{
    try {
        carom::client::connect("127.0.0.1", 1, std::chrono::seconds(1));
        EXPECT(false);
    } catch (const carom::error &error) {
        EXPECT(error.status() == CAROM_UNAVAILABLE && !error.from_server());
        EXPECT(std::string(error.what()).find("cannot connect to 127.0.0.1:1") == 0);
    }
    int pair[2];
    EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    carom_options options = carom_options_default();
    options.hello = false;
    carom::client first = carom::client::adopt(pair[0], carom::default_timeout, options);
    carom::client client = std::move(first);
    EXPECT(client.open());

    // An answer, an error, a notification whose handler throws.
    say(pair[1], "\x94\x01\x01\xc0\x81\xa4tick\x07");
    EXPECT(client.call("any", carom::value::map().set("n", 1).set("s", "text")).uint("tick") == 7);
    say(pair[1], std::string("\x94\x01\x02\xb1not_found: no one\xc0", 22));
    try {
        client.call("any");
        EXPECT(false);
    } catch (const carom::error &error) {
        EXPECT(error.status() == CAROM_NOT_FOUND && error.from_server());
    }
    carom::client::handlers handlers;
    handlers.notification = [](const std::string &method, const carom_value *) {
        throw std::runtime_error("seen " + method);
    };
    client.on(handlers);
    say(pair[1], "\x93\x02\xa4news\x90");
    try {
        client.poll(std::chrono::seconds(1));
        EXPECT(false);
    } catch (const std::runtime_error &error) {
        EXPECT(std::string(error.what()) == "seen news");
    }

    // A prediction without a client, which waits for the first record of its world.
    carom::replica unfed;
    carom::prediction::options wanted;
    std::size_t asked = 0;
    wanted.input = [&](carom::prediction &, std::uint64_t, bool) { asked++; };
    wanted.send = [](const carom_value *) { return true; };
    carom::prediction predicted(unfed, wanted);
    predicted.frame(0.0);
    EXPECT(predicted.poses().empty() && predicted.figures().ticks == 0 && asked == 0);
    try {
        predicted.command("body.force", carom::value::map());
        EXPECT(false);
    } catch (const carom::error &error) {
        EXPECT(error.status() == CAROM_INVALID_ARGUMENT);
    }

    // A clock, whose first ping goes out at once.
    carom::clock clock;
    clock.ping(client);
    EXPECT(!clock.state().synchronised && clock.at() != clock.at());
    say(pair[1], std::string("\x94\x01\x03\xc0\x81\xa4time\xcb\x40\x59\0\0\0\0\0\0", 19));
    client.poll(std::chrono::seconds(1));
    EXPECT(clock.state().synchronised && clock.at() >= 100 && clock.state().rtt >= 0);

    // A view that is attached, iterated and freed before its client; a batch.
    carom_view_options smooth = carom_view_options_default();
    smooth.interpolation = CAROM_INTERPOLATION_DELAYED;
    carom::view view(smooth);
    EXPECT(carom_view_attach(view.get(), client.get(), 3, nullptr) == CAROM_OK);
    say(pair[1], std::string("\x93\x02\xa8snapshot\x91\x85\xacsubscription\x03\xa5world\xa1w"
                             "\xa4tick\x01\xa4"
                             "full\xc3\xa6"
                             "bodies\x91\x97\x05\x01\x02\0\0\0\0",
                             63));
    client.poll(std::chrono::seconds(1));
    EXPECT(view.size() == 1);
    for (const carom_body &body : view) {
        EXPECT(body.id == 5 && body.y == 2);
    }
    EXPECT(view.advance() == view.advance() && view.playback().gone == 0);
    EXPECT(view.drawn().size() == 1 && view.drawn()[0].id == 5 && view.drawn()[0].y == 2);
    EXPECT(view.find(6) == nullptr && !view.next_event());

    // A log in the compact form: before hello no number is shared; a requested number is sent.
    EXPECT(client.compact() == 0);
    carom_subscribe_options log = carom_subscribe_options_default();
    log.encoding = "log";
    log.compact = 9;
    say(pair[1], "\x94\x01\x04\xc0\x82\xacsubscription\x04\xa4tick\x01");
    EXPECT(client.subscribe("w", log) == 4);
    char sent[4096];
    const ssize_t size = read(pair[1], sent, sizeof sent);
    EXPECT(size > 0);
    const std::string requests(sent, static_cast<std::size_t>(size));
    EXPECT(requests.find("\xa8"
                         "encoding\xa3log") != std::string::npos);
    EXPECT(requests.find("\xa7"
                         "compact\x09") != std::string::npos);
    carom::batch batch;
    carom_body_options ball = {};
    EXPECT(batch.spawn(ball) == 0 && batch.id(0) == 0);

    // Methods as structs: fields that are set are sent, and ids of a batch as references.
    carom::methods::body_spawn spawn;
    spawn.type = "kinematic";
    spawn.shapes = {carom::methods::circle{0.5}, carom::methods::box{{1.0, 2.0}}};
    const carom::value circle = spawn.args();
    EXPECT(circle.size() == 2 && circle.text("type") == "kinematic");
    EXPECT(circle.text("shapes[0].kind") == "circle" && circle.real("shapes[0].radius") == 0.5);
    EXPECT(circle.text("shapes[1].kind") == "box" && circle.real("shapes[1].size[1]") == 2.0);
    carom::methods::body_impulse push;
    push.body = CAROM_RESULT(carom::add(batch, spawn));
    push.impulse = {0.0, 3.0};
    EXPECT(push.args().uint("body.$") == 1 && push.args().size() == 2);
    EXPECT(carom::add(batch, push) == 2);
    carom::methods::data_set datum;
    datum.key = "score";
    datum.value = carom::value::map();
    datum.value.set("red", 3);
    EXPECT(datum.args().uint("value.red") == 3 && datum.args().uint("value.red") == 3); // copies
    carom::methods::world_join join;
    join.template_name = "duel";
    join.data = carom::value::of("Ada");
    EXPECT(join.args().text("template") == "duel" && join.args().text("data") == "Ada");
    EXPECT(join.args().size() == 2);
    push.body = 5;
    say(pair[1], "\x94\x01\x05\xc0\x81\xa4tick\x08");
    EXPECT(carom::call(client, "w", push, 9).uint("tick") == 8);
    const ssize_t called = read(pair[1], sent, sizeof sent);
    EXPECT(called > 0);
    const std::string impulse(sent, static_cast<std::size_t>(called));
    EXPECT(impulse.find("\xac"
                        "body.impulse") != std::string::npos);
    EXPECT(impulse.find("\xa5"
                        "epoch\x09") != std::string::npos);

    // The other side closes the connection.
    bool closed = false;
    handlers.closed = [&](carom_status, const std::string &) { closed = true; };
    client.on(handlers);
    close(pair[1]);
    try {
        for (;;) {
            client.poll(std::chrono::seconds(1));
        }
    } catch (const carom::error &error) {
        EXPECT(error.status() == CAROM_UNAVAILABLE && closed && !client.open());
    }
    // A replica without a world.
    carom::replica copy;
    EXPECT(!copy.now().ready && copy.bodies().empty());
    try {
        copy.call("world.state");
        EXPECT(false);
    } catch (const carom::error &error) {
        EXPECT(error.status() == CAROM_UNAVAILABLE);
    }
    std::cout << "good\n";
    return 0;
}
