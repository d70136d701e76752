"""The C interface of libcarom and libcarom-replica for ctypes.

Generated from client/include/carom by proto/generate/python_native.py: do not edit.
Names are those of C; the headers have the documentation. A pointer to an object of the library is an int, or None.
"""

from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t,
                    c_uint, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p)

CAROM_ERROR_TEXT_MAX = 256
CAROM_OK = 0
CAROM_INVALID_ARGUMENT = 1
CAROM_NOT_FOUND = 2
CAROM_ALREADY_EXISTS = 3
CAROM_PERMISSION_DENIED = 4
CAROM_UNAUTHENTICATED = 5
CAROM_LIMIT_EXCEEDED = 6
CAROM_UNAVAILABLE = 7
CAROM_UNKNOWN_METHOD = 8
CAROM_MOVED = 9
CAROM_INTERNAL = 10
CAROM_OUT_OF_MEMORY = 11
CAROM_STATUS_COUNT = 12
CAROM_APPLIED_UNKNOWN = 0
CAROM_APPLIED_YES = 1
CAROM_APPLIED_NO = 2
CAROM_VALUE_DEPTH_MAX = 32
CAROM_NIL = 0
CAROM_BOOL = 1
CAROM_INT = 2
CAROM_UINT = 3
CAROM_REAL = 4
CAROM_STR = 5
CAROM_BIN = 6
CAROM_ARRAY = 7
CAROM_MAP = 8
CAROM_CIRCLE = 0
CAROM_BOX = 1
CAROM_POLYGON = 2
CAROM_CAPSULE = 3
CAROM_SEGMENT = 4
CAROM_CHAIN = 5
CAROM_EVENTS_NONE = 0
CAROM_EVENTS_CONTACT = 1
CAROM_EVENTS_HIT = 2
CAROM_EVENTS_SENSOR = 4
CAROM_EVENTS_DEFAULT = 5
CAROM_DYNAMIC = 0
CAROM_STATIC = 1
CAROM_KINEMATIC = 2
CAROM_REVOLUTE = 0
CAROM_PRISMATIC = 1
CAROM_DISTANCE = 2
CAROM_WELD = 3
CAROM_WHEEL = 4
CAROM_MOTOR = 5
CAROM_MOUSE = 6
CAROM_FILTER = 7
CAROM_GEAR = 8
CAROM_PULLEY = 9
CAROM_JOINT_OTHER = 10
CAROM_DATA_KEY_MAX = 128
CAROM_EVENT_BEGIN = 0
CAROM_EVENT_STAY = 1
CAROM_EVENT_END = 2
CAROM_EVENT_HIT = 3
CAROM_EVENT_SENSOR_BEGIN = 4
CAROM_EVENT_SENSOR_END = 5
CAROM_EVENT_SLEEP = 6
CAROM_EVENT_WAKE = 7
CAROM_EVENT_SPAWN = 8
CAROM_EVENT_REMOVE = 9
CAROM_EVENT_JOINT_BREAK = 10
CAROM_EVENT_FREEZE = 11
CAROM_EVENT_MESSAGE = 12
CAROM_EVENT_JOIN = 13
CAROM_EVENT_LEAVE = 14
CAROM_EVENT_OTHER = 15
CAROM_CONTACT_POINTS_MAX = 8
CAROM_PORT_DEFAULT = 22766
CAROM_OUTPUT_BYTES_MAX = 4194304
CAROM_MESSAGE_BYTES_MAX = 134217728
CAROM_REQUESTS_MAX = 4096
CAROM_NO_REPLY = 0
CAROM_POLL_BYTES_MAX = 4194304
CAROM_CONNECTING = 0
CAROM_OPEN = 1
CAROM_CLOSED = 2
CAROM_RECONNECTING = 3
CAROM_VIEW_HISTORY_MAX = 64
CAROM_VIEW_DELAYED_HISTORY = 15
CAROM_VIEW_EVENTS_MAX = 4096
CAROM_GONE_REMOVED = 0
CAROM_GONE_LEFT = 1
CAROM_GONE_UNSEEN = 2
CAROM_INTERPOLATION_NONE = 0
CAROM_INTERPOLATION_DELAYED = 1
CAROM_INTERPOLATION_PREDICTIVE = 2
CAROM_DEPARTED_MAX = 16384
CAROM_EPOCHS_MAX = 64
CAROM_REPLICA_EVENTS_MAX = 4096
CAROM_FATE_PREDICTED = 0
CAROM_FATE_CONFIRMED = 1
CAROM_FATE_TAKEN_BACK = 2
CAROM_LOCAL_TICKS_MAX = 1000000
CAROM_LOCAL_EVENTS_MAX = 65536
CAROM_MANY_WORLDS_MAX = 65536
CAROM_MANY_BODIES_MAX = 4096
CAROM_MANY_DRIVES_MAX = 1024
CAROM_MANY_ROWS_MAX = 16777216
CAROM_DRIVE_FORCE = 0
CAROM_DRIVE_TORQUE = 1
CAROM_DRIVE_IMPULSE = 2
CAROM_DRIVE_ANGULAR_IMPULSE = 3
CAROM_DRIVE_VELOCITY = 4
CAROM_DRIVE_SPIN = 5
CAROM_DRIVE_MOTOR = 6
CAROM_DRIVE_KIND_COUNT = 7


class carom_error(Structure):
    _fields_ = [
        ("status", c_int),
        ("applied", c_int),
        ("from_server", c_bool),
        ("text", c_char * 256),
    ]


class carom_vec2(Structure):
    _fields_ = [
        ("x", c_double),
        ("y", c_double),
    ]


class carom_shape(Structure):
    _fields_ = [
        ("exact", c_bool),
        ("kind", c_int),
        ("radius", c_double),
        ("size", carom_vec2),
        ("center", carom_vec2),
        ("angle", c_double),
        ("a", carom_vec2),
        ("b", carom_vec2),
        ("vertices", POINTER(carom_vec2)),
        ("vertex_count", c_size_t),
        ("loop", c_bool),
        ("density", c_double),
        ("friction", c_double),
        ("restitution", c_double),
        ("rolling_resistance", c_double),
        ("tangent_speed", c_double),
        ("sensor", c_bool),
        ("has_filter", c_bool),
        ("category", c_uint64),
        ("mask", c_uint64),
        ("group", c_int32),
        ("events", c_uint),
        ("one_way", carom_vec2),
    ]


class carom_body(Structure):
    _fields_ = [
        ("id", c_uint64),
        ("x", c_double),
        ("y", c_double),
        ("angle", c_double),
        ("vx", c_double),
        ("vy", c_double),
        ("w", c_double),
    ]


class carom_shape_info(Structure):
    _fields_ = [
        ("id", c_uint64),
        ("shape", carom_shape),
    ]


class carom_body_info(Structure):
    _fields_ = [
        ("body", carom_body),
        ("type", c_int),
        ("tag", c_char_p),
        ("owner", c_char_p),
        ("center", carom_vec2),
        ("mass", c_double),
        ("inertia", c_double),
        ("linear_damping", c_double),
        ("angular_damping", c_double),
        ("gravity_scale", c_double),
        ("fixed_rotation", c_bool),
        ("bullet", c_bool),
        ("allow_sleep", c_bool),
        ("enabled", c_bool),
        ("awake", c_bool),
        ("frozen", c_bool),
        ("shapes", POINTER(carom_shape_info)),
        ("shape_count", c_size_t),
    ]


class carom_joint_settings(Structure):
    _fields_ = [
        ("exact", c_bool),
        ("kind", c_int),
        ("a", c_uint64),
        ("b", c_uint64),
        ("joint_a", c_uint64),
        ("joint_b", c_uint64),
        ("collide_connected", c_bool),
        ("anchor", carom_vec2),
        ("anchor_a", carom_vec2),
        ("anchor_b", carom_vec2),
        ("axis", carom_vec2),
        ("ground_a", carom_vec2),
        ("ground_b", carom_vec2),
        ("reference_angle", c_double),
        ("ratio", c_double),
        ("length", c_double),
        ("lower", c_double),
        ("upper", c_double),
        ("motor_speed", c_double),
        ("max_force", c_double),
        ("max_torque", c_double),
        ("hertz", c_double),
        ("damping_ratio", c_double),
        ("angular_hertz", c_double),
        ("angular_damping_ratio", c_double),
        ("target", carom_vec2),
        ("target_angle", c_double),
        ("target_translation", c_double),
        ("velocity", carom_vec2),
        ("break_force", c_double),
        ("break_torque", c_double),
    ]


class carom_joint_info(Structure):
    _fields_ = [
        ("id", c_uint64),
        ("settings", carom_joint_settings),
        ("points", carom_vec2 * 2),
        ("angle", c_double),
        ("translation", c_double),
        ("length", c_double),
        ("speed", c_double),
        ("force", carom_vec2),
        ("torque", c_double),
    ]


class carom_event(Structure):
    _fields_ = [
        ("kind", c_int),
        ("name", c_char_p),
        ("tick", c_uint64),
        ("a", c_uint64),
        ("b", c_uint64),
        ("shape_a", c_uint64),
        ("shape_b", c_uint64),
        ("joint", c_uint64),
        ("point", carom_vec2),
        ("normal", carom_vec2),
        ("depth", c_double),
        ("speed", c_double),
        ("impulse", c_double),
        ("message", c_char_p),
        ("data", c_void_p),
        ("data_size", c_size_t),
        ("session", c_uint64),
        ("subject", c_char_p),
        ("seat", c_uint64),
    ]


class carom_contact(Structure):
    _fields_ = [
        ("a", c_uint64),
        ("b", c_uint64),
        ("shape_a", c_uint64),
        ("shape_b", c_uint64),
        ("normal", carom_vec2),
        ("count", c_int),
        ("points", carom_vec2 * 8),
        ("normals", carom_vec2 * 8),
        ("depth", c_double * 8),
        ("impulse", c_double * 8),
    ]


class carom_datum(Structure):
    _fields_ = [
        ("key", c_char * 129),
        ("encoded", c_void_p),
        ("encoded_size", c_size_t),
    ]


class carom_snapshot(Structure):
    _fields_ = [
        ("subscription", c_uint64),
        ("world", c_char_p),
        ("epoch", c_uint64),
        ("tick", c_uint64),
        ("time", c_double),
        ("full", c_bool),
        ("packed", c_bool),
        ("log", c_bool),
        ("from", c_uint64),
        ("has_hash", c_bool),
        ("hash", c_uint8 * 8),
        ("last", c_uint64),
        ("skipped", c_uint64),
        ("events_lost", c_uint64),
        ("has_margin", c_bool),
        ("margin", c_double),
        ("bodies", POINTER(carom_body)),
        ("body_count", c_size_t),
        ("removed", POINTER(c_uint64)),
        ("removed_count", c_size_t),
        ("enter", POINTER(c_uint64)),
        ("enter_count", c_size_t),
        ("leave", POINTER(c_uint64)),
        ("leave_count", c_size_t),
        ("left_out", c_uint64),
        ("oldest", c_uint64),
        ("unfollowed", c_uint64),
        ("events", POINTER(carom_event)),
        ("event_count", c_size_t),
        ("contacts", POINTER(carom_contact)),
        ("contact_count", c_size_t),
        ("has_contacts", c_bool),
        ("spawned", POINTER(POINTER(carom_body_info))),
        ("spawned_count", c_size_t),
        ("joints", POINTER(carom_joint_info)),
        ("joint_count", c_size_t),
        ("joints_removed", POINTER(c_uint64)),
        ("joints_removed_count", c_size_t),
        ("describing", c_bool),
        ("has_view", c_bool),
        ("view", c_double * 4),
        ("has_data", c_bool),
        ("data", POINTER(carom_datum)),
        ("data_count", c_size_t),
        ("encoded", c_void_p),
        ("encoded_size", c_size_t),
    ]


class carom_handlers(Structure):
    _fields_ = [
        ("user", c_void_p),
        ("snapshot", CFUNCTYPE(None, c_void_p, POINTER(carom_snapshot), c_void_p)),
        ("event", CFUNCTYPE(None, c_void_p, POINTER(carom_snapshot), POINTER(carom_event), c_void_p)),
        ("notification", CFUNCTYPE(None, c_void_p, c_char_p, c_void_p, c_void_p)),
        ("lost", CFUNCTYPE(None, c_void_p, c_int, c_char_p, c_void_p)),
        ("resumed", CFUNCTYPE(None, c_void_p, c_void_p, c_void_p)),
        ("closed", CFUNCTYPE(None, c_void_p, c_int, c_char_p, c_void_p)),
    ]


class carom_reconnect(Structure):
    _fields_ = [
        ("on", c_bool),
        ("first_ms", c_int),
        ("max_ms", c_int),
        ("give_up_ms", c_int),
        ("silence_ms", c_int),
    ]


class carom_tls(Structure):
    _fields_ = [
        ("on", c_bool),
        ("ca_file", c_char_p),
        ("name", c_char_p),
        ("unverified", c_bool),
    ]


class carom_follow(Structure):
    _fields_ = [
        ("off", c_bool),
        ("plain", c_bool),
    ]


class carom_options(Structure):
    _fields_ = [
        ("exact", c_bool),
        ("name", c_char_p),
        ("token", c_char_p),
        ("resume", c_char_p),
        ("hello", c_bool),
        ("output_bytes_max", c_size_t),
        ("message_bytes_max", c_size_t),
        ("requests_max", c_uint),
        ("reconnect", carom_reconnect),
        ("keep_session", c_bool),
        ("handlers", carom_handlers),
        ("tls", carom_tls),
        ("follow", carom_follow),
    ]


carom_response_fn = CFUNCTYPE(None, c_void_p, c_uint64, c_void_p, POINTER(carom_error), c_void_p)


class carom_traffic(Structure):
    _fields_ = [
        ("bytes_in", c_uint64),
        ("bytes_out", c_uint64),
        ("messages_in", c_uint64),
        ("messages_out", c_uint64),
        ("snapshots", c_uint64),
        ("events", c_uint64),
        ("late", c_uint64),
        ("reconnects", c_uint64),
        ("output_bytes", c_size_t),
        ("requests", c_uint),
    ]


class carom_view_options(Structure):
    _fields_ = [
        ("exact", c_bool),
        ("history", c_uint),
        ("events_max", c_size_t),
        ("user", c_void_p),
        ("added", CFUNCTYPE(c_void_p, c_void_p, POINTER(carom_body), c_void_p)),
        ("described", CFUNCTYPE(None, c_void_p, POINTER(carom_body), POINTER(carom_body_info), c_void_p, c_void_p)),
        ("gone", CFUNCTYPE(None, c_void_p, POINTER(carom_body), c_int, c_void_p, c_void_p)),
        ("interpolation", c_int),
        ("extra_delay_s", c_double),
    ]


class carom_view_state(Structure):
    _fields_ = [
        ("ready", c_bool),
        ("ended", c_bool),
        ("world", c_char_p),
        ("epoch", c_uint64),
        ("tick", c_uint64),
        ("time", c_double),
        ("time_oldest", c_double),
        ("has_hash", c_bool),
        ("hash", c_uint8 * 8),
        ("last", c_uint64),
        ("unfollowed", c_uint64),
        ("left_out", c_uint64),
        ("oldest", c_uint64),
        ("snapshots", c_uint64),
        ("stale", c_uint64),
        ("gaps", c_uint64),
        ("skipped", c_uint64),
        ("events_lost", c_uint64),
        ("events_dropped", c_uint64),
        ("bodies", c_size_t),
        ("events", c_size_t),
        ("joints", c_size_t),
        ("describing", c_bool),
        ("has_area", c_bool),
        ("area", c_double * 4),
    ]


class carom_subscribe_options(Structure):
    _fields_ = [
        ("exact", c_bool),
        ("rate", c_double),
        ("encoding", c_char_p),
        ("precision", c_double * 3),
        ("bodies", c_bool),
        ("contacts", c_bool),
        ("describe", c_bool),
        ("has_area", c_bool),
        ("area", c_double * 4),
        ("follow", c_uint64),
        ("margin", c_double),
        ("budget", c_double),
        ("events", POINTER(c_char_p)),
        ("event_count", c_size_t),
        ("data", POINTER(c_char_p)),
        ("data_count", c_size_t),
        ("compact", c_uint32),
    ]


class carom_drawn(Structure):
    _fields_ = [
        ("id", c_uint64),
        ("x", c_double),
        ("y", c_double),
        ("angle", c_double),
        ("vx", c_double),
        ("vy", c_double),
        ("w", c_double),
        ("info", POINTER(carom_body_info)),
        ("data", c_void_p),
        ("gone", c_bool),
    ]


class carom_view_playback(Structure):
    _fields_ = [
        ("shown", c_double),
        ("delay", c_double),
        ("gone", c_size_t),
    ]


class carom_clock_state(Structure):
    _fields_ = [
        ("synchronised", c_bool),
        ("rtt", c_double),
        ("last_rtt", c_double),
        ("jitter", c_double),
        ("rate", c_double),
    ]


class carom_replica_state(Structure):
    _fields_ = [
        ("ready", c_bool),
        ("world", c_char_p),
        ("epoch", c_uint64),
        ("tick", c_uint64),
        ("time", c_double),
        ("hz", c_double),
        ("paused", c_bool),
        ("hash", c_uint64),
        ("bodies", c_size_t),
        ("awake", c_size_t),
        ("shapes", c_size_t),
        ("joints", c_size_t),
        ("contacts", c_size_t),
        ("commands", c_uint64),
        ("verified", c_uint64),
    ]


carom_replica_event = CFUNCTYPE(None, POINTER(carom_event), c_void_p)


class carom_replica_snapshot_options(Structure):
    _fields_ = [
        ("full", c_bool),
        ("describe", c_bool),
        ("contacts", c_bool),
        ("events", c_uint),
    ]


class carom_difference(Structure):
    _fields_ = [
        ("differs", c_bool),
        ("body", c_uint64),
        ("member", c_char_p),
        ("text", c_char * 160),
    ]


class carom_recording_info(Structure):
    _fields_ = [
        ("engine", c_int),
        ("world", c_char_p),
        ("epoch", c_uint64),
        ("hz", c_double),
        ("begun", c_uint64),
        ("ended", c_bool),
        ("records", c_uint64),
        ("from", c_uint64),
        ("tick", c_uint64),
        ("has_image", c_bool),
        ("has_hash", c_bool),
        ("hash", c_uint64),
        ("commands", c_uint64),
        ("bytes", c_uint64),
        ("size", c_uint64),
    ]


carom_prediction_input_fn = CFUNCTYPE(None, c_void_p, c_uint64, c_bool, c_void_p)


carom_prediction_event_fn = CFUNCTYPE(None, POINTER(carom_event), c_int, c_bool, c_void_p)


carom_prediction_send_fn = CFUNCTYPE(c_bool, c_void_p, c_void_p)


class carom_prediction_options(Structure):
    _fields_ = [
        ("input", carom_prediction_input_fn),
        ("event", carom_prediction_event_fn),
        ("send", carom_prediction_send_fn),
        ("user", c_void_p),
        ("events", c_uint),
        ("input_delay", c_uint),
        ("budget_ms", c_double),
        ("smoothing_s", c_double),
        ("check", c_bool),
        ("session", c_uint64),
    ]


class carom_prediction_pose(Structure):
    _fields_ = [
        ("id", c_uint64),
        ("x", c_double),
        ("y", c_double),
        ("angle", c_double),
        ("vx", c_double),
        ("vy", c_double),
        ("w", c_double),
        ("awake", c_bool),
        ("approximate", c_bool),
    ]


class carom_prediction_figures(Structure):
    _fields_ = [
        ("right", c_double),
        ("rollbacks", c_double),
        ("depth", c_double),
        ("error", c_double),
        ("error_others", c_double),
        ("lead", c_double),
        ("slack", c_double),
        ("rtt", c_double),
        ("margin", c_double),
        ("rate", c_double),
        ("delay", c_uint),
        ("waiting", c_uint),
        ("ticks", c_uint64),
        ("ticks_right", c_uint64),
        ("rollback_count", c_uint64),
        ("sent", c_uint64),
        ("confirmed", c_uint64),
        ("late", c_uint64),
        ("lost", c_uint64),
        ("refused", c_uint64),
        ("failed", c_uint64),
        ("approximate", c_uint64),
        ("check_failures", c_uint64),
        ("check_failed_at", c_uint64),
        ("events_lost", c_uint64),
        ("step_ms", c_double),
        ("copy_ms", c_double),
    ]


class carom_local_state(Structure):
    _fields_ = [
        ("tick", c_uint64),
        ("time", c_double),
        ("hz", c_double),
        ("hash", c_uint64),
        ("bodies", c_size_t),
        ("awake", c_size_t),
        ("shapes", c_size_t),
        ("joints", c_size_t),
        ("contacts", c_size_t),
        ("events_lost", c_uint64),
    ]


class carom_drive(Structure):
    _fields_ = [
        ("kind", c_int),
        ("id", c_uint64),
        ("axis", carom_vec2),
        ("least", c_double),
        ("most", c_double),
    ]


# name: (type of the result, types of the arguments)
CAROM = {
    "carom_status_name": (c_char_p, (c_int,)),
    "carom_status_from_name": (c_int, (c_char_p,)),
    "carom_version": (c_char_p, ()),
    "carom_nil": (c_void_p, ()),
    "carom_bool": (c_void_p, (c_bool,)),
    "carom_int": (c_void_p, (c_int64,)),
    "carom_uint": (c_void_p, (c_uint64,)),
    "carom_real": (c_void_p, (c_double,)),
    "carom_str": (c_void_p, (c_char_p,)),
    "carom_strn": (c_void_p, (c_char_p, c_size_t)),
    "carom_bin": (c_void_p, (c_void_p, c_size_t)),
    "carom_array": (c_void_p, ()),
    "carom_map": (c_void_p, ()),
    "carom_vec": (c_void_p, (c_double, c_double)),
    "carom_push": (c_void_p, (c_void_p, c_void_p)),
    "carom_set": (c_void_p, (c_void_p, c_char_p, c_void_p)),
    "carom_setn": (c_void_p, (c_void_p, c_char_p, c_size_t, c_void_p)),
    "carom_value_take": (c_void_p, (c_void_p, c_char_p)),
    "carom_value_clone": (c_void_p, (c_void_p,)),
    "carom_value_free": (None, (c_void_p,)),
    "carom_value_ok": (c_bool, (c_void_p,)),
    "carom_value_type": (c_int, (c_void_p,)),
    "carom_value_equal": (c_bool, (c_void_p, c_void_p)),
    "carom_value_count": (c_size_t, (c_void_p,)),
    "carom_value_at": (c_void_p, (c_void_p, c_size_t)),
    "carom_value_key": (c_char_p, (c_void_p, c_size_t, POINTER(c_size_t))),
    "carom_value_get": (c_void_p, (c_void_p, c_char_p)),
    "carom_value_path": (c_void_p, (c_void_p, c_char_p)),
    "carom_as_bool": (c_bool, (c_void_p, c_bool)),
    "carom_as_int": (c_int64, (c_void_p, c_int64)),
    "carom_as_uint": (c_uint64, (c_void_p, c_uint64)),
    "carom_as_real": (c_double, (c_void_p, c_double)),
    "carom_as_str": (c_char_p, (c_void_p, c_char_p)),
    "carom_as_bytes": (c_void_p, (c_void_p, POINTER(c_size_t))),
    "carom_as_vec": (carom_vec2, (c_void_p, carom_vec2)),
    "carom_get_bool": (c_bool, (c_void_p, c_char_p, c_bool)),
    "carom_get_int": (c_int64, (c_void_p, c_char_p, c_int64)),
    "carom_get_uint": (c_uint64, (c_void_p, c_char_p, c_uint64)),
    "carom_get_real": (c_double, (c_void_p, c_char_p, c_double)),
    "carom_get_str": (c_char_p, (c_void_p, c_char_p, c_char_p)),
    "carom_get_vec": (carom_vec2, (c_void_p, c_char_p, carom_vec2)),
    "carom_shape_circle": (carom_shape, (c_double,)),
    "carom_shape_box": (carom_shape, (c_double, c_double)),
    "carom_shape_capsule": (carom_shape, (carom_vec2, carom_vec2, c_double)),
    "carom_shape_segment": (carom_shape, (carom_vec2, carom_vec2)),
    "carom_shape_polygon": (carom_shape, (POINTER(carom_vec2), c_size_t)),
    "carom_shape_chain": (carom_shape, (POINTER(carom_vec2), c_size_t, c_bool)),
    "carom_shape_value": (c_void_p, (POINTER(carom_shape),)),
    "carom_joint_settings_default": (carom_joint_settings, (c_int, c_uint64, c_uint64)),
    "carom_joint_kind_name": (c_char_p, (c_int,)),
    "carom_body_type_name": (c_char_p, (c_int,)),
    "carom_event_data": (c_void_p, (POINTER(carom_event),)),
    "carom_event_kind_name": (c_char_p, (c_int,)),
    "carom_snapshot_value": (c_void_p, (POINTER(carom_snapshot),)),
    "carom_options_default": (carom_options, ()),
    "carom_connect": (c_int, (c_char_p, c_uint16, c_int, POINTER(carom_options), POINTER(c_void_p), POINTER(carom_error))),
    "carom_connect_start": (c_int, (c_char_p, c_uint16, c_int, POINTER(carom_options), POINTER(c_void_p), POINTER(carom_error))),
    "carom_connect_fd": (c_int, (c_int, c_int, POINTER(carom_options), POINTER(c_void_p), POINTER(carom_error))),
    "carom_address_parse": (c_int, (c_char_p, POINTER(c_char), c_size_t, POINTER(c_uint16), POINTER(carom_error))),
    "carom_url_parse": (c_int, (c_char_p, POINTER(c_char), c_size_t, POINTER(c_uint16), POINTER(c_bool), POINTER(carom_error))),
    "carom_close": (None, (c_void_p,)),
    "carom_free": (None, (c_void_p,)),
    "carom_ref": (c_void_p, (c_void_p,)),
    "carom_unref": (None, (c_void_p,)),
    "carom_client_state": (c_int, (c_void_p,)),
    "carom_close_reason": (c_int, (c_void_p, POINTER(c_char_p))),
    "carom_set_handlers": (None, (c_void_p, POINTER(carom_handlers))),
    "carom_user": (c_void_p, (c_void_p,)),
    "carom_hello": (c_void_p, (c_void_p,)),
    "carom_hello_of": (c_void_p, (c_void_p, c_char_p)),
    "carom_set_token": (c_int, (c_void_p, c_char_p, c_int, POINTER(carom_error))),
    "carom_call": (c_int, (c_void_p, c_char_p, c_void_p, c_int, POINTER(c_void_p), POINTER(carom_error))),
    "carom_send": (c_int, (c_void_p, c_char_p, c_void_p, POINTER(carom_error))),
    "carom_request": (c_int, (c_void_p, c_char_p, c_void_p, c_int, carom_response_fn, c_void_p, POINTER(c_uint64), POINTER(carom_error))),
    "carom_take": (c_bool, (c_void_p, c_uint64, POINTER(c_int), POINTER(c_void_p), POINTER(carom_error))),
    "carom_cancel": (None, (c_void_p, c_uint64)),
    "carom_poll": (c_int, (c_void_p, c_int, POINTER(carom_error))),
    "carom_flush": (c_int, (c_void_p, c_int, POINTER(carom_error))),
    "carom_hold": (None, (c_void_p, c_bool)),
    "carom_fd": (c_int, (c_void_p,)),
    "carom_wants_write": (c_bool, (c_void_p,)),
    "carom_timeout_ms": (c_int, (c_void_p,)),
    "carom_client_traffic": (carom_traffic, (c_void_p,)),
    "carom_view_options_default": (carom_view_options, ()),
    "carom_view_create": (c_void_p, (POINTER(carom_view_options),)),
    "carom_view_free": (None, (c_void_p,)),
    "carom_view_apply": (c_int, (c_void_p, POINTER(carom_snapshot), POINTER(carom_error))),
    "carom_view_feed": (c_int, (c_void_p, c_void_p, c_size_t, POINTER(carom_snapshot), POINTER(carom_error))),
    "carom_view_reset": (None, (c_void_p,)),
    "carom_view_get_state": (carom_view_state, (c_void_p,)),
    "carom_view_count": (c_size_t, (c_void_p,)),
    "carom_view_body": (POINTER(carom_body), (c_void_p, c_size_t)),
    "carom_view_find": (POINTER(carom_body), (c_void_p, c_uint64)),
    "carom_view_index": (c_bool, (c_void_p, c_uint64, POINTER(c_size_t))),
    "carom_view_info": (POINTER(carom_body_info), (c_void_p, c_size_t)),
    "carom_view_awake": (c_bool, (c_void_p, c_size_t)),
    "carom_view_joint_count": (c_size_t, (c_void_p,)),
    "carom_view_joint": (POINTER(carom_joint_info), (c_void_p, c_size_t)),
    "carom_view_find_joint": (POINTER(carom_joint_info), (c_void_p, c_uint64)),
    "carom_view_data": (c_void_p, (c_void_p, c_uint64)),
    "carom_view_set_data": (c_bool, (c_void_p, c_uint64, c_void_p)),
    "carom_view_at_time": (c_bool, (c_void_p, c_size_t, c_double, POINTER(carom_body))),
    "carom_view_contacts": (POINTER(carom_contact), (c_void_p, POINTER(c_size_t))),
    "carom_view_datum_count": (c_size_t, (c_void_p,)),
    "carom_view_datum": (POINTER(carom_datum), (c_void_p, c_size_t)),
    "carom_view_find_datum": (POINTER(carom_datum), (c_void_p, c_char_p)),
    "carom_datum_value": (c_void_p, (POINTER(carom_datum),)),
    "carom_view_next_event": (c_bool, (c_void_p, POINTER(carom_event))),
    "carom_subscribe_options_default": (carom_subscribe_options, ()),
    "carom_compact": (c_uint32, (c_void_p,)),
    "carom_subscribe_args": (c_void_p, (c_char_p, POINTER(carom_subscribe_options))),
    "carom_subscribe": (c_int, (c_void_p, c_char_p, POINTER(carom_subscribe_options), c_int, POINTER(c_uint64), POINTER(carom_error))),
    "carom_watch": (c_int, (c_void_p, c_char_p, POINTER(carom_subscribe_options), c_void_p, c_int, POINTER(c_uint64), POINTER(carom_error))),
    "carom_unsubscribe": (c_int, (c_void_p, c_uint64, c_int, POINTER(carom_error))),
    "carom_subscription_area": (c_int, (c_void_p, c_uint64, POINTER(c_double), c_int, POINTER(carom_error))),
    "carom_subscription_follow": (c_int, (c_void_p, c_uint64, c_uint64, POINTER(c_double), c_int, POINTER(carom_error))),
    "carom_view_attach": (c_int, (c_void_p, c_void_p, c_uint64, POINTER(carom_error))),
    "carom_view_detach": (None, (c_void_p,)),
    "carom_view_subscription": (c_uint64, (c_void_p,)),
    "carom_view_apply_at": (c_int, (c_void_p, POINTER(carom_snapshot), c_double, POINTER(carom_error))),
    "carom_view_set_rtt": (None, (c_void_p, c_double)),
    "carom_view_advance": (c_double, (c_void_p, c_double)),
    "carom_view_drawn": (c_size_t, (c_void_p, POINTER(carom_drawn), c_size_t)),
    "carom_view_pose": (c_bool, (c_void_p, c_size_t, POINTER(carom_body))),
    "carom_view_get_playback": (carom_view_playback, (c_void_p,)),
    "carom_now": (c_double, ()),
    "carom_clock_create": (c_void_p, ()),
    "carom_clock_free": (None, (c_void_p,)),
    "carom_clock_ping": (None, (c_void_p, c_void_p)),
    "carom_clock_add": (None, (c_void_p, c_double, c_double, c_double)),
    "carom_clock_reset": (None, (c_void_p,)),
    "carom_clock_at": (c_double, (c_void_p, c_double)),
    "carom_clock_get_state": (carom_clock_state, (c_void_p,)),
    "carom_known_epoch": (c_uint64, (c_void_p, c_char_p)),
    "carom_pin_epoch": (c_int, (c_void_p, c_char_p, c_uint64, POINTER(carom_error))),
}

CAROM_REPLICA = {
    "carom_replica_create": (c_void_p, ()),
    "carom_replica_free": (None, (c_void_p,)),
    "carom_replica_engine": (c_int, ()),
    "carom_replica_feed": (c_int, (c_void_p, c_void_p, c_size_t, POINTER(carom_error))),
    "carom_replica_feed_to": (c_int, (c_void_p, c_void_p, c_size_t, c_uint64, POINTER(carom_error))),
    "carom_replica_verify": (None, (c_void_p, c_bool)),
    "carom_replica_load": (c_int, (c_void_p, c_void_p, c_size_t, c_char_p, POINTER(carom_error))),
    "carom_replica_save": (c_int, (c_void_p, POINTER(c_void_p), POINTER(c_size_t), POINTER(carom_error))),
    "carom_replica_free_bytes": (None, (c_void_p,)),
    "carom_replica_now": (carom_replica_state, (c_void_p,)),
    "carom_replica_bodies": (c_size_t, (c_void_p, POINTER(carom_body), c_size_t)),
    "carom_replica_call": (c_int, (c_void_p, c_char_p, c_void_p, POINTER(c_void_p), POINTER(carom_error))),
    "carom_replica_on_event": (None, (c_void_p, c_uint, carom_replica_event, c_void_p)),
    "carom_replica_snapshot": (c_int, (c_void_p, POINTER(carom_replica_snapshot_options), POINTER(c_void_p), POINTER(c_size_t), POINTER(carom_error))),
    "carom_replica_compare": (c_int, (c_void_p, c_void_p, POINTER(carom_difference), POINTER(carom_error))),
    "carom_recorder_create": (c_int, (c_char_p, POINTER(c_void_p), POINTER(carom_error))),
    "carom_recorder_feed": (c_int, (c_void_p, c_void_p, c_size_t, POINTER(carom_error))),
    "carom_recorder_keyframe": (c_int, (c_void_p, c_void_p, POINTER(carom_error))),
    "carom_recorder_finish": (c_int, (c_void_p, POINTER(carom_error))),
    "carom_recording_open": (c_int, (c_char_p, POINTER(c_void_p), POINTER(carom_error))),
    "carom_recording_next": (c_int, (c_void_p, POINTER(c_void_p), POINTER(c_size_t), POINTER(carom_error))),
    "carom_recording_image": (c_void_p, (c_void_p, POINTER(c_size_t))),
    "carom_recording_about": (carom_recording_info, (c_void_p,)),
    "carom_recording_close": (None, (c_void_p,)),
    "carom_prediction_options_default": (carom_prediction_options, ()),
    "carom_prediction_create": (c_int, (c_void_p, c_void_p, POINTER(carom_prediction_options), POINTER(c_void_p), POINTER(carom_error))),
    "carom_prediction_free": (None, (c_void_p,)),
    "carom_prediction_active": (c_bool, (c_void_p, POINTER(carom_error))),
    "carom_prediction_feed": (c_int, (c_void_p, POINTER(carom_snapshot), c_double, POINTER(carom_error))),
    "carom_prediction_rtt": (None, (c_void_p, c_double)),
    "carom_prediction_margin": (None, (c_void_p, c_double, c_double)),
    "carom_prediction_refused": (None, (c_void_p, c_uint64)),
    "carom_prediction_frame": (c_int, (c_void_p, c_double, POINTER(carom_error))),
    "carom_prediction_command": (c_int, (c_void_p, c_char_p, c_void_p, POINTER(carom_error))),
    "carom_prediction_tick": (c_uint64, (c_void_p,)),
    "carom_prediction_poses": (c_size_t, (c_void_p, POINTER(carom_prediction_pose), c_size_t)),
    "carom_prediction_snapshot": (c_int, (c_void_p, POINTER(carom_replica_snapshot_options), POINTER(c_void_p), POINTER(c_size_t), POINTER(carom_error))),
    "carom_prediction_call": (c_int, (c_void_p, c_char_p, c_void_p, POINTER(c_void_p), POINTER(carom_error))),
    "carom_prediction_made": (c_uint64, (c_void_p, c_uint64, c_size_t, POINTER(c_bool))),
    "carom_prediction_own": (None, (c_void_p, c_uint64)),
    "carom_prediction_predict": (c_int, (c_void_p, c_uint64, c_bool, POINTER(carom_error))),
    "carom_prediction_figures_now": (carom_prediction_figures, (c_void_p,)),
    "carom_local_create": (c_int, (c_void_p, POINTER(c_void_p), POINTER(carom_error))),
    "carom_local_restore": (c_int, (c_void_p, c_size_t, POINTER(c_void_p), POINTER(carom_error))),
    "carom_local_fork": (c_int, (c_void_p, POINTER(c_void_p), POINTER(carom_error))),
    "carom_local_copy": (c_int, (c_void_p, c_void_p, POINTER(carom_error))),
    "carom_local_free": (None, (c_void_p,)),
    "carom_local_save": (c_int, (c_void_p, POINTER(c_void_p), POINTER(c_size_t), POINTER(carom_error))),
    "carom_local_call": (c_int, (c_void_p, c_char_p, c_void_p, POINTER(c_void_p), POINTER(carom_error))),
    "carom_local_step": (c_int, (c_void_p, c_uint64, POINTER(carom_error))),
    "carom_local_now": (carom_local_state, (c_void_p,)),
    "carom_local_bodies": (c_size_t, (c_void_p, POINTER(carom_body), c_size_t)),
    "carom_local_want_events": (None, (c_void_p, c_uint)),
    "carom_local_events": (c_size_t, (c_void_p, POINTER(carom_event), c_size_t)),
    "carom_many_create": (c_int, (c_void_p, c_size_t, POINTER(c_uint64), c_size_t, POINTER(carom_drive), c_size_t, POINTER(c_void_p), POINTER(carom_error))),
    "carom_many_free": (None, (c_void_p,)),
    "carom_many_step": (c_int, (c_void_p, c_size_t, c_size_t, POINTER(c_double), c_uint64, POINTER(carom_error))),
    "carom_many_reset": (c_int, (c_void_p, c_size_t, c_size_t, POINTER(c_uint8), POINTER(carom_error))),
    "carom_many_place": (c_int, (c_void_p, c_size_t, c_size_t, POINTER(c_uint8), POINTER(carom_error))),
    "carom_many_bodies": (POINTER(carom_body), (c_void_p,)),
    "carom_many_count": (c_size_t, (c_void_p,)),
    "carom_many_world": (c_void_p, (c_void_p, c_size_t)),
    "carom_many_refresh": (c_int, (c_void_p, c_size_t, c_size_t, POINTER(carom_error))),
}
