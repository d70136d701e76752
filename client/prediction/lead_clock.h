// The clock of a prediction: the tick of the predicted world at each moment.
//
// The client sees the server's tick when a record arrives; it plays `lead` ticks ahead of that, so
// that its timed batches arrive before their tick begins:
//
//     lead = ceil(RTT x hz) + slack
//
// The slack begins at 2 ticks and then follows the server's `margin` (how long before its tick a
// batch came): over TCP lateness has two peaks, since a lost segment costs a round trip. So the
// clock takes the 98th percentile of the batches of the last 10 s and not a mean (compare Unity's
// Netcode for Entities). The server reports the smallest margin since its last record; a delayed
// batch delays those behind it, and the clock counts these too. The clock corrects itself by
// running 0.9 to 1.1 times as fast; if it is more than 10 ticks off, it jumps. Lead over 500 ms
// becomes input delay, which a game may also request: commands then name later ticks, and less is
// predicted. The lead is bounded, because when the delay grows, a frame asks for the commands of
// all additional ticks.
//
// The caller passes the time. Pure except for the struct; one thread at a time.
#ifndef CAROM_CLIENT_PREDICTION_LEAD_CLOCK_H
#define CAROM_CLIENT_PREDICTION_LEAD_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum {
    LEAD_SLACK_TICKS = 2,   // the slack before the first margin is known
    LEAD_JUMP_TICKS = 10,   // a larger deviation makes the clock jump
    LEAD_DELAY_MAX = 3,     // the most input delay that a game may ask for [ticks]
    LEAD_MARGINS_MAX = 640, // margins kept: somewhat more than 10 s at 60 a second; more drop the
                            // oldest
    LEAD_ARRIVALS = 8,      // time spans of LEAD_ARRIVAL_S, each with its earliest arrival
    LEAD_HISTORY = 64       // moments whose lead is kept, LEAD_HISTORY_S apart
};
#define LEAD_MARGIN_S    10.0  // margins are kept this long [s]
#define LEAD_ARRIVAL_S   0.25  // [s]
#define LEAD_HISTORY_S   0.016 // [s]
#define LEAD_PREDICTED_S 0.5   // lead beyond this becomes input delay [s]
#define LEAD_MAX_S       5.0   // largest lead, whatever the server reports [s]
#define LEAD_PAUSE_S     0.25  // after a longer pause between frames the clock jumps [s]
#define LEAD_RATE        0.1   // largest relative change of the clock's speed

typedef struct lead_margin {
    double when; // [s]
    double lead; // the lead with which the batch would have arrived just in time [ticks]
} lead_margin;

typedef struct lead_clock {
    double hz;
    double now;      // time of the last advance [s]
    double position; // the predicted tick, with its fraction
    bool running;    // an arrival and an advance have happened
    double rate;     // speed of the clock; 1: that of the server
    double rtt;      // [s]
    double slack;    // [ticks]
    double margin;   // the last margin that the server reported [s]
    bool has_margin;
    uint32_t delay_wanted; // input delay that the game asks for [ticks]
    struct {
        double from;   // [s]
        double offset; // the largest of tick - hz x time
        bool used;
    } arrivals[LEAD_ARRIVALS];
    struct {
        double when, lead;
    } history[LEAD_HISTORY];
    uint32_t history_count; // ever
    lead_margin margins[LEAD_MARGINS_MAX];
    uint32_t margin_count; // ever
    double looked;         // when the percentile was last computed [s]
} lead_clock;

void lead_clock_init(lead_clock *c, double hz);
// Records that the state of `tick` has arrived.
void lead_clock_arrival(lead_clock *c, double now, uint64_t tick);
void lead_clock_rtt(lead_clock *c, double seconds);
// Records the server's report: the smallest margin of this client's batches since its last report
// [s].
void lead_clock_margin(lead_clock *c, double now, double seconds);
// Whether any state has arrived.
bool lead_clock_has_seen(const lead_clock *c);
// Begins a frame. Returns whether the position jumped.
bool lead_clock_advance(lead_clock *c, double now);
// The tick of the latest state that can have arrived by now, with its fraction.
double lead_clock_seen(const lead_clock *c, double now);
// How far the predicted tick is ahead of lead_clock_seen() once the clock has settled [ticks].
double lead_clock_ahead(const lead_clock *c);
// The number of ticks between the tick that the client steps and the tick that a command made then
// names.
uint32_t lead_clock_delay(const lead_clock *c);

#endif
