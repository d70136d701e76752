"""proto/generate.py: the checked-in files follow proto/schema, and a wrong description is refused with its place.

Usage: test_generate.py [PROJECT_ROOT]
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
    ROOT = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(ROOT / "proto"))
from generate import headers, schema  # noqa: E402

SCHEMA = ROOT / "proto" / "schema"


def generate(*options, root=ROOT):
    return subprocess.run([sys.executable, root / "proto" / "generate.py", *options], capture_output=True, text=True)


class Tree(unittest.TestCase):
    def test_files_checked_in_are_what_the_schema_says(self):
        run = generate("--check")
        self.assertEqual((0, ""), (run.returncode, run.stderr))

    def test_methods_keep_their_numbers(self):
        # The compact form of logs writes these numbers: those of a released version must stay.
        names = [m.name for m in schema.load(SCHEMA, ROOT).methods]
        self.assertEqual(("hello", "body.spawn", "server.fleet", "world.move"), (names[0], names[23], names[-2], names[-1]))


class Copy(unittest.TestCase):
    """A copy of the generator's inputs and outputs, to be changed."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        shutil.copytree(ROOT / "proto" / "schema", self.root / "proto" / "schema")
        shutil.copytree(ROOT / "proto" / "generate", self.root / "proto" / "generate")
        renewed = ("proto/PROTOCOL.md", "client/web/src/results.d.ts", "server/http/README.md")
        public = [f"client/include/carom/{name}.h" for name in headers.HEADERS]
        for name in ("proto/generate.py", *renewed, *public, *schema.headers(SCHEMA)):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.root / name)

    def edit(self, name, old, new):
        path = self.root / "proto" / "schema" / name
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1), encoding="utf-8")


class Writes(Copy):
    def test_build_files_are_listed_and_an_unchanged_one_is_not_touched(self):
        folder = self.root / "out"
        self.assertEqual(0, generate("--into", folder, root=self.root).returncode)
        listed = generate("--list", root=self.root).stdout.split()
        self.assertEqual(sorted(listed), sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*.*")))
        before = {name: os.stat(folder / name).st_mtime_ns for name in listed}
        self.edit("body.toml", "# Methods of bodies.", "# Methods of bodies, and a comment.")
        self.assertEqual(0, generate("--into", folder, root=self.root).returncode)
        self.assertEqual(before, {name: os.stat(folder / name).st_mtime_ns for name in listed})
        self.edit("body.toml", 'doc = "Never turns."', 'doc = "It never turns."')
        self.assertEqual(0, generate("--into", folder, root=self.root).returncode)
        changed = [name for name in listed if os.stat(folder / name).st_mtime_ns != before[name]]
        self.assertEqual(["proto/method_table.c"], changed)  # a changed text must not compile anything else

    def test_old_files_are_named_and_renewed(self):
        self.assertEqual(0, generate("--write", root=self.root).returncode)
        self.edit("body.toml", 'doc = "Never turns."', 'doc = "It never turns."')
        run = generate("--check", root=self.root)
        self.assertEqual(1, run.returncode)
        self.assertIn("client/web/src/table.js", run.stderr)
        self.assertIn("proto/PROTOCOL.md", run.stderr)
        self.assertIn("client/include/carom/methods.hpp", run.stderr)
        self.assertIn("client/python/carom/_methods.py", run.stderr)
        self.assertNotIn("client/python/carom/_native.py", run.stderr)
        self.assertNotIn("client/web/src/methods.js", run.stderr)
        self.assertEqual(0, generate("--write", root=self.root).returncode)
        self.assertEqual(0, generate("--check", root=self.root).returncode)


    def test_new_method_is_put_into_the_page_behind_the_one_before(self):
        method = ('[[method]]\nname = "body.nap"\nrole = "viewer"\nscope = "read"\nsummary = "Naps."\nresult = "{}"\n'
                  'answers = "tick"\nargs = ["world", "epoch"]\n[method.code]\napply = "nap"\n\n')
        self.edit("body.toml", '[[method]]\nname = "body.remove"', method + '[[method]]\nname = "body.remove"')
        self.assertEqual(0, generate("--write", root=self.root).returncode)
        page = (self.root / "proto" / "PROTOCOL.md").read_text(encoding="utf-8")
        self.assertIn("<!-- end -->\n\n### body.nap\n<!-- method body.nap -->\nNaps. Role: viewer.\nAnswers `{}`.\n\n| argument", page)
        self.assertLess(page.index("### body.spawn"), page.index("### body.nap"))
        self.assertLess(page.index("### body.nap"), page.index("### body.remove"))


class PublicHeaders(Copy):
    def change(self, old, new):
        path = self.root / "client" / "include" / "carom" / "many.h"
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def test_changed_struct_changes_the_bindings(self):
        self.assertEqual(0, generate("--write", root=self.root).returncode)
        self.change("double least, most;", "float least; double most;")
        self.assertIn("knows no type 'float'", generate("--check", root=self.root).stderr)
        self.change("float least; double most;", "double least, middle, most;")
        run = generate("--check", root=self.root)
        self.assertIn("client/python/carom/_native.py", run.stderr)
        self.assertIn("client/csharp/Carom/Native.cs", run.stderr)
        self.assertNotIn("client/python/carom/_methods.py", run.stderr)

    def test_unknown_declaration_is_refused(self):
        self.change("typedef struct carom_many carom_many;", "typedef struct carom_many carom_many;\nunion pair { int a; };")
        run = generate("--write", root=self.root)
        self.assertEqual(1, run.returncode)
        self.assertIn("carom/many.h: 'union pair", run.stderr)


class Refused(Copy):
    def refused(self, name, old, new, *words):
        """Checks that the change is refused; the text names the file, the line of the change and the fault."""
        self.edit(name, old, new)
        text = (self.root / "proto" / "schema" / name).read_text(encoding="utf-8")
        with self.assertRaises(schema.SchemaError) as refusal:
            schema.load(self.root / "proto" / "schema", self.root)
        told = str(refusal.exception)
        for word in words:
            self.assertIn(word, told)
        return told, 1 + text[:text.index(new)].count("\n") if new else None

    def at_line(self, name, old, new, *words):
        told, line = self.refused(name, old, new, *words)
        self.assertIn(f"{name}:{line}: ", told)

    MASS = '{name = "mass", type = "number", range = [0, "PHYSICS_MASS_MAX"], default = 0'

    def test_text_that_is_no_toml(self):
        self.refused("body.toml", 'name = "body.get"', 'name = body.get', "body.toml", "line")

    def test_file_that_is_not_listed(self):
        shutil.copy(SCHEMA / "body.toml", self.root / "proto" / "schema" / "more.toml")
        self.refused("schema.toml", '"query",', '"query" ,', "more.toml", "schema.toml lists")

    def test_unknown_kind_of_entry(self):
        self.refused("query.toml", "[[list]]", "[[lst]]", "query.toml", "no such kind", "'list'")

    def test_unknown_key(self):
        self.at_line("body.toml", self.MASS, self.MASS.replace("range", "rnge"),
                     "body_values, mass", "unknown key 'rnge'", "did you mean 'range'")

    def test_missing_key(self):
        self.refused("body.toml", 'summary = "All about a body."\n', "", "body.get", "'summary' is missing")

    def test_unknown_type(self):
        self.at_line("body.toml", self.MASS, self.MASS.replace('"number"', '"nmber"'), "mass", "did you mean 'number'")

    def test_key_that_the_type_does_not_have(self):
        self.at_line("body.toml", 'name = "bullet", type = "bool"', 'name = "bullet", unit = "m", type = "bool"',
                     "bullet", "unknown key 'unit'")

    def test_unknown_limit(self):
        self.at_line("body.toml", self.MASS, self.MASS.replace("MASS_MAX", "MAS_MAX"),
                     "there is no limit PHYSICS_MAS_MAX", "did you mean 'PHYSICS_MASS_MAX'")

    def test_limit_that_the_header_does_not_define(self):
        self.refused("limits.toml", '"PHYSICS_SPIN_MAX"', '"PHYSICS_SPINS_MAX"', "physics.h", "PHYSICS_SPINS_MAX is not defined")

    def test_empty_range(self):
        self.at_line("body.toml", self.MASS, self.MASS.replace('[0, "PHYSICS_MASS_MAX"]', '["PHYSICS_MASS_MAX", 0]'),
                     "its range is empty")

    def test_number_without_a_range(self):
        self.at_line("body.toml", self.MASS, self.MASS.replace('range = [0, "PHYSICS_MASS_MAX"], ', ''), "range = [least, most]")

    def test_default_outside_of_the_range(self):
        self.at_line("body.toml", self.MASS, self.MASS.replace("default = 0", "default = -1"), "default -1 is not within 0")

    def test_default_that_is_no_word_of_the_choice(self):
        self.at_line("body.toml", 'default = "dynamic"', 'default = "dynamite"', "'dynamite' is no choice of static, kinematic")

    def test_default_of_a_required_argument(self):
        self.at_line("body.toml", 'name = "force", c = "vector", type = "vector", required = true',
                     'name = "force", c = "vector", type = "vector", default = [0, 0], required = true', "required argument has no default")

    def test_unknown_enum(self):
        self.at_line("body.toml", 'words = "body_type"', 'words = "body_tpe"', "did you mean 'body_type'")

    def test_argument_twice(self):
        self.refused("body.toml", 'name = "tag", type', 'name = "mass", type', "mass: is there twice")

    def test_too_many_arguments(self):
        row = '    {name = "n%d", type = "bool", doc = "More."},\n'
        old = '    {name = "shapes", type = "shapes"'
        self.refused("body.toml", old, "".join(row % i for i in range(20)) + old, "body.spawn", "has 40 arguments; 32")

    def test_unknown_shared_argument_and_list(self):
        self.at_line("query.toml", '"world", "from", "to"', '"world", "form", "to"', "no such [[argument]]", "'from'")

    def test_unknown_list(self):
        self.refused("query.toml", '{list = "query_rest"}', '{list = "query_rset"}', "no such list", "'query_rest'")

    def test_shared_argument_that_nothing_takes(self):
        self.refused("query.toml", '[[method]]', '[[argument]]\nname = "idle"\ntype = "bool"\ndoc = "Idle."\n\n[[method]]',
                     "query.toml", "idle", "nothing takes this argument")

    def test_method_twice(self):
        self.refused("body.toml", 'name = "body.get"', 'name = "body.set"', "body.set", "there is such a method already")

    def test_role_and_scope_of_another_kind(self):
        self.refused("joint.toml", 'role = "player"', 'role = "umpire"', "role 'umpire' is none of none, viewer")

    def test_world_without_an_epoch(self):
        self.refused("body.toml", 'args = ["world", "body", "epoch"]', 'args = ["world", "body"]', "'epoch' is the last argument")

    def test_batch_without_a_plan(self):
        self.refused("body.toml", 'plan = "get"\n', '', "body.get", "plan in code")

    def test_arguments_without_a_decoder(self):
        self.refused("session.toml", 'struct = {type = "ping_args", member = "ping"}\n', '', "ping", "wants struct")

    def test_command_of_players_without_a_rule(self):
        self.refused("body.toml", 'permit = "spawn"\n', '', "body.spawn", "permit in code")

    def test_rule_about_a_subject_that_is_not_named(self):
        self.refused("body.toml", 'subject = {body = "push.body"}\n', '', "body.impulse", "subject = {body = FIELD}")

    def test_subject_of_another_kind(self):
        self.refused("body.toml", 'subject = {body = "push.body"}', 'subject = {boddy = "push.body"}', "body.impulse",
                     "one kind of body, joint, shape")

    def test_id_of_nothing(self):
        self.at_line("query.toml", 'name = "ignore", type = "id", of = "body"', 'name = "ignore", type = "id", of = "boddy"',
                     "of 'boddy' is none of body, shape, joint")

    def test_struct_with_a_field_that_wants_a_decoder(self):
        row = '    {name = "more", type = "mask", doc = "Some."},\n'
        self.refused("session.toml", '    {name = "bins", type = "bool"', row + '    {name = "bins", type = "bool"', "server.stats, more",
                     "no fields of type mask")

    def test_struct_beside_a_decoder(self):
        self.refused("session.toml", 'answer = "kick"', 'decode = "kick"\nanswer = "kick"', "server.kick", "unknown key 'decode'")

    def test_structs_of_one_name_with_other_fields(self):
        self.refused("body.toml", 'name = "torque", c = "value"', 'name = "torque"', "body.torque",
                     "body.angular_impulse has the same struct")

    def test_method_that_nothing_answers(self):
        self.refused("session.toml", 'answer = "ping"\n', '', "ping", "answer in code")

    def test_step_that_nothing_takes(self):
        self.refused("session.toml", 'answer = "ping"\n', 'anser = "ping"\n', "ping", "did you mean 'answer'")

    def test_place_of_an_argument_that_is_not_there(self):
        self.refused("query.toml", 'points = ["point"], radius = "radius"}', 'points = ["pint"], radius = "radius"}', "query.nearest",
                     "points: there is no argument 'pint' of type vector", "did you mean 'point'")
        self.edit("query.toml", '["pint"]', '["point"]')
        self.refused("query.toml", 'radius = "radius"}', 'radius = "point"}', "radius: there is no argument 'point' of type number")
        self.edit("query.toml", 'radius = "point"}', 'radius = "radius"}')
        self.refused("body.toml", 'makes = {body = "spawn.body"}', 'makes = {body = "spawn.body"}\nshows_place = {points = ["position"]}',
                     "body.spawn", "shows_place is of a method with a struct that shows a world")

    def test_unknown_trait_and_one_of_the_scope(self):
        self.refused("session.toml", 'traits = ["all_worlds"]', 'traits = ["all_world"]', "did you mean 'all_worlds'")
        self.edit("session.toml", 'traits = ["all_world"]', 'traits = ["all_worlds"]')
        self.refused("body.toml", 'makes = {body = "spawn.body"}', 'makes = {body = "spawn.body"}\ntraits = ["logged"]',
                     "body.spawn", "every method of scope command has the trait logged")

    def test_doc_that_is_no_sentence(self):
        self.at_line("body.toml", 'doc = "Never turns."', 'doc = "Never turns"', "fixed_rotation", "full stop")

    def test_rule_about_an_argument_that_is_not_there(self):
        self.refused("query.toml", 'one_of = ["area", "shape", "point"]', 'one_of = ["area", "shape", "pint"]',
                     "query.overlap", "no optional argument 'pint'", "did you mean 'point'")
        self.edit("query.toml", '"pint"]', '"point"]')
        self.refused("world.toml", 'needs = ["area", "needs an area that', 'needs = ["aera", "needs an area that',
                     "needs: there is no optional argument 'aera'")

    def test_rule_of_a_method_without_a_struct(self):
        self.refused("joint.toml", 'apply = "joint_list"', 'apply = "joint_list"\ncheck = "list"', "joint.list",
                     "rules are of methods with a struct")

    def test_answer_that_is_no_result(self):
        self.refused("query.toml", 'answers = "near"', 'answers = "neer"', "query.nearest",
                     "there is no result 'neer'; did you mean 'near'?")

    def test_answer_of_a_command_without_a_place_in_its_result(self):
        self.refused("query.toml", 'answers = "near"', 'answers = "hit"', "query.nearest", "member of command_result")

    def test_key_of_an_unknown_type(self):
        self.at_line("query.toml", '{name = "fraction", type = "number"', '{name = "fraction", type = "numbre"',
                     "hit, fraction", "type 'numbre' is none of", "did you mean 'number'?")

    def test_key_twice(self):
        self.refused("query.toml", '{name = "fraction", type = "number"', '{name = "normal", type = "number"', "hit", "has a key twice")

    def test_list_of_no_result(self):
        self.refused("query.toml", 'type = "list", of = "hit"', 'type = "list", of = "hits!"', "hits", "there is no result 'hits!'")

    def test_word_of_no_enum(self):
        self.refused("session.toml", 'type = "word", words = "role"', 'type = "word", words = "rolle"', "hello, role",
                     "there is no enum 'rolle'")

    def test_answer_of_the_server_with_a_field_of_a_command(self):
        self.refused("world.toml", '{name = "epoch", type = "count", doc = "Its epoch."}',
                     '{name = "epoch", type = "count", shared = true, doc = "Its epoch."}', "world_create, epoch", "only what commands answer")

    def test_field_of_a_part_that_the_struct_does_not_have(self):
        self.refused("body.toml", '{list = "body_values", part = "def"}', '{list = "body_values", part = "dfe"}',
                     "body.spawn", "no part 'dfe'")

    def test_limit_whose_default_is_out_of_its_range(self):
        self.refused("server_limits.toml", "default = 4096\nrange = [1, 1000000]", "default = 0\nrange = [1, 1000000]",
                     "connections", "default 0 is not within 1 to 1000000")

    def test_limit_of_an_unknown_constant(self):
        self.refused("server_limits.toml", '"PHYSICS_BODIES_MAX"', '"PHYSICS_BODY_MAX"', "bodies_per_world",
                     "no limit PHYSICS_BODY_MAX")

    def test_counter_of_an_unknown_family_or_without_its_label(self):
        self.refused("metrics.toml", 'ticks = {family = "carom_ticks_total"', 'ticks = {family = "carom_tick_total"',
                     "no family 'carom_tick_total'", "did you mean 'carom_ticks_total'")
        self.edit("metrics.toml", '"carom_tick_total"', '"carom_resumes_total"')
        self.refused("metrics.toml", "[timings]", "[timings]", "with 1 labels")

    def test_family_whose_name_does_not_say_its_type(self):
        self.refused("metrics.toml", 'carom_ticks_total = {type = "counter"', 'carom_ticks_total = {type = "gauge"',
                     "ends in _total if it is a counter's")

    def test_event_with_a_key_that_is_not_described(self):
        self.refused("events.toml", 'keys = ["joint", "a", "b"]', 'keys = ["joints", "a", "b"]', "joint_break",
                     "no event key 'joints'", "did you mean 'joint'")

    def test_error_of_a_server_behind_those_of_clients(self):
        self.refused("errors.toml", 'name = "moved"', 'name = "moved"\nside = "client"', "internal",
                     "stands before the clients' own")

    def test_program_says_it_and_fails(self):
        self.edit("body.toml", 'role = "player"', 'role = "umpire"')
        run = generate("--into", self.root / "out", root=self.root)
        self.assertEqual(1, run.returncode)
        self.assertRegex(run.stderr, r"^proto/generate.py: .*body.toml:\d+: body.spawn: role 'umpire'")
        self.assertFalse((self.root / "out").exists())


if __name__ == "__main__":
    unittest.main()
