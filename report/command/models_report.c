/* See models_report.h. */
#include "report/command/models_report.h"

#include "base/strbuf.h"
#include "models/models.h"
#include "report/page/json_text.h"

static void axioms_text(const struct model *m, struct strbuf *b)
{
    for (int a = 0; a < AXIOM_COUNT; a++)
        if (model_has(m, (enum model_axiom)a))
            sb_printf(b, "%s%s", b->len ? ", " : "", model_axiom_info((enum model_axiom)a)->name);
    if (m->snapshot == SNAPSHOT_STATEMENT)
        sb_puts(b, "prefix per statement");
    if (m->snapshot == SNAPSHOT_READ)
        sb_puts(b, "visible set per read");
    if (!b->len)
        sb_puts(b, "none");
}

static void below_text(const struct model *m, struct strbuf *b)
{
    for (int i = 0; i < MODEL_COUNT; i++)
        if (m->below >> i & 1)
            sb_printf(b, "%s%s", b->len ? ", " : "", model_table[i].name);
}

static void print_table(FILE *out, bool color)
{
    const char *bold = color ? "\033[1m" : "", *plain = color ? "\033[0m" : "";
    fprintf(out, "%sModels, weakest first%s\n\n", bold, plain);
    for (int i = 0; i < MODEL_COUNT; i++) {
        const struct model *m = &model_table[i];
        struct strbuf axioms = {0}, below = {0};
        axioms_text(m, &axioms);
        below_text(m, &below);
        fprintf(out, "  %s%-4s%s %-36s %s\n", bold, m->name, plain, m->title, m->gives);
        fprintf(out, "       axioms: %s%s%s\n", sb_str(&axioms), below.len ? "; above " : "",
                sb_str(&below));
        sb_free(&axioms);
        sb_free(&below);
    }
}

static void print_axioms(FILE *out, bool color)
{
    fprintf(out, "\n%sAxioms%s (besides INT, EXT and vis ⊆ ar)\n\n", color ? "\033[1m" : "",
            color ? "\033[0m" : "");
    for (int a = 0; a < AXIOM_COUNT; a++) {
        const struct model_axiom_info *info = model_axiom_info((enum model_axiom)a);
        fprintf(out, "  %-11s %s\n", info->name, info->formula);
    }
    fprintf(out, "  %-11s %s\n", "SESSION", "so ⊆ vis (rc: so ⊆ ar); off with --no-session-order");
}

static void print_databases(FILE *out, bool color)
{
    fprintf(out, "\n%sWhat databases call them%s\n\n", color ? "\033[1m" : "",
            color ? "\033[0m" : "");
    for (size_t i = 0; i < model_profile_count; i++) {
        const struct model_profile *p = &model_profiles[i];
        fprintf(out, "  %-17s %-21s %s%s%s%s%s\n", p->database, p->level, p->exact ? "" : "about ",
                model_get(p->model)->name, *p->note ? " (" : "", p->note, *p->note ? ")" : "");
    }
}

void report_models_text(bool quiet, bool color, FILE *out)
{
    print_table(out, color);
    if (quiet)
        return;
    print_axioms(out, color);
    print_databases(out, color);
}

static json_t *model_json(const struct model *m)
{
    static const char *const snapshot[] = {"transaction", "statement", "read"};
    json_t *axioms = json_array(), *below = json_array();
    for (int a = 0; a < AXIOM_COUNT; a++)
        if (model_has(m, (enum model_axiom)a))
            json_array_append_new(axioms, json_string(model_axiom_info((enum model_axiom)a)->name));
    for (int i = 0; i < MODEL_COUNT; i++)
        if (m->below >> i & 1)
            json_array_append_new(below, json_string(model_table[i].name));
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:s}", "name", m->name, "title", m->title,
                     "snapshot", snapshot[m->snapshot], "axioms", axioms, "above", below, "gives",
                     m->gives);
}

void report_models_json(FILE *out)
{
    json_t *models = json_array(), *databases = json_array();
    for (int i = 0; i < MODEL_COUNT; i++)
        json_array_append_new(models, model_json(&model_table[i]));
    for (size_t i = 0; i < model_profile_count; i++) {
        const struct model_profile *p = &model_profiles[i];
        json_array_append_new(databases,
                              json_pack("{s:s, s:s, s:s, s:b, s:s}", "database", p->database,
                                        "level", p->level, "model", model_get(p->model)->name,
                                        "exact", p->exact, "note", p->note));
    }
    json_t *all = json_pack("{s:s, s:s, s:o, s:o}", "schema", REPORT_SCHEMA, "command", "models",
                            "models", models, "databases", databases);
    report_dump_json(all, out);
}
