// The rig of test_served_world; see served_rig.h.
#include "tests/unit/server/served_rig.h"

#include <math.h>

int64_t now_ns;
int64_t cost_ns;

static int64_t fake_clock(void)
{
    now_ns += cost_ns;
    return now_ns;
}

// The thread always has a processor.
static int64_t fake_processor(void)
{
    return now_ns;
}

served_world_clocks served_rig_clocks(void)
{
    return (served_world_clocks){fake_clock, fake_processor};
}

fixture the;

void create(double hz, bool paused)
{
    world_def def = world_def_default();
    adoption *from = calloc(1, sizeof *from);
    assert_non_null(from);
    from->paused = paused;
    def.hz = hz;
    assert_int_equal(world_create(&def, &from->physics, NULL), STATUS_OK);
    the.world = served_world_create(EPOCH, "w", from, &the.limits, mailbox_sink(&the.box),
                                    served_rig_clocks());
}

int set_up(void **state)
{
    (void)state;
    now_ns = 1000 * MS;
    cost_ns = 0;
    the = (fixture){.limits = limits_default(), .next_id = 1, .next_subscription = 1};
    return 0;
}

int tear_down(void **state)
{
    (void)state;
    if (the.world != NULL) {
        served_world_destroy(the.world, STATUS_NOT_FOUND, "the test is over");
    }
    mailbox_deinit(&the.box);
    return 0;
}

uint32_t call(method m, const char *json)
{
    const uint32_t id = the.next_id++;
    request *r = world_call(EPOCH, id, m, json);
    r->received_ns = now_ns;
    if (m == METHOD_WORLD_SUBSCRIBE) {
        r->subscription = the.next_subscription++;
    }
    served_world_deliver(the.world, r);
    return id;
}

uint64_t result_tick(void)
{
    return obj_get_uint(mailbox_result(&the.box), "tick");
}

const char *refusal(status expected)
{
    const reply *r = mailbox_take(&the.box, REPLY_RESULT);
    assert_int_equal(r->status, expected);
    return r->text;
}

void advance(int64_t ns)
{
    now_ns += ns;
    served_world_run(the.world);
}

void run_round(void)
{
    served_world_run(the.world);
    if (served_world_steps(the.world)) {
        const turn t = turn_begin(fake_clock, 5 * MS);
        served_world_step(the.world, &t);
    }
}

void acknowledge(uint64_t number)
{
    request *r = request_create(REQUEST_ACKNOWLEDGE, EPOCH);
    r->acknowledged = malloc(sizeof number);
    *r->acknowledged = number;
    r->acknowledged_count = 1;
    served_world_deliver(the.world, r);
}

uint32_t call_as(uint32_t slot, method m, const char *json)
{
    uint32_t id = call(m, json);
    inbox_lane *mine = &the.world->inbox.lanes.data[1];
    request *q = mine->last; // moved to the lane of another session
    if (mine->first == q) {
        assert_ptr_equal(inbox_take(&the.world->inbox), q);
        inbox_charge(&the.world->inbox, 0);
    } else {
        request *before = mine->first;
        while (before->node.next != &q->node) {
            before = (request *)before->node.next;
        }
        before->node.next = NULL;
        mine->last = before;
        the.world->inbox.count--;
    }
    q->reply_to.subject = slot + 1;
    q->reply_to.session = (session_key){.slot = slot, .number = slot + 1};
    inbox_push(&the.world->inbox, q);
    return id;
}
