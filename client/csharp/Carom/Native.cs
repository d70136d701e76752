// Generated from client/include/carom by proto/generate/csharp_native.py: do not edit.
//
// The C interface of libcarom and libcarom-replica for P/Invoke. Names are those of C; the headers have the documentation.
// A pointer to an object of the library, and one to a function, is an IntPtr; bool is a byte, an enum an int.

using System;
using System.Runtime.InteropServices;

namespace Carom
{
#pragma warning disable 1591, 169, 649
    internal static class Constants
    {
        internal const int CAROM_ERROR_TEXT_MAX = 256;
        internal const int CAROM_OK = 0;
        internal const int CAROM_INVALID_ARGUMENT = 1;
        internal const int CAROM_NOT_FOUND = 2;
        internal const int CAROM_ALREADY_EXISTS = 3;
        internal const int CAROM_PERMISSION_DENIED = 4;
        internal const int CAROM_UNAUTHENTICATED = 5;
        internal const int CAROM_LIMIT_EXCEEDED = 6;
        internal const int CAROM_UNAVAILABLE = 7;
        internal const int CAROM_UNKNOWN_METHOD = 8;
        internal const int CAROM_MOVED = 9;
        internal const int CAROM_INTERNAL = 10;
        internal const int CAROM_OUT_OF_MEMORY = 11;
        internal const int CAROM_STATUS_COUNT = 12;
        internal const int CAROM_APPLIED_UNKNOWN = 0;
        internal const int CAROM_APPLIED_YES = 1;
        internal const int CAROM_APPLIED_NO = 2;
        internal const int CAROM_VALUE_DEPTH_MAX = 32;
        internal const int CAROM_NIL = 0;
        internal const int CAROM_BOOL = 1;
        internal const int CAROM_INT = 2;
        internal const int CAROM_UINT = 3;
        internal const int CAROM_REAL = 4;
        internal const int CAROM_STR = 5;
        internal const int CAROM_BIN = 6;
        internal const int CAROM_ARRAY = 7;
        internal const int CAROM_MAP = 8;
        internal const int CAROM_CIRCLE = 0;
        internal const int CAROM_BOX = 1;
        internal const int CAROM_POLYGON = 2;
        internal const int CAROM_CAPSULE = 3;
        internal const int CAROM_SEGMENT = 4;
        internal const int CAROM_CHAIN = 5;
        internal const int CAROM_EVENTS_NONE = 0;
        internal const int CAROM_EVENTS_CONTACT = 1;
        internal const int CAROM_EVENTS_HIT = 2;
        internal const int CAROM_EVENTS_SENSOR = 4;
        internal const int CAROM_EVENTS_DEFAULT = 5;
        internal const int CAROM_DYNAMIC = 0;
        internal const int CAROM_STATIC = 1;
        internal const int CAROM_KINEMATIC = 2;
        internal const int CAROM_REVOLUTE = 0;
        internal const int CAROM_PRISMATIC = 1;
        internal const int CAROM_DISTANCE = 2;
        internal const int CAROM_WELD = 3;
        internal const int CAROM_WHEEL = 4;
        internal const int CAROM_MOTOR = 5;
        internal const int CAROM_MOUSE = 6;
        internal const int CAROM_FILTER = 7;
        internal const int CAROM_GEAR = 8;
        internal const int CAROM_PULLEY = 9;
        internal const int CAROM_JOINT_OTHER = 10;
        internal const int CAROM_DATA_KEY_MAX = 128;
        internal const int CAROM_EVENT_BEGIN = 0;
        internal const int CAROM_EVENT_STAY = 1;
        internal const int CAROM_EVENT_END = 2;
        internal const int CAROM_EVENT_HIT = 3;
        internal const int CAROM_EVENT_SENSOR_BEGIN = 4;
        internal const int CAROM_EVENT_SENSOR_END = 5;
        internal const int CAROM_EVENT_SLEEP = 6;
        internal const int CAROM_EVENT_WAKE = 7;
        internal const int CAROM_EVENT_SPAWN = 8;
        internal const int CAROM_EVENT_REMOVE = 9;
        internal const int CAROM_EVENT_JOINT_BREAK = 10;
        internal const int CAROM_EVENT_FREEZE = 11;
        internal const int CAROM_EVENT_MESSAGE = 12;
        internal const int CAROM_EVENT_JOIN = 13;
        internal const int CAROM_EVENT_LEAVE = 14;
        internal const int CAROM_EVENT_OTHER = 15;
        internal const int CAROM_CONTACT_POINTS_MAX = 8;
        internal const int CAROM_PORT_DEFAULT = 22766;
        internal const int CAROM_OUTPUT_BYTES_MAX = 4194304;
        internal const int CAROM_MESSAGE_BYTES_MAX = 134217728;
        internal const int CAROM_REQUESTS_MAX = 4096;
        internal const int CAROM_NO_REPLY = 0;
        internal const int CAROM_POLL_BYTES_MAX = 4194304;
        internal const int CAROM_CONNECTING = 0;
        internal const int CAROM_OPEN = 1;
        internal const int CAROM_CLOSED = 2;
        internal const int CAROM_RECONNECTING = 3;
        internal const int CAROM_VIEW_HISTORY_MAX = 64;
        internal const int CAROM_VIEW_DELAYED_HISTORY = 15;
        internal const int CAROM_VIEW_EVENTS_MAX = 4096;
        internal const int CAROM_GONE_REMOVED = 0;
        internal const int CAROM_GONE_LEFT = 1;
        internal const int CAROM_GONE_UNSEEN = 2;
        internal const int CAROM_INTERPOLATION_NONE = 0;
        internal const int CAROM_INTERPOLATION_DELAYED = 1;
        internal const int CAROM_INTERPOLATION_PREDICTIVE = 2;
        internal const int CAROM_DEPARTED_MAX = 16384;
        internal const int CAROM_EPOCHS_MAX = 64;
        internal const int CAROM_REPLICA_EVENTS_MAX = 4096;
        internal const int CAROM_FATE_PREDICTED = 0;
        internal const int CAROM_FATE_CONFIRMED = 1;
        internal const int CAROM_FATE_TAKEN_BACK = 2;
        internal const int CAROM_LOCAL_TICKS_MAX = 1000000;
        internal const int CAROM_LOCAL_EVENTS_MAX = 65536;
        internal const int CAROM_MANY_WORLDS_MAX = 65536;
        internal const int CAROM_MANY_BODIES_MAX = 4096;
        internal const int CAROM_MANY_DRIVES_MAX = 1024;
        internal const int CAROM_MANY_ROWS_MAX = 16777216;
        internal const int CAROM_DRIVE_FORCE = 0;
        internal const int CAROM_DRIVE_TORQUE = 1;
        internal const int CAROM_DRIVE_IMPULSE = 2;
        internal const int CAROM_DRIVE_ANGULAR_IMPULSE = 3;
        internal const int CAROM_DRIVE_VELOCITY = 4;
        internal const int CAROM_DRIVE_SPIN = 5;
        internal const int CAROM_DRIVE_MOTOR = 6;
        internal const int CAROM_DRIVE_KIND_COUNT = 7;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_error
    {
        public int status;
        public int applied;
        public byte from_server;
        public fixed byte text[256];
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_vec2
    {
        public double x;
        public double y;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_shape
    {
        public byte exact;
        public int kind;
        public double radius;
        public carom_vec2 size;
        public carom_vec2 center;
        public double angle;
        public carom_vec2 a;
        public carom_vec2 b;
        public carom_vec2* vertices;
        public UIntPtr vertex_count;
        public byte loop;
        public double density;
        public double friction;
        public double restitution;
        public double rolling_resistance;
        public double tangent_speed;
        public byte sensor;
        public byte has_filter;
        public ulong category;
        public ulong mask;
        public int group;
        public uint events;
        public carom_vec2 one_way;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_body
    {
        public ulong id;
        public double x;
        public double y;
        public double angle;
        public double vx;
        public double vy;
        public double w;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_shape_info
    {
        public ulong id;
        public carom_shape shape;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_body_info
    {
        public carom_body body;
        public int type;
        public byte* tag;
        public byte* owner;
        public carom_vec2 center;
        public double mass;
        public double inertia;
        public double linear_damping;
        public double angular_damping;
        public double gravity_scale;
        public byte fixed_rotation;
        public byte bullet;
        public byte allow_sleep;
        public byte enabled;
        public byte awake;
        public byte frozen;
        public carom_shape_info* shapes;
        public UIntPtr shape_count;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_joint_settings
    {
        public byte exact;
        public int kind;
        public ulong a;
        public ulong b;
        public ulong joint_a;
        public ulong joint_b;
        public byte collide_connected;
        public carom_vec2 anchor;
        public carom_vec2 anchor_a;
        public carom_vec2 anchor_b;
        public carom_vec2 axis;
        public carom_vec2 ground_a;
        public carom_vec2 ground_b;
        public double reference_angle;
        public double ratio;
        public double length;
        public double lower;
        public double upper;
        public double motor_speed;
        public double max_force;
        public double max_torque;
        public double hertz;
        public double damping_ratio;
        public double angular_hertz;
        public double angular_damping_ratio;
        public carom_vec2 target;
        public double target_angle;
        public double target_translation;
        public carom_vec2 velocity;
        public double break_force;
        public double break_torque;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_joint_info
    {
        public ulong id;
        public carom_joint_settings settings;
        public carom_vec2 points0, points1;
        public double angle;
        public double translation;
        public double length;
        public double speed;
        public carom_vec2 force;
        public double torque;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_event
    {
        public int kind;
        public byte* name;
        public ulong tick;
        public ulong a;
        public ulong b;
        public ulong shape_a;
        public ulong shape_b;
        public ulong joint;
        public carom_vec2 point;
        public carom_vec2 normal;
        public double depth;
        public double speed;
        public double impulse;
        public byte* message;
        public IntPtr data;
        public UIntPtr data_size;
        public ulong session;
        public byte* subject;
        public ulong seat;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_contact
    {
        public ulong a;
        public ulong b;
        public ulong shape_a;
        public ulong shape_b;
        public carom_vec2 normal;
        public int count;
        public carom_vec2 points0, points1, points2, points3, points4, points5, points6, points7;
        public carom_vec2 normals0, normals1, normals2, normals3, normals4, normals5, normals6, normals7;
        public fixed double depth[8];
        public fixed double impulse[8];
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_datum
    {
        public fixed byte key[129];
        public IntPtr encoded;
        public UIntPtr encoded_size;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_snapshot
    {
        public ulong subscription;
        public byte* world;
        public ulong epoch;
        public ulong tick;
        public double time;
        public byte full;
        public byte packed;
        public byte log;
        public ulong from;
        public byte has_hash;
        public fixed byte hash[8];
        public ulong last;
        public ulong skipped;
        public ulong events_lost;
        public byte has_margin;
        public double margin;
        public carom_body* bodies;
        public UIntPtr body_count;
        public ulong* removed;
        public UIntPtr removed_count;
        public ulong* enter;
        public UIntPtr enter_count;
        public ulong* leave;
        public UIntPtr leave_count;
        public ulong left_out;
        public ulong oldest;
        public ulong unfollowed;
        public carom_event* events;
        public UIntPtr event_count;
        public carom_contact* contacts;
        public UIntPtr contact_count;
        public byte has_contacts;
        public carom_body_info** spawned;
        public UIntPtr spawned_count;
        public carom_joint_info* joints;
        public UIntPtr joint_count;
        public ulong* joints_removed;
        public UIntPtr joints_removed_count;
        public byte describing;
        public byte has_view;
        public fixed double view[4];
        public byte has_data;
        public carom_datum* data;
        public UIntPtr data_count;
        public IntPtr encoded;
        public UIntPtr encoded_size;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_handlers
    {
        public IntPtr user;
        public IntPtr snapshot;
        public IntPtr @event;
        public IntPtr notification;
        public IntPtr lost;
        public IntPtr resumed;
        public IntPtr closed;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_reconnect
    {
        public byte on;
        public int first_ms;
        public int max_ms;
        public int give_up_ms;
        public int silence_ms;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_tls
    {
        public byte on;
        public byte* ca_file;
        public byte* name;
        public byte unverified;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_follow
    {
        public byte off;
        public byte plain;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_options
    {
        public byte exact;
        public byte* name;
        public byte* token;
        public byte* resume;
        public byte hello;
        public UIntPtr output_bytes_max;
        public UIntPtr message_bytes_max;
        public uint requests_max;
        public carom_reconnect reconnect;
        public byte keep_session;
        public carom_handlers handlers;
        public carom_tls tls;
        public carom_follow follow;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_traffic
    {
        public ulong bytes_in;
        public ulong bytes_out;
        public ulong messages_in;
        public ulong messages_out;
        public ulong snapshots;
        public ulong events;
        public ulong late;
        public ulong reconnects;
        public UIntPtr output_bytes;
        public uint requests;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_view_options
    {
        public byte exact;
        public uint history;
        public UIntPtr events_max;
        public IntPtr user;
        public IntPtr added;
        public IntPtr described;
        public IntPtr gone;
        public int interpolation;
        public double extra_delay_s;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_view_state
    {
        public byte ready;
        public byte ended;
        public byte* world;
        public ulong epoch;
        public ulong tick;
        public double time;
        public double time_oldest;
        public byte has_hash;
        public fixed byte hash[8];
        public ulong last;
        public ulong unfollowed;
        public ulong left_out;
        public ulong oldest;
        public ulong snapshots;
        public ulong stale;
        public ulong gaps;
        public ulong skipped;
        public ulong events_lost;
        public ulong events_dropped;
        public UIntPtr bodies;
        public UIntPtr events;
        public UIntPtr joints;
        public byte describing;
        public byte has_area;
        public fixed double area[4];
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_subscribe_options
    {
        public byte exact;
        public double rate;
        public byte* encoding;
        public fixed double precision[3];
        public byte bodies;
        public byte contacts;
        public byte describe;
        public byte has_area;
        public fixed double area[4];
        public ulong follow;
        public double margin;
        public double budget;
        public byte** events;
        public UIntPtr event_count;
        public byte** data;
        public UIntPtr data_count;
        public uint compact;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_drawn
    {
        public ulong id;
        public double x;
        public double y;
        public double angle;
        public double vx;
        public double vy;
        public double w;
        public carom_body_info* info;
        public IntPtr data;
        public byte gone;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_view_playback
    {
        public double shown;
        public double delay;
        public UIntPtr gone;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_clock_state
    {
        public byte synchronised;
        public double rtt;
        public double last_rtt;
        public double jitter;
        public double rate;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_replica_state
    {
        public byte ready;
        public byte* world;
        public ulong epoch;
        public ulong tick;
        public double time;
        public double hz;
        public byte paused;
        public ulong hash;
        public UIntPtr bodies;
        public UIntPtr awake;
        public UIntPtr shapes;
        public UIntPtr joints;
        public UIntPtr contacts;
        public ulong commands;
        public ulong verified;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_replica_snapshot_options
    {
        public byte full;
        public byte describe;
        public byte contacts;
        public uint events;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_difference
    {
        public byte differs;
        public ulong body;
        public byte* member;
        public fixed byte text[160];
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_recording_info
    {
        public int engine;
        public byte* world;
        public ulong epoch;
        public double hz;
        public ulong begun;
        public byte ended;
        public ulong records;
        public ulong from;
        public ulong tick;
        public byte has_image;
        public byte has_hash;
        public ulong hash;
        public ulong commands;
        public ulong bytes;
        public ulong size;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_prediction_options
    {
        public IntPtr input;
        public IntPtr @event;
        public IntPtr send;
        public IntPtr user;
        public uint events;
        public uint input_delay;
        public double budget_ms;
        public double smoothing_s;
        public byte check;
        public ulong session;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_prediction_pose
    {
        public ulong id;
        public double x;
        public double y;
        public double angle;
        public double vx;
        public double vy;
        public double w;
        public byte awake;
        public byte approximate;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_prediction_figures
    {
        public double right;
        public double rollbacks;
        public double depth;
        public double error;
        public double error_others;
        public double lead;
        public double slack;
        public double rtt;
        public double margin;
        public double rate;
        public uint delay;
        public uint waiting;
        public ulong ticks;
        public ulong ticks_right;
        public ulong rollback_count;
        public ulong sent;
        public ulong confirmed;
        public ulong late;
        public ulong lost;
        public ulong refused;
        public ulong failed;
        public ulong approximate;
        public ulong check_failures;
        public ulong check_failed_at;
        public ulong events_lost;
        public double step_ms;
        public double copy_ms;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_local_state
    {
        public ulong tick;
        public double time;
        public double hz;
        public ulong hash;
        public UIntPtr bodies;
        public UIntPtr awake;
        public UIntPtr shapes;
        public UIntPtr joints;
        public UIntPtr contacts;
        public ulong events_lost;
    }

    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct carom_drive
    {
        public int kind;
        public ulong id;
        public carom_vec2 axis;
        public double least;
        public double most;
    }

    internal static unsafe class Native
    {
        internal const string Client = "carom";
        internal const string Replica = "carom-replica";

        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern byte* carom_status_name(int status);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_status_from_name(byte* name);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern byte* carom_version();
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_nil();
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_bool(byte value);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_int(long value);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_uint(ulong value);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_real(double value);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_str(byte* text);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_strn(byte* text, UIntPtr size);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_bin(IntPtr data, UIntPtr size);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_array();
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_map();
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_vec(double x, double y);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_push(IntPtr array, IntPtr child);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_set(IntPtr map, byte* key, IntPtr child);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_setn(IntPtr map, byte* key, UIntPtr key_size, IntPtr child);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_value_take(IntPtr map, byte* key);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_value_clone(IntPtr value);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void carom_value_free(IntPtr value);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern byte carom_value_ok(IntPtr value);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_value_type(IntPtr value);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern byte carom_value_equal(IntPtr a, IntPtr b);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern UIntPtr carom_value_count(IntPtr value);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_value_at(IntPtr value, UIntPtr index);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern byte* carom_value_key(IntPtr map, UIntPtr index, UIntPtr* size);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_value_get(IntPtr map, byte* key);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_value_path(IntPtr value, byte* path);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern byte carom_as_bool(IntPtr value, byte fallback);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern long carom_as_int(IntPtr value, long fallback);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern ulong carom_as_uint(IntPtr value, ulong fallback);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern double carom_as_real(IntPtr value, double fallback);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern byte* carom_as_str(IntPtr value, byte* fallback);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_as_bytes(IntPtr value, UIntPtr* size);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern carom_vec2 carom_as_vec(IntPtr value, carom_vec2 fallback);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern byte carom_get_bool(IntPtr value, byte* path, byte fallback);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern long carom_get_int(IntPtr value, byte* path, long fallback);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern ulong carom_get_uint(IntPtr value, byte* path, ulong fallback);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern double carom_get_real(IntPtr value, byte* path, double fallback);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern byte* carom_get_str(IntPtr value, byte* path, byte* fallback);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern carom_vec2 carom_get_vec(IntPtr value, byte* path, carom_vec2 fallback);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern carom_shape carom_shape_circle(double radius);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern carom_shape carom_shape_box(double width, double height);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern carom_shape carom_shape_capsule(carom_vec2 a, carom_vec2 b, double radius);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern carom_shape carom_shape_segment(carom_vec2 a, carom_vec2 b);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern carom_shape carom_shape_polygon(carom_vec2* vertices, UIntPtr count);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern carom_shape carom_shape_chain(carom_vec2* vertices, UIntPtr count, byte loop);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_shape_value(carom_shape* shape);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern carom_joint_settings carom_joint_settings_default(int kind, ulong a, ulong b);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern byte* carom_joint_kind_name(int kind);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern byte* carom_body_type_name(int type);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_event_data(carom_event* @event);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern byte* carom_event_kind_name(int kind);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_snapshot_value(carom_snapshot* snapshot);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern carom_options carom_options_default();
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_connect(byte* host, ushort port, int timeout_ms, carom_options* options, IntPtr* @out, carom_error* error);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_connect_start(byte* host, ushort port, int timeout_ms, carom_options* options, IntPtr* @out, carom_error* error);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_connect_fd(int fd, int timeout_ms, carom_options* options, IntPtr* @out, carom_error* error);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_address_parse(byte* text, byte* host, UIntPtr host_size, ushort* port, carom_error* error);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_url_parse(byte* text, byte* host, UIntPtr host_size, ushort* port, byte* tls, carom_error* error);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void carom_close(IntPtr client);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void carom_free(IntPtr client);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_ref(IntPtr client);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void carom_unref(IntPtr client);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_client_state(IntPtr client);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_close_reason(IntPtr client, byte** reason);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void carom_set_handlers(IntPtr client, carom_handlers* handlers);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_user(IntPtr client);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_hello(IntPtr client);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_hello_of(IntPtr client, byte* world);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_set_token(IntPtr client, byte* token, int timeout_ms, carom_error* error);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_call(IntPtr client, byte* method, IntPtr args, int timeout_ms, IntPtr* result, carom_error* error);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_send(IntPtr client, byte* method, IntPtr args, carom_error* error);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_request(IntPtr client, byte* method, IntPtr args, int timeout_ms, IntPtr fn, IntPtr user, ulong* request, carom_error* error);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern byte carom_take(IntPtr client, ulong request, int* status, IntPtr* result, carom_error* error);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void carom_cancel(IntPtr client, ulong request);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_poll(IntPtr client, int timeout_ms, carom_error* error);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_flush(IntPtr client, int timeout_ms, carom_error* error);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void carom_hold(IntPtr client, byte hold);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_fd(IntPtr client);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern byte carom_wants_write(IntPtr client);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_timeout_ms(IntPtr client);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern carom_traffic carom_client_traffic(IntPtr client);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern carom_view_options carom_view_options_default();
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_view_create(carom_view_options* options);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void carom_view_free(IntPtr view);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_view_apply(IntPtr view, carom_snapshot* snapshot, carom_error* error);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_view_feed(IntPtr view, IntPtr encoded, UIntPtr size, carom_snapshot* @out, carom_error* error);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void carom_view_reset(IntPtr view);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern carom_view_state carom_view_get_state(IntPtr view);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern UIntPtr carom_view_count(IntPtr view);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern carom_body* carom_view_body(IntPtr view, UIntPtr index);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern carom_body* carom_view_find(IntPtr view, ulong id);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern byte carom_view_index(IntPtr view, ulong id, UIntPtr* index);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern carom_body_info* carom_view_info(IntPtr view, UIntPtr index);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern byte carom_view_awake(IntPtr view, UIntPtr index);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern UIntPtr carom_view_joint_count(IntPtr view);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern carom_joint_info* carom_view_joint(IntPtr view, UIntPtr index);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern carom_joint_info* carom_view_find_joint(IntPtr view, ulong id);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_view_data(IntPtr view, ulong id);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern byte carom_view_set_data(IntPtr view, ulong id, IntPtr data);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern byte carom_view_at_time(IntPtr view, UIntPtr index, double time, carom_body* @out);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern carom_contact* carom_view_contacts(IntPtr view, UIntPtr* count);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern UIntPtr carom_view_datum_count(IntPtr view);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern carom_datum* carom_view_datum(IntPtr view, UIntPtr index);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern carom_datum* carom_view_find_datum(IntPtr view, byte* key);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_datum_value(carom_datum* datum);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern byte carom_view_next_event(IntPtr view, carom_event* @event);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern carom_subscribe_options carom_subscribe_options_default();
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern uint carom_compact(IntPtr client);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_subscribe_args(byte* world, carom_subscribe_options* options);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_subscribe(IntPtr client, byte* world, carom_subscribe_options* options, int timeout_ms, ulong* subscription, carom_error* error);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_watch(IntPtr client, byte* world, carom_subscribe_options* options, IntPtr view, int timeout_ms, ulong* subscription, carom_error* error);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_unsubscribe(IntPtr client, ulong subscription, int timeout_ms, carom_error* error);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_subscription_area(IntPtr client, ulong subscription, double* area, int timeout_ms, carom_error* error);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_subscription_follow(IntPtr client, ulong subscription, ulong body, double* area, int timeout_ms, carom_error* error);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_view_attach(IntPtr view, IntPtr client, ulong subscription, carom_error* error);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void carom_view_detach(IntPtr view);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern ulong carom_view_subscription(IntPtr view);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_view_apply_at(IntPtr view, carom_snapshot* snapshot, double now, carom_error* error);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void carom_view_set_rtt(IntPtr view, double seconds);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern double carom_view_advance(IntPtr view, double now);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern UIntPtr carom_view_drawn(IntPtr view, carom_drawn* @out, UIntPtr max);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern byte carom_view_pose(IntPtr view, UIntPtr index, carom_body* @out);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern carom_view_playback carom_view_get_playback(IntPtr view);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern double carom_now();
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_clock_create();
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void carom_clock_free(IntPtr clock);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void carom_clock_ping(IntPtr clock, IntPtr client);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void carom_clock_add(IntPtr clock, double sent, double now, double seconds);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void carom_clock_reset(IntPtr clock);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern double carom_clock_at(IntPtr clock, double now);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern carom_clock_state carom_clock_get_state(IntPtr clock);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern ulong carom_known_epoch(IntPtr client, byte* world);
        [DllImport(Client, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_pin_epoch(IntPtr client, byte* world, ulong epoch, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_replica_create();
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void carom_replica_free(IntPtr replica);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_replica_engine();
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_replica_feed(IntPtr replica, IntPtr encoded, UIntPtr size, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_replica_feed_to(IntPtr replica, IntPtr encoded, UIntPtr size, ulong tick, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void carom_replica_verify(IntPtr replica, byte on);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_replica_load(IntPtr replica, IntPtr image, UIntPtr size, byte* world, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_replica_save(IntPtr replica, IntPtr* bytes, UIntPtr* size, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void carom_replica_free_bytes(IntPtr bytes);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern carom_replica_state carom_replica_now(IntPtr replica);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern UIntPtr carom_replica_bodies(IntPtr replica, carom_body* @out, UIntPtr max);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_replica_call(IntPtr replica, byte* method, IntPtr args, IntPtr* result, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void carom_replica_on_event(IntPtr replica, uint kinds, IntPtr call, IntPtr user);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_replica_snapshot(IntPtr replica, carom_replica_snapshot_options* options, IntPtr* encoded, UIntPtr* size, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_replica_compare(IntPtr a, IntPtr b, carom_difference* @out, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_recorder_create(byte* path, IntPtr* @out, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_recorder_feed(IntPtr recorder, IntPtr encoded, UIntPtr size, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_recorder_keyframe(IntPtr recorder, IntPtr replica, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_recorder_finish(IntPtr recorder, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_recording_open(byte* path, IntPtr* @out, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_recording_next(IntPtr recording, IntPtr* record, UIntPtr* size, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_recording_image(IntPtr recording, UIntPtr* size);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern carom_recording_info carom_recording_about(IntPtr recording);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void carom_recording_close(IntPtr recording);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern carom_prediction_options carom_prediction_options_default();
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_prediction_create(IntPtr client, IntPtr replica, carom_prediction_options* options, IntPtr* @out, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void carom_prediction_free(IntPtr prediction);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern byte carom_prediction_active(IntPtr prediction, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_prediction_feed(IntPtr prediction, carom_snapshot* snapshot, double now, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void carom_prediction_rtt(IntPtr prediction, double seconds);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void carom_prediction_margin(IntPtr prediction, double now, double seconds);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void carom_prediction_refused(IntPtr prediction, ulong at);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_prediction_frame(IntPtr prediction, double now, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_prediction_command(IntPtr prediction, byte* method, IntPtr args, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern ulong carom_prediction_tick(IntPtr prediction);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern UIntPtr carom_prediction_poses(IntPtr prediction, carom_prediction_pose* @out, UIntPtr max);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_prediction_snapshot(IntPtr prediction, carom_replica_snapshot_options* options, IntPtr* encoded, UIntPtr* size, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_prediction_call(IntPtr prediction, byte* method, IntPtr args, IntPtr* result, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern ulong carom_prediction_made(IntPtr prediction, ulong at, UIntPtr index, byte* confirmed);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void carom_prediction_own(IntPtr prediction, ulong body);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_prediction_predict(IntPtr prediction, ulong body, byte predicted, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern carom_prediction_figures carom_prediction_figures_now(IntPtr prediction);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_local_create(IntPtr settings, IntPtr* @out, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_local_restore(IntPtr image, UIntPtr size, IntPtr* @out, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_local_fork(IntPtr from, IntPtr* @out, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_local_copy(IntPtr to, IntPtr from, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void carom_local_free(IntPtr world);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_local_save(IntPtr world, IntPtr* bytes, UIntPtr* size, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_local_call(IntPtr world, byte* method, IntPtr args, IntPtr* result, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_local_step(IntPtr world, ulong ticks, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern carom_local_state carom_local_now(IntPtr world);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern UIntPtr carom_local_bodies(IntPtr world, carom_body* @out, UIntPtr max);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void carom_local_want_events(IntPtr world, uint kinds);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern UIntPtr carom_local_events(IntPtr world, carom_event* @out, UIntPtr max);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_many_create(IntPtr start, UIntPtr count, ulong* bodies, UIntPtr body_count, carom_drive* drives, UIntPtr drive_count, IntPtr* @out, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void carom_many_free(IntPtr many);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_many_step(IntPtr many, UIntPtr first, UIntPtr count, double* actions, ulong ticks, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_many_reset(IntPtr many, UIntPtr first, UIntPtr count, byte* which, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_many_place(IntPtr many, UIntPtr first, UIntPtr count, byte* which, carom_error* error);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern carom_body* carom_many_bodies(IntPtr many);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern UIntPtr carom_many_count(IntPtr many);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr carom_many_world(IntPtr many, UIntPtr index);
        [DllImport(Replica, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int carom_many_refresh(IntPtr many, UIntPtr first, UIntPtr count, carom_error* error);

        internal static readonly Type[] Structs = { typeof(carom_error), typeof(carom_vec2), typeof(carom_shape), typeof(carom_body), typeof(carom_shape_info), typeof(carom_body_info), typeof(carom_joint_settings), typeof(carom_joint_info), typeof(carom_event), typeof(carom_contact), typeof(carom_datum), typeof(carom_snapshot), typeof(carom_handlers), typeof(carom_reconnect), typeof(carom_tls), typeof(carom_follow), typeof(carom_options), typeof(carom_traffic), typeof(carom_view_options), typeof(carom_view_state), typeof(carom_subscribe_options), typeof(carom_drawn), typeof(carom_view_playback), typeof(carom_clock_state), typeof(carom_replica_state), typeof(carom_replica_snapshot_options), typeof(carom_difference), typeof(carom_recording_info), typeof(carom_prediction_options), typeof(carom_prediction_pose), typeof(carom_prediction_figures), typeof(carom_local_state), typeof(carom_drive) };
    }
}
