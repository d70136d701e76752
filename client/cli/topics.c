// Subjects besides the commands: 'carom help TOPIC'. The texts are for a terminal of 100 columns;
// PROTOCOL.md has all of it. A test runs the examples. Constant data; any thread.
#include <string.h>

#include "client/cli/commands.h"

static const char joints[] =
    "Joints: the kinds and their arguments.\n"
    "\n"
    "  carom joint create WORLD KIND [[A] B] NAME=VALUE...    carom joint set WORLD JOINT "
    "NAME=VALUE...\n"
    "\n"
    "revolute   a hinge: anchor=X,Y; lower upper (rad), motor_speed max_torque, hertz "
    "damping_ratio\n"
    "           target_angle\n"
    "prismatic  b slides along axis=X,Y of a without turning: anchor; lower upper (m), "
    "motor_speed\n"
    "           max_force, hertz damping_ratio target_translation\n"
    "distance   a rod; a rope with upper= alone; a spring with hertz=; a winch with motor_speed=:\n"
    "           anchor_a anchor_b, length lower upper, motor_speed max_force, hertz damping_ratio\n"
    "weld       no relative motion; elastic with hertz= or angular_hertz=: anchor, damping_ratio\n"
    "           angular_damping_ratio\n"
    "wheel      a sprung axis=X,Y of a carries b, which turns freely: anchor, hertz "
    "damping_ratio,\n"
    "           lower upper (m), motor_speed max_torque\n"
    "motor      drives b to target=X,Y target_angle= as seen from a, or at velocity=X,Y\n"
    "           motor_speed=, with max_force and max_torque\n"
    "mouse      drags B (there is no A) to target=X,Y: anchor, hertz damping_ratio, max_force\n"
    "filter     only keeps a and b from colliding\n"
    "gear       couples turns or slides, ratio=: of A and B, or of joint_a= and joint_b=\n"
    "pulley     a rope from a over ground_a=X,Y and ground_b=X,Y to b: ratio length anchor_a "
    "anchor_b\n"
    "\n"
    "break_force= (all but filter) and break_torque= (not distance, mouse, filter, pulley): a "
    "joint\n"
    "breaks above them, with the event joint_break. collide_connected=true: all but mouse and "
    "filter.\n"
    "anchor= is a place in the world; anchor_a= and anchor_b= are points of the bodies. Setting a "
    "limit\n"
    "to 1000000 or -1000000 removes it.\n"
    "\n"
    "Example: a swing that is driven, until it is not.\n"
    "\n"
    "  carom create yard\n"
    "  carom spawn yard --box 1x1 --at 0,8 --type static\n"
    "  carom spawn yard --box 0.4x4 --at 0,6\n"
    "  carom joint create yard revolute 1 2 anchor=0,8 lower=-2 upper=2\n"
    "  carom joint set yard 1 motor_speed=1 max_torque=500\n"
    "  carom joint list yard\n"
    "  carom joint remove yard 1\n";

static const char json[] =
    "JSON: the form that --json prints and that NAME=VALUE, --shape and 'carom call' take.\n"
    "\n"
    "Every value of the protocol has a JSON form that reads back as the same value. Values that\n"
    "JSON lacks are objects with one key:\n"
    "\n"
    "  {\"$bin\": \"00ff\"}                    bytes, in hexadecimal\n"
    "  {\"$uint\": \"18446744073709551615\"}   an integer above 9223372036854775807\n"
    "  {\"$float\": \"nan\"}                   nan, inf or -inf\n"
    "\n"
    "A number with a point or an exponent goes out as a float, any other as an integer. A mask of "
    "all\n"
    "bits is -1.\n"
    "\n"
    "In the commands of world.apply {\"$\": i} stands for the id of what commands[i], an earlier "
    "one,\n"
    "has made:\n"
    "\n"
    "  carom call world.apply '{\"world\": \"yard\", \"commands\": [\n"
    "    [\"body.spawn\", {\"shapes\": [{\"kind\": \"circle\", \"radius\": 1}]}],\n"
    "    [\"body.spawn\", {\"position\": [3, 0], \"shapes\": [{\"kind\": \"circle\", \"radius\": "
    "1}]}],\n"
    "    [\"joint.create\", {\"kind\": \"distance\", \"a\": {\"$\": 0}, \"b\": {\"$\": 1}}]]}'\n"
    "\n"
    "Commands with --json print one value a line, so that jq and loops can read them. Errors go "
    "to\n"
    "standard error as {\"error\": {\"code\", \"text\", \"hints\"}}; code is a word of the "
    "protocol such\n"
    "as not_found, or usage (the command line) or file (a local file).\n"
    "\n"
    "  carom bodies yard --json | jq 'map(select(.awake)) | length'\n"
    "  carom events yard --json --kind hit | jq 'select(.speed > 10)'\n";

static const char scenes[] =
    "Scenes: JSON files that fill a world; 'carom apply FILE', and those that the server knows "
    "with\n"
    "'carom create WORLD --scene NAME'.\n"
    "\n"
    "  name, description   its name (and its world's, if apply names none), a sentence about it\n"
    "  world               settings as of world.create: gravity, hz, substeps, sleep, continuous,\n"
    "                      max_bodies, restitution_threshold, hit_threshold\n"
    "  view                [x0, y0, x1, y1], the area that 'carom watch' shows at first\n"
    "  seed                of random()\n"
    "  constants           {name: expression}, seen everywhere below\n"
    "  commands            entries, in their order:\n"
    "\n"
    "    [method, arguments]                   as in world.apply, without the world: body.spawn,\n"
    "                                          shape.add, joint.create, body.impulse ...\n"
    "    [method, arguments, {\"as\": \"name\"}]   the same; the name stands for its id from here "
    "on\n"
    "    {\"for\": {\"i\": [first, last, step]}, \"let\": {\"x\": expression}, \"if\": "
    "expression,\n"
    "     \"do\": [entries], \"else\": [entries]}   a block; each key but do may be left out. Both "
    "ends\n"
    "                                          of a loop count; step is 1 when left out; with "
    "several\n"
    "                                          variables the first is the slowest\n"
    "\n"
    "In for, let, if and constants a string is an expression. In arguments\n"
    "\n"
    "  \"=2 * pi * i / n\"   is one: + - * / % ( ) ! && || == != < <= > >= ?:, pi, sin cos sqrt "
    "floor\n"
    "                      ceil round abs min max atan2 random\n"
    "  \"ball {i + 1}\"      has {expression} replaced by its value, a whole number; {{ is a "
    "brace\n"
    "  \"$ball {i}\"         is the id that was given that name before; $$ is a dollar\n"
    "\n"
    "The commands go to the server in pieces of up to 1000. A world that apply creates is paused "
    "until\n"
    "all of them are applied, and destroyed again if one is refused.\n"
    "\n"
    "Example: a rope of eight links that hangs from a beam; 'carom apply rope.json', 'carom watch "
    "rope'.\n"
    "\n"
    "  {\"name\": \"rope\",\n"
    "   \"world\": {\"gravity\": [0, -10]},\n"
    "   \"constants\": {\"n\": 8, \"w\": 0.5},\n"
    "   \"commands\": [\n"
    "     [\"body.spawn\", {\"type\": \"static\", \"position\": [0, 6], \"shapes\": [\n"
    "       {\"kind\": \"box\", \"size\": [2, 0.5]}]}, {\"as\": \"link 0\"}],\n"
    "     {\"for\": {\"i\": [1, \"n\"]}, \"do\": [\n"
    "       [\"body.spawn\", {\"position\": [\"=(i - 0.5) * w\", 6], \"tag\": \"link {i}\", "
    "\"shapes\": [\n"
    "         {\"kind\": \"capsule\", \"a\": [\"=-w / 2\", 0], \"b\": [\"=w / 2\", 0], \"radius\": "
    "0.1}]},\n"
    "        {\"as\": \"link {i}\"}],\n"
    "       [\"joint.create\", {\"kind\": \"revolute\", \"a\": \"$link {i - 1}\", \"b\": \"$link "
    "{i}\",\n"
    "         \"anchor\": [\"=(i - 1) * w\", 6]}]]}]}\n";

static const char shapes[] =
    "Shapes: bodies are made of one or several, given in the body's own frame.\n"
    "\n"
    "  --circle R                 --shape '{\"kind\":\"circle\",\"radius\":R,\"center\":[X,Y]}'\n"
    "  --box WxH                  kind box: size, center, angle, radius (of the rounding)\n"
    "  --polygon \"X,Y X,Y X,Y\"    kind polygon: vertices, 3 to 8, convex; radius (of the "
    "rounding)\n"
    "  --capsule AX,AY,BX,BY,R    kind capsule: a, b, radius\n"
    "  --segment AX,AY,BX,BY      kind segment: a, b; a line without area, from both sides\n"
    "  --chain \"X,Y X,Y ...\"      kind chain: vertices; smooth ground that collides on its "
    "right\n"
    "                             side, so ground to stand on goes from right to left\n"
    "  --loop \"X,Y X,Y ...\"       the same, closed; counter-clockwise it is solid\n"
    "\n"
    "--rounding, --density, --friction, --restitution, --rolling-resistance, --tangent-speed, "
    "--sensor,\n"
    "--events, --category, --mask and --group hold for all shapes of the command; with --shape "
    "each "
    "has\n"
    "its own: radius, density, friction, restitution, rolling_resistance, tangent_speed, sensor, "
    "events,\n"
    "filter.\n"
    "\n"
    "Examples: a rounded die, a conveyor, a sensor, a dumb-bell, a ball that tells of hard hits.\n"
    "\n"
    "  carom create yard\n"
    "  carom spawn yard --box 1x1 --rounding 0.2 --at 0,3\n"
    "  carom spawn yard --box 20x1 --at 0,-0.5 --type static --tangent-speed 2\n"
    "  carom spawn yard --box 4x4 --at 8,2 --type static --sensor\n"
    "  carom spawn yard --capsule -1,0,1,0,0.1 \\\n"
    "    --shape '{\"kind\":\"circle\",\"radius\":0.4,\"center\":[-1,0]}' \\\n"
    "    --shape '{\"kind\":\"circle\",\"radius\":0.4,\"center\":[1,0]}' --at -4,4\n"
    "  carom spawn yard --circle 0.4 --at 4,9 --events contact,hit\n";

static const struct {
    const char *name, *summary, *text;
} topics[] = {
    {"joint-kinds", "the kinds of joints and their arguments", joints},
    {"json", "JSON in results, errors and arguments", json},
    {"scene-files", "the format of scene files", scenes},
    {"shapes", "the kinds of shapes and their options", shapes},
};

enum { TOPICS = sizeof topics / sizeof *topics };

const char *help_topic_name(size_t index)
{
    return index < TOPICS ? topics[index].name : NULL;
}

const char *help_topic_summary(size_t index)
{
    return index < TOPICS ? topics[index].summary : NULL;
}

const char *help_topic_text(const char *name)
{
    for (size_t i = 0; i < TOPICS; i++) {
        if (strcmp(topics[i].name, name) == 0) {
            return topics[i].text;
        }
    }
    return NULL;
}
