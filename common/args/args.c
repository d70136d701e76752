// See args.h.
#include "common/args/args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/args/text.h"

enum { NAME_MAX_BYTES = 64, SUGGESTIONS_MAX = 128, CHOICES_MAX = 32, LIST_BYTES = 600 };

bool args_init(args *a, int argc)
{
    *a = (args){.room = argc > 0 ? (size_t)argc : 1};
    a->given = calloc(a->room, sizeof *a->given);
    a->words = calloc(a->room, sizeof *a->words);
    return a->given != NULL && a->words != NULL;
}

void args_deinit(args *a)
{
    free(a->given);
    free(a->words);
    *a = (args){0};
}

bool args_choice(const char *choices, size_t index, char *out, size_t size)
{
    const char *at = choices;
    while (index > 0 && at != NULL) {
        at = strchr(at, '|');
        at = at == NULL ? NULL : at + 1;
        index--;
    }
    if (at == NULL) {
        return false;
    }
    (void)snprintf(out, size, "%.*s", (int)strcspn(at, "|"), at);
    return true;
}

static bool is_choice(const char *choices, const char *value)
{
    char word[NAME_MAX_BYTES];
    for (size_t i = 0; args_choice(choices, i, word, sizeof word); i++) {
        if (strcmp(word, value) == 0) {
            return true;
        }
    }
    return false;
}

static void refuse_choice(const char *what, const char *choices, const char *value, char *error)
{
    char words[CHOICES_MAX][NAME_MAX_BYTES];
    const char *list[CHOICES_MAX];
    char told[LIST_BYTES];
    size_t count = 0;
    while (count < CHOICES_MAX && args_choice(choices, count, words[count], sizeof words[count])) {
        list[count] = words[count];
        count++;
    }
    const char *meant = text_suggest(value, list, count);
    if (meant != NULL) {
        (void)snprintf(error, ARGS_ERROR_MAX, "%s cannot be '%.100s'; did you mean '%s'?", what,
                       value, meant);
        return;
    }
    text_list(list, count, "or", told, sizeof told);
    (void)snprintf(error, ARGS_ERROR_MAX, "%s cannot be '%.100s'; it is %s%s", what, value,
                   count > 1 ? "one of " : "", told);
}

// Describes the kind's values for the error text; NULL if any value is valid.
static const char *kind_looks(args_kind kind)
{
    switch (kind) {
    case ARGS_ID:
    case ARGS_BODY:
    case ARGS_SESSION:
        return "an id from 1 to " TEXT_WHOLE_MAX " such as 12";
    case ARGS_WHOLE:
        return "a whole number up to " TEXT_WHOLE_MAX " such as 3";
    case ARGS_COUNT:
        return "a whole number from 1 to " TEXT_WHOLE_MAX;
    case ARGS_NUMBER:
        return "a number such as 1.5";
    case ARGS_VECTOR:
        return "two numbers such as 1.5,-2";
    case ARGS_AREA:
        return "four numbers such as -10,0,10,5";
    case ARGS_SIZE:
        return "a width and a height in characters such as 80x24";
    case ARGS_BOX:
        return "a width and a height in metres such as 1x0.5";
    case ARGS_SECONDS:
        return "a time such as 5, 250ms or 2m";
    case ARGS_PAIR:
        return "NAME=VALUE such as gravity=0,-1.62";
    case ARGS_WORLD:
    case ARGS_METHOD:
    case ARGS_SCENE:
    case ARGS_FIELD:
    case ARGS_KINDS:
    case ARGS_TOPIC:
    case ARGS_FILE:
        return "a name";
    case ARGS_FLAG:
    case ARGS_TEXT:
    case ARGS_CHOICE:
    case ARGS_JSON:
        break;
    }
    return NULL;
}

static bool kind_accepts(args_kind kind, const char *value)
{
    double numbers[4];
    uint64_t whole = 0;
    switch (kind) {
    case ARGS_ID:
    case ARGS_BODY:
    case ARGS_SESSION:
    case ARGS_COUNT:
        return text_to_whole(value, &whole) && whole > 0;
    case ARGS_WHOLE:
        return text_to_whole(value, &whole);
    case ARGS_NUMBER:
        return text_to_number(value, numbers);
    case ARGS_VECTOR:
        return text_to_numbers(value, 2, numbers);
    case ARGS_AREA:
        return text_to_numbers(value, 4, numbers);
    case ARGS_SIZE:
    case ARGS_BOX:
        return text_to_size(value, numbers);
    case ARGS_SECONDS:
        return text_to_seconds(value, numbers);
    case ARGS_PAIR:
        return strchr(value, '=') != NULL && value[0] != '=';
    case ARGS_WORLD:
    case ARGS_METHOD:
    case ARGS_SCENE:
    case ARGS_FIELD:
    case ARGS_KINDS:
    case ARGS_TOPIC:
    case ARGS_FILE:
        return value[0] != '\0';
    case ARGS_FLAG:
    case ARGS_TEXT:
    case ARGS_CHOICE:
    case ARGS_JSON:
        break;
    }
    return true;
}

bool args_value_check(const char *what, args_kind kind, const char *choices, const char *value,
                      char error[ARGS_ERROR_MAX])
{
    if (kind == ARGS_CHOICE) {
        if (is_choice(choices, value)) {
            return true;
        }
        refuse_choice(what, choices, value, error);
        return false;
    }
    if (kind_accepts(kind, value)) {
        return true;
    }
    if (kind == ARGS_PAIR) {
        (void)snprintf(error, ARGS_ERROR_MAX, "'%.100s' is not %s", value, kind_looks(kind));
        return false;
    }
    (void)snprintf(error, ARGS_ERROR_MAX, "%s takes %s, not '%.100s'", what, kind_looks(kind),
                   value);
    return false;
}

static const args_option *find_in(const args_option *list, const char *name, size_t size)
{
    for (; list != NULL && list->name != NULL; list++) {
        if (strlen(list->name) == size && strncmp(list->name, name, size) == 0) {
            return list;
        }
    }
    return NULL;
}

static const args_option *find_letter(const args_option *list, char letter)
{
    for (; list != NULL && list->name != NULL; list++) {
        if (list->letter == letter) {
            return list;
        }
    }
    return NULL;
}

static size_t gather_names(const args_option *list, const char **out, size_t count)
{
    for (; list != NULL && list->name != NULL && count < SUGGESTIONS_MAX; list++) {
        out[count++] = list->name;
    }
    return count;
}

static bool refuse_option(args *a, const args_grammar *grammar, const char *word)
{
    const char *names[SUGGESTIONS_MAX];
    size_t count = gather_names(grammar->options, names, 0);
    count = gather_names(grammar->globals, names, count);
    char plain[NAME_MAX_BYTES];
    const char *start = word + strspn(word, "-");
    (void)snprintf(plain, sizeof plain, "%.*s", (int)strcspn(start, "="), start);
    const char *meant = text_suggest(plain, names, count);
    if (meant != NULL) {
        (void)snprintf(a->error, sizeof a->error, "unknown option '%.100s'; did you mean '--%s'?",
                       word, meant);
    } else {
        (void)snprintf(a->error, sizeof a->error, "unknown option '%.100s'", word);
    }
    return false;
}

// Reads the option at argv[*at], which begins with a dash.
static bool take_option(args *a, const args_grammar *grammar, int argc, const char *const *argv,
                        int *at)
{
    const char *word = argv[*at];
    bool is_long = word[1] == '-';
    const char *name = word + (is_long ? 2 : 1);
    size_t size = is_long ? strcspn(name, "=") : 1;
    const args_option *option =
        is_long ? find_in(grammar->options, name, size) : find_letter(grammar->options, *name);
    if (option == NULL) {
        option =
            is_long ? find_in(grammar->globals, name, size) : find_letter(grammar->globals, *name);
    }
    if (option == NULL) {
        return refuse_option(a, grammar, word);
    }
    char shown[NAME_MAX_BYTES + 2];
    (void)snprintf(shown, sizeof shown, "--%s", option->name);
    const char *attached = name[size] == '\0' ? NULL : name + size + (name[size] == '=' ? 1 : 0);
    *at += 1;
    if (option->kind == ARGS_FLAG) {
        if (attached != NULL) {
            (void)snprintf(a->error, sizeof a->error, "%s takes no value", shown);
            return false;
        }
    } else if (attached == NULL) {
        if (*at >= argc) {
            (void)snprintf(a->error, sizeof a->error, "%s needs a value: %s %s", shown, shown,
                           option->value);
            return false;
        }
        attached = argv[*at];
        *at += 1;
    }
    if (attached != NULL &&
        !args_value_check(shown, option->kind, option->choices, attached, a->error)) {
        return false;
    }
    a->given[a->given_count++] = (args_given){.option = option, .value = attached};
    return true;
}

// "-" is standard input, "-1", "-.5" and "-1,2" are numbers.
static bool looks_like_option(const char *word)
{
    return word[0] == '-' && word[1] != '\0' && word[1] != '.' &&
           !(word[1] >= '0' && word[1] <= '9');
}

bool args_read(args *a, const args_grammar *grammar, bool until_word, int argc,
               const char *const *argv, int *at)
{
    bool options_over = false;
    while (*at < argc) {
        const char *word = argv[*at];
        if (!options_over && strcmp(word, "--") == 0) {
            options_over = true;
            *at += 1;
        } else if (!options_over && looks_like_option(word)) {
            if (!take_option(a, grammar, argc, argv, at)) {
                return false;
            }
        } else if (until_word) {
            return true;
        } else {
            a->words[a->word_count++] = word;
            *at += 1;
        }
    }
    return true;
}

bool args_check(args *a, const args_grammar *grammar)
{
    const args_operand *operand = grammar->operands;
    for (size_t i = 0; i < a->word_count; i++) {
        if (operand == NULL || operand->name == NULL) {
            (void)snprintf(a->error, sizeof a->error, "'%.100s' is one word too many", a->words[i]);
            return false;
        }
        if (!args_value_check(operand->name, operand->kind, operand->choices, a->words[i],
                              a->error)) {
            return false;
        }
        operand += operand->repeated ? 0 : 1;
    }
    bool satisfied = operand == NULL || operand->name == NULL || !operand->required;
    bool once_is_enough = operand != NULL && operand->name != NULL && operand->repeated &&
                          a->word_count > (size_t)(operand - grammar->operands);
    if (!satisfied && !once_is_enough) {
        (void)snprintf(a->error, sizeof a->error, "%s is missing", operand->name);
        return false;
    }
    return true;
}

static const args_given *find_given(const args *a, const char *name)
{
    for (size_t i = a->given_count; i > 0; i--) {
        if (strcmp(a->given[i - 1].option->name, name) == 0) {
            return &a->given[i - 1];
        }
    }
    return NULL;
}

bool args_has(const args *a, const char *name)
{
    return find_given(a, name) != NULL;
}

const char *args_text(const args *a, const char *name, const char *otherwise)
{
    const args_given *given = find_given(a, name);
    return given != NULL ? given->value : otherwise;
}

double args_number(const args *a, const char *name, double otherwise)
{
    const char *text = args_text(a, name, NULL);
    double value = otherwise;
    return text != NULL && text_to_number(text, &value) ? value : otherwise;
}

double args_seconds(const args *a, const char *name, double otherwise)
{
    const char *text = args_text(a, name, NULL);
    double value = otherwise;
    return text != NULL && text_to_seconds(text, &value) ? value : otherwise;
}

uint64_t args_whole(const args *a, const char *name, uint64_t otherwise)
{
    const char *text = args_text(a, name, NULL);
    uint64_t value = otherwise;
    return text != NULL && text_to_whole(text, &value) ? value : otherwise;
}

bool args_numbers(const args *a, const char *name, double *out)
{
    const args_given *given = find_given(a, name);
    if (given == NULL) {
        return false;
    }
    if (given->option->kind == ARGS_SIZE || given->option->kind == ARGS_BOX) {
        return text_to_size(given->value, out);
    }
    return text_to_numbers(given->value, given->option->kind == ARGS_AREA ? 4 : 2, out);
}

const char *args_word(const args *a, size_t index)
{
    return index < a->word_count ? a->words[index] : NULL;
}
