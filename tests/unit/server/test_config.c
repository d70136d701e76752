// Tests of server/config/config.h: options and variables, their order of precedence, errors by
// name. The environment is the test's own.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/config/config.h"
#include "server/config/config_file.h"
#include "server/http/policy.h"

// The environment of the test: pairs of name and value.
static const char *const *environment;

static char *fake_getenv(const char *name)
{
    for (const char *const *pair = environment; pair != NULL && pair[0] != NULL; pair += 2) {
        if (strcmp(pair[0], name) == 0) {
            static char value[256];
            snprintf(value, sizeof value, "%s", pair[1]);
            return value;
        }
    }
    return NULL;
}

static status load(config *c, error *err, const char *const *arguments)
{
    const char *argv[48] = {"caromd"};
    int argc = 1;
    while (arguments != NULL && *arguments != NULL) {
        argv[argc++] = *arguments++;
    }
    return config_load(c, argc, argv, fake_getenv, err);
}

#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

static int clear_environment(void **state)
{
    (void)state;
    environment = NULL;
    return 0;
}

static void http_has_an_address_or_is_off(void **state)
{
    (void)state;
    config c;
    error err;
    assert_int_equal(load(&c, &err, ARGS("--http", "[::1]:80")), STATUS_OK);
    assert_string_equal(c.http_host, "::1");
    assert_int_equal(c.http_port, 80);
    assert_true(c.http_given);
    config_deinit(&c);
    assert_int_equal(load(&c, &err, ARGS("--http", "off")), STATUS_OK);
    assert_string_equal(c.http_host, "");
    config_deinit(&c);
    assert_int_equal(load(&c, &err, ARGS("--listen", "127.0.0.1:0")), STATUS_OK);
    assert_int_equal(c.http_port, 0); // any free port, for one of many servers on this machine
    config_deinit(&c);
    assert_int_equal(load(&c, &err, ARGS("--listen", "127.0.0.1:0", "--http", "127.0.0.1:22767")),
                     STATUS_OK);
    assert_int_equal(c.http_port, 22767);
    config_deinit(&c);
    assert_int_equal(load(&c, &err, ARGS("--http", "on")), STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "--http"));
    config_deinit(&c);
}

static void origins_are_those_of_pages(void **state)
{
    (void)state;
    config c;
    error err;
    environment = ARGS("CAROM_ORIGIN", "https://play.example, http://localhost:8080");
    assert_int_equal(load(&c, &err, NULL), STATUS_OK);
    assert_int_equal(c.origins.count, 2);
    assert_string_equal(c.origins.data[1], "http://localhost:8080");
    config_deinit(&c);
    environment = NULL;
    static const char *const WRONG[] = {
        "play.example",          "ftp://play.example",      "https://", "",
        "https://play.example/", "https://me@play.example", "null",     "https://a b"};
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        assert_int_equal(load(&c, &err, ARGS("--origin", WRONG[i])), STATUS_INVALID_ARGUMENT);
        assert_non_null(strstr(err.text, "--origin"));
        config_deinit(&c);
    }
}

static void viewer_servers_are_web_sockets(void **state)
{
    (void)state;
    config c;
    error err;
    environment = ARGS("CAROM_VIEWER_SERVER", "wss://play.example:22767/rpc, *");
    assert_int_equal(load(&c, &err, NULL), STATUS_OK);
    assert_int_equal(c.viewer_servers.count, 2);
    assert_string_equal(c.viewer_servers.data[0], "wss://play.example:22767/rpc");
    config_deinit(&c);
    environment = NULL;
    static const char *const WRONG[] = {
        "play.example", "https://play.example", "ws://", "",  "ws://a b", "ws://a; script-src *",
        "ws://me@a",    "ws://[::1]:22767",     "ws:",   "**"};
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        assert_int_equal(load(&c, &err, ARGS("--viewer-server", WRONG[i])),
                         STATUS_INVALID_ARGUMENT);
        assert_non_null(strstr(err.text, "--viewer-server"));
        config_deinit(&c);
    }
    const char *many[2 * (POLICY_SERVERS_MAX + 1) + 1] = {0};
    for (int i = 0; i < POLICY_SERVERS_MAX + 1; i++) {
        many[2 * i] = "--viewer-server";
        many[2 * i + 1] = "ws://a";
    }
    assert_int_equal(load(&c, &err, many), STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "at most 16"));
    config_deinit(&c);
}

static void config_without_options_has_defaults(void **state)
{
    (void)state;
    config c;
    error err;
    assert_int_equal(load(&c, &err, NULL), STATUS_OK);
    assert_string_equal(c.host, "127.0.0.1");
    assert_int_equal(c.port, 22766);
    assert_string_equal(c.http_host, "127.0.0.1");
    assert_int_equal(c.http_port, 22767);
    assert_false(c.http_given);
    assert_true(c.hz == 60.0);
    assert_in_range(c.threads, 1, CONFIG_THREADS_MAX);
    assert_int_equal(c.worlds.count, 0);
    assert_int_equal(c.log, LOG_INFO);
    assert_int_equal(c.limits.connections, 4096);
    assert_non_null(strstr(c.scenes, "share/carom/scenes"));
    assert_false(c.help || c.version);
    config_deinit(&c);
}

static void config_options_are_taken(void **state)
{
    (void)state;
    config c;
    error err;
    const char *const *arguments =
        ARGS("--listen", "[::1]:0", "--hz=128", "--threads", "3", "--world-threads", "2", "--world",
             "a:demo", "--world=b", "--scenes", "/dev", "--log", "debug", "--limit", "worlds=7");
    assert_int_equal(load(&c, &err, arguments), STATUS_OK);
    assert_string_equal(c.host, "::1");
    assert_int_equal(c.port, 0);
    assert_true(c.hz == 128.0);
    assert_int_equal(c.threads, 3);
    assert_int_equal(c.world_threads, 2);
    assert_int_equal(c.worlds.count, 2);
    assert_string_equal(c.worlds.data[0].name, "a");
    assert_string_equal(c.worlds.data[0].scene, "demo");
    assert_string_equal(c.worlds.data[1].name, "b");
    assert_string_equal(c.worlds.data[1].scene, "");
    assert_string_equal(c.scenes, "/dev");
    assert_int_equal(c.log, LOG_DEBUG);
    assert_int_equal(c.limits.worlds, 7);
    config_deinit(&c);
}

static void config_variables_are_taken(void **state)
{
    (void)state;
    config c;
    error err;
    environment = (const char *const[]){"CAROM_LISTEN",  "0.0.0.0:1", "CAROM_WORLD",
                                        "one:demo, two", "CAROM_HZ",  "30",
                                        "CAROM_LIMIT",   "worlds=2",  NULL};
    assert_int_equal(load(&c, &err, NULL), STATUS_OK);
    assert_string_equal(c.host, "0.0.0.0");
    assert_int_equal(c.port, 1);
    assert_true(c.hz == 30.0);
    assert_int_equal(c.worlds.count, 2);
    assert_string_equal(c.worlds.data[1].name, "two");
    assert_int_equal(c.limits.worlds, 2);
    config_deinit(&c);
}

static void config_option_comes_before_variable(void **state)
{
    (void)state;
    config c;
    error err;
    environment = (const char *const[]){"CAROM_HZ", "not a number", "CAROM_WORLD", "x", NULL};
    assert_int_equal(load(&c, &err, ARGS("--hz", "50", "--world", "y")), STATUS_OK);
    assert_true(c.hz == 50.0);
    assert_int_equal(c.worlds.count, 1);
    assert_string_equal(c.worlds.data[0].name, "y");
    config_deinit(&c);
}

static void config_help_and_version_are_switches(void **state)
{
    (void)state;
    config c;
    error err;
    assert_int_equal(load(&c, &err, ARGS("--help")), STATUS_OK);
    assert_true(c.help);
    config_deinit(&c);
    assert_int_equal(load(&c, &err, ARGS("--version")), STATUS_OK);
    assert_true(c.version);
    config_deinit(&c);
    assert_int_equal(load(&c, &err, ARGS("-h")), STATUS_OK);
    assert_true(c.help);
    config_deinit(&c);
    assert_int_equal(load(&c, &err, ARGS("--version=2")), STATUS_INVALID_ARGUMENT);
    assert_string_equal(err.text, "--version takes no value");
    config_deinit(&c);
}

static void config_wrong_values_are_told_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *option, *value, *text;
    } WRONG[] = {
        {"--listen", "22766", "--listen: '22766' is not HOST:PORT, as 127.0.0.1:22766"},
        {"--http", "x", "--http: 'x' is not off or HOST:PORT, as 127.0.0.1:22767"},
        {"--listen", "host:99999", "--listen"},
        {"--listen", ":1", "--listen"},
        {"--listen", "::1:80", "--listen"},
        {"--listen", "host:", "--listen"},
        {"--listen", "host:+1", "--listen"},
        {"--hz", "0", "--hz: must be a number from 1 to 1000, not '0'"},
        {"--hz", "fast", "--hz"},
        {"--hz", "nan", "--hz"},
        {"--hz", "0x10", "--hz: must be a number from 1 to 1000, not '0x10'"},
        {"--origin", "https://play.example:99999", "--origin"},
        {"--origin", "https://play.example:0", "--origin"},
        {"--origin", "https://[::1]:8x", "--origin"},
        {"--hz", "", "--hz"},
        {"--threads", "0", "--threads"},
        {"--threads", "65", "--threads"},
        {"--threads", "-1", "--threads"},
        {"--world-threads", "0", "--world-threads"},
        {"--world-threads", "65", "--world-threads"},
        {"--io-threads", "0", "--io-threads"},
        {"--io-threads", "65", "--io-threads"},
        {"--memory", "", "--memory"},
        {"--memory", "M", "--memory"},
        {"--memory", "63M", "--memory: must be a number of bytes from 64M to 64T, with K, M or G"},
        {"--memory", "65T", "--memory"},
        {"--memory", "99999999999999G", "--memory"},
        {"--memory", "1.5G", "--memory"},
        {"--memory", "-1G", "--memory"},
        {"--world", "no spaces", "--world"},
        {"--world", "", "--world"},
        {"--world", "a:", "--world"},
        {"--world", "a:b:c", "--world"},
        {"--world", "a:..", "--world"},
        {"--scenes", "", "--scenes: must be the path of a folder"},
        {"--scenes", "/nonexistent", "--scenes: '/nonexistent': No such file or directory"},
        {"--scenes", "/dev/null", "--scenes: '/dev/null' is not a folder"},
        {"--log", "loud", "--log: must be error, warn, info or debug, not 'loud'"},
        {"--limit", "worlds", "--limit: 'worlds' is not NAME=VALUE"},
        {"--limit", "words=1", "--limit: no limit is called 'words'"},
        {"--limit", "worlds=0", "--limit: worlds must be a whole number from 1 to"},
    };
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        config c;
        error err;
        status s = load(&c, &err, ARGS(WRONG[i].option, WRONG[i].value));
        assert_int_equal(s, STATUS_INVALID_ARGUMENT);
        assert_true(strncmp(err.text, WRONG[i].text, strlen(WRONG[i].text)) == 0);
        config_deinit(&c);
    }
}

static void config_unknown_or_bare_option_is_an_error(void **state)
{
    (void)state;
    config c;
    error err;
    assert_int_equal(load(&c, &err, ARGS("--lisen", "x")), STATUS_INVALID_ARGUMENT);
    assert_string_equal(err.text, "unknown option '--lisen'; did you mean '--listen'?");
    config_deinit(&c);
    assert_int_equal(load(&c, &err, ARGS("demo")), STATUS_INVALID_ARGUMENT);
    assert_string_equal(err.text, "'demo' is one word too many");
    config_deinit(&c);
    assert_int_equal(load(&c, &err, ARGS("--hz")), STATUS_INVALID_ARGUMENT);
    assert_string_equal(err.text, "--hz needs a value: --hz HZ");
    config_deinit(&c);
    assert_int_equal(load(&c, &err, ARGS("--world", "a", "--world", "a")), STATUS_INVALID_ARGUMENT);
    assert_string_equal(err.text, "--world: world 'a' is named twice");
    config_deinit(&c);
}

static void config_wrong_variable_is_told_by_name(void **state)
{
    (void)state;
    config c;
    error err;
    environment = (const char *const[]){"CAROM_THREADS", "many", NULL};
    assert_int_equal(load(&c, &err, NULL), STATUS_INVALID_ARGUMENT);
    assert_true(strncmp(err.text, "CAROM_THREADS: ", 15) == 0);
    config_deinit(&c);
}

// ---- a file

static char file_path[64];

static void write_file(const char *text, size_t size)
{
    FILE *out = fopen(file_path, "w");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, size, out), size);
    fclose(out);
}

static status load_file(config *c, error *err, const char *text, const char *const *arguments)
{
    const char *argv[16] = {"--config", file_path};
    for (int i = 0; arguments != NULL && arguments[i] != NULL; i++) {
        argv[i + 2] = arguments[i];
    }
    write_file(text, strlen(text));
    return load(c, err, argv);
}

static int make_file(void **state)
{
    (void)state;
    environment = NULL;
    strcpy(file_path, "/tmp/carom_config_XXXXXX");
    int file = mkstemp(file_path);
    return file < 0 ? -1 : close(file);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(file_path);
}

static void config_file_settings_are_taken(void **state)
{
    (void)state;
    config c;
    error err;
    static const char TEXT[] = "# the server of the arcade\n"
                               "\n"
                               "  listen = 127.0.0.1:9000  \r\n"
                               "hz=30\n"
                               "world = one:demo\n"
                               "world = two\n"
                               "limit = worlds=5\n"
                               "origin = https://play.example\n"
                               "insecure = 1\n"
                               "log-format = json";
    assert_int_equal(load_file(&c, &err, TEXT, NULL), STATUS_OK);
    assert_int_equal(c.port, 9000);
    assert_true(c.hz == 30.0);
    assert_int_equal(c.worlds.count, 2);
    assert_string_equal(c.worlds.data[1].name, "two");
    assert_int_equal(c.limits.worlds, 5);
    assert_int_equal(c.origins.count, 1);
    assert_true(c.insecure);
    assert_int_equal(c.log_format, LOG_JSON);
    config_deinit(&c);
}

static void config_file_comes_after_options_and_variables(void **state)
{
    (void)state;
    config c;
    error err;
    static const char TEXT[] =
        "hz = 30\nthreads = 3\nworld = file\nworld-threads = 2\nio-threads = 4\n";
    environment = (const char *const[]){"CAROM_THREADS", "5", NULL};
    assert_int_equal(load_file(&c, &err, TEXT, ARGS("--hz", "50", "--world", "option")), STATUS_OK);
    assert_true(c.hz == 50.0);
    assert_int_equal(c.threads, 5);
    assert_int_equal(c.io_threads, 4);
    assert_int_equal(c.world_threads, 2);
    assert_int_equal(c.worlds.count, 1);
    assert_string_equal(c.worlds.data[0].name, "option");
    config_deinit(&c);
}

static void config_file_faults_are_told_with_their_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *line, *told;
    } WRONG[] = {
        {"# x\nhz = fast\n", ":2: ", "hz: must be a number from 1 to 1000, not 'fast'"},
        {"hz = 0", ":1: ", "hz: must be"},
        {"hz 30\n", ":1: ", "a line is NAME = VALUE"},
        {"= 30\n", ":1: ", "a line is NAME = VALUE"},
        {"\n\nlisen = x\n", ":3: ", "no setting is called 'lisen'"},
        {"help = 1\n", ":1: ", "no setting is called 'help'"},
        {"config = other\n", ":1: ", "no setting is called 'config'"},
        {"check-data = /x\n", ":1: ", "no setting is called 'check-data'"},
        {"hz = 30\nhz = 40\n", ":2: ", "hz is already set in line 1"},
        {"world = a\nworld = a\n", ":2: ", "world: world 'a' is named twice"},
        {"insecure = yes\n", ":1: ", "insecure: must be 0 or 1, not 'yes'"},
        {"limit = worlds=0\n", ":1: ", "limit: worlds must be a whole number"},
    };
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        config c;
        error err;
        assert_int_equal(load_file(&c, &err, WRONG[i].text, NULL), STATUS_INVALID_ARGUMENT);
        assert_true(strncmp(err.text, file_path, strlen(file_path)) == 0);
        assert_true(strncmp(err.text + strlen(file_path), WRONG[i].line, strlen(WRONG[i].line)) ==
                    0);
        assert_non_null(strstr(err.text, WRONG[i].told));
        config_deinit(&c);
        // A wrong line is reported even if an option overrides it.
        if (strstr(WRONG[i].text, "hz = ") != NULL) {
            assert_int_equal(load_file(&c, &err, WRONG[i].text, ARGS("--hz", "50")),
                             STATUS_INVALID_ARGUMENT);
            config_deinit(&c);
        }
    }
}

static void config_file_has_bounds(void **state)
{
    (void)state;
    config c;
    error err;
    static char text[CONFIG_LINE_BYTES_MAX + 2];
    memset(text, '#', sizeof text);
    write_file(text, CONFIG_LINE_BYTES_MAX - 1);
    assert_int_equal(load(&c, &err, ARGS("--config", file_path)), STATUS_OK);
    config_deinit(&c);
    write_file(text, CONFIG_LINE_BYTES_MAX);
    assert_int_equal(load(&c, &err, ARGS("--config", file_path)), STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, ":1: a line has at most 8191 bytes"));
    config_deinit(&c);
    write_file("hz = 3\0", 7);
    assert_int_equal(load(&c, &err, ARGS("--config", file_path)), STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, ":1: a zero byte"));
    config_deinit(&c);
    static char lines[CONFIG_FILE_LINES_MAX + 1];
    memset(lines, '\n', sizeof lines);
    write_file(lines, CONFIG_FILE_LINES_MAX);
    assert_int_equal(load(&c, &err, ARGS("--config", file_path)), STATUS_OK);
    config_deinit(&c);
    write_file(lines, CONFIG_FILE_LINES_MAX + 1);
    assert_int_equal(load(&c, &err, ARGS("--config", file_path)), STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, ":10001: a file has at most 10000 lines"));
    config_deinit(&c);
    assert_int_equal(load(&c, &err, ARGS("--config", "/nonexistent")), STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(err.text, "'/nonexistent' cannot be read: No such file"));
    config_deinit(&c);
    assert_int_equal(load(&c, &err, ARGS("--config", "/")), STATUS_INVALID_ARGUMENT);
    config_deinit(&c);
}

static void memory_has_units(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } GOOD[] = {{"67108864", 64 << 20},
                {"65536K", 64 << 20},
                {"100M", 100 << 20},
                {"3G", (uint64_t)3 << 30},
                {"65536G", (uint64_t)64 << 40}};
    for (size_t i = 0; i < sizeof GOOD / sizeof *GOOD; i++) {
        config c;
        error err;
        assert_int_equal(load(&c, &err, ARGS("--memory", GOOD[i].text)), STATUS_OK);
        assert_true(c.memory == GOOD[i].bytes);
        config_deinit(&c);
    }
}

static void config_help_names_every_option_and_limit(void **state)
{
    (void)state;
    static char text[65536];
    FILE *out = fmemopen(text, sizeof text - 1, "w");
    assert_non_null(out);
    config_help(out);
    fclose(out);
    static const char *const NAMES[] = {"--listen", "--hz",      "--threads",  "--world-threads",
                                        "--world",  "--scenes",  "--limit",    "--log",
                                        "--help",   "--version", "CAROM_WORLD"};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        assert_non_null(strstr(text, NAMES[i]));
    }
    for (size_t i = 0; limits_info(i) != NULL; i++) {
        assert_non_null(strstr(text, limits_info(i)->name));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(http_has_an_address_or_is_off, clear_environment),
        cmocka_unit_test_setup(origins_are_those_of_pages, clear_environment),
        cmocka_unit_test_setup(viewer_servers_are_web_sockets, clear_environment),
        cmocka_unit_test_setup(config_without_options_has_defaults, clear_environment),
        cmocka_unit_test_setup(config_options_are_taken, clear_environment),
        cmocka_unit_test_setup(config_variables_are_taken, clear_environment),
        cmocka_unit_test_setup(config_option_comes_before_variable, clear_environment),
        cmocka_unit_test_setup(memory_has_units, clear_environment),
        cmocka_unit_test_setup(config_help_and_version_are_switches, clear_environment),
        cmocka_unit_test_setup(config_wrong_values_are_told_by_name, clear_environment),
        cmocka_unit_test_setup(config_unknown_or_bare_option_is_an_error, clear_environment),
        cmocka_unit_test_setup(config_wrong_variable_is_told_by_name, clear_environment),
        cmocka_unit_test_setup_teardown(config_file_settings_are_taken, make_file, remove_file),
        cmocka_unit_test_setup_teardown(config_file_comes_after_options_and_variables, make_file,
                                        remove_file),
        cmocka_unit_test_setup_teardown(config_file_faults_are_told_with_their_line, make_file,
                                        remove_file),
        cmocka_unit_test_setup_teardown(config_file_has_bounds, make_file, remove_file),
        cmocka_unit_test_setup(config_help_names_every_option_and_limit, clear_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
