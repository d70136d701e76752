// backup, restore: the data directory of a server in one file, and back. Main thread only.
//
// Neither needs the server: a backup reads the directory's files beside it.
#include <inttypes.h>
#include <stdio.h>

#include "client/cli/commands.h"
#include "client/cli/text.h"
#include "server/storage/storage.h"

static cli_exit fail(const struct error *err)
{
    cli_error(CLI_CODE_FILE, "%s", err->text);
    return CLI_USAGE;
}

static cli_exit tell(const cli *c, const char *verb, const char *from, const char *to,
                     const storage_report *r)
{
    if (c->json) {
        carom_value *told = carom_set(carom_map(), "from", carom_str(from));
        carom_set(told, "to", carom_str(to));
        carom_set(told, "worlds", carom_uint(r->worlds));
        carom_set(told, "records", carom_uint(r->records));
        carom_set(told, "images", carom_uint(r->images));
        carom_set(told, "bytes", carom_uint(r->bytes + r->image_bytes));
        cli_exit code = cli_print_json(told);
        carom_value_free(told);
        return code;
    }
    char bytes[32];
    text_from_bytes((double)(r->bytes + r->image_bytes), bytes, sizeof bytes);
    (void)printf("%s %s: %llu %s, %llu %s and %llu %s, %s, sound\n", verb, to,
                 TEXT_COUNTED(r->worlds, "world", "worlds"),
                 TEXT_COUNTED(r->records, "record", "records"),
                 TEXT_COUNTED(r->images, "image", "images"), bytes);
    return CLI_OK;
}

static cli_exit run_backup(cli *c)
{
    const char *path = args_word(&c->args, 0);
    const char *file = args_word(&c->args, 1);
    storage_report report = {0};
    struct error err;
    return storage_copy(path, file, &report, &err) == STATUS_OK
               ? tell(c, "backed up to", path, file, &report)
               : fail(&err);
}

static cli_exit run_restore(cli *c)
{
    const char *file = args_word(&c->args, 0);
    const char *path = args_word(&c->args, 1);
    storage_report report = {0};
    struct error err;
    if (storage_restore(file, path, &err) != STATUS_OK ||
        storage_check(path, NULL, &report, &err) != STATUS_OK) {
        return fail(&err);
    }
    return tell(c, "restored to", file, path, &report);
}

const cli_command command_backup = {
    .name = "backup",
    .group = "Replay",
    .summary = "back up the data directory of a server, which may be running",
    .operands = (const args_operand[]){{"DIR", ARGS_FILE, true, false, NULL},
                                       {"FILE", ARGS_FILE, true, false, NULL},
                                       {0}},
    .options = (const args_option[]){{0}},
    .details =
        "DIR is what the server has as --data, on this machine. The backup holds every world "
        "with all that was\n"
        "committed when it began, and is checked before it appears under its name. The "
        "server is not asked,\n"
        "and does not wait. FILE must not exist.",
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
