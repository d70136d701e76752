// backup, restore: packs the data directory of a server into one file, and unpacks it. Main thread
// only.
//
// Neither needs the server: a backup reads the directory's files, while a server may be using them.
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <carom/backup.h>

#include "client/cli/commands.h"
#include "common/args/text.h"

static cli_exit tell(const cli *c, const char *verb, const char *from, const char *to,
                     const carom_backup_report *r)
{
    if (c->json) {
        carom_value *told = carom_set(carom_map(), "from", carom_str(from));
        carom_set(told, "to", carom_str(to));
        carom_set(told, "worlds", carom_uint(r->worlds));
        carom_set(told, "records", carom_uint(r->records));
        carom_set(told, "images", carom_uint(r->images));
        carom_set(told, "bytes", carom_uint(r->bytes));
        cli_exit code = cli_print_json(told);
        carom_value_free(told);
        return code;
    }
    char bytes[32];
    text_from_bytes((double)r->bytes, bytes, sizeof bytes);
    (void)printf("%s %s: %llu %s, %llu %s and %llu %s, %s, sound\n", verb, to,
                 TEXT_COUNTED(r->worlds, "world", "worlds"),
                 TEXT_COUNTED(r->records, "record", "records"),
                 TEXT_COUNTED(r->images, "image", "images"), bytes);
    return CLI_OK;
}

typedef bool copy(const char *from, const char *to, carom_backup_report *report,
                  char error[CAROM_BACKUP_ERROR_MAX]);

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

// The two words may be swapped: a backup goes from a folder to a file, and a restore back.
static void hint_swapped(const cli *c, bool from_folder, const char *from, const char *to)
{
    if (is_folder(from) != from_folder && is_folder(to) == from_folder && access(to, F_OK) == 0) {
        cli_hint("%s: carom %s %s %s",
                 from_folder ? "DIR comes before FILE" : "FILE comes before DIR", c->command->name,
                 to, from);
    }
}

static cli_exit run_copy(const cli *c, const char *verb, copy *function)
{
    const char *from = args_word(&c->args, 0);
    const char *to = args_word(&c->args, 1);
    carom_backup_report report;
    char error[CAROM_BACKUP_ERROR_MAX];
    if (!function(from, to, &report, error)) {
        cli_error(CLI_CODE_FILE, "%s", error);
        hint_swapped(c, function == carom_backup, from, to);
        return CLI_USAGE;
    }
    return tell(c, verb, from, to, &report);
}

static cli_exit run_backup(cli *c)
{
    return run_copy(c, "backed up to", carom_backup);
}

static cli_exit run_restore(cli *c)
{
    return run_copy(c, "restored to", carom_restore);
}

const cli_command command_backup = {
    .name = "backup",
    .group = "Replay",
    .summary = "back up the data directory of a server, which may be running",
    .operands = (const args_operand[]){{"DIR", ARGS_FILE, true, false, NULL},
                                       {"FILE", ARGS_FILE, true, false, NULL},
                                       {0}},
    .options = (const args_option[]){{0}},
    .details = "DIR is the server's --data directory, on this machine. The backup holds every "
               "world with all\n"
               "that was committed when it began, and is checked before it appears under its name. "
               "The server\n"
               "is not asked, and does not wait. FILE must not exist.",
    .examples = "  carom backup /var/lib/carom worlds-monday.carombackup\n"
                "  carom restore worlds-monday.carombackup /var/lib/carom-copy",
    .run = run_backup,
};

const cli_command command_restore = {
    .name = "restore",
    .group = "Replay",
    .summary = "make a data directory of a backup",
    .operands = (const args_operand[]){{"FILE", ARGS_FILE, true, false, NULL},
                                       {"DIR", ARGS_FILE, true, false, NULL},
                                       {0}},
    .options = (const args_option[]){{0}},
    .details = "DIR must not exist, or be empty. The backup is read whole before anything is "
               "written, and the\n"
               "directory is checked afterwards; a server can then be started on it.",
    .examples = "  carom restore worlds-monday.carombackup restored\n  caromd --data restored",
    .run = run_restore,
};
