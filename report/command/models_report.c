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
    if (m->snapshot == SNAPSHOT_ANY)
        sb_puts(b, "visible set per read, any one");
    if (!b->len)
        sb_puts(b, "none");
}

static void below_text(const struct model *m, struct strbuf *b)
{
    for (int i = 0; i < MODEL_COUNT; i++)
        if (m->below >> i & 1)
            sb_printf(b, "%s%s", b->len ? ", " : "", model_table[i].name);
}

static void print_heading(const struct page *p, const char *text, const char *rest)
{
    fprintf(p->out, "%s%s%s%s\n\n", page_ink(p, PAGE_BOLD), text, page_ink(p, PAGE_PLAIN), rest);
}

static void print_table(const struct page *p)
{
    print_heading(p, "Models, weakest first", "");
    for (int i = 0; i < MODEL_COUNT; i++) {
        const struct model *m = &model_table[i];
        struct strbuf axioms = {0}, below = {0};
        axioms_text(m, &axioms);
        below_text(m, &below);
        fprintf(p->out, "  %s%-4s%s %-36s ", page_ink(p, PAGE_BOLD), m->name,
                page_ink(p, PAGE_PLAIN), m->title);
        page_continue(p, 44, m->gives);
        page_printf(p, 7, 15, "axioms: %s%s%s", sb_str(&axioms), below.len ? "; above " : "",
                    sb_str(&below));
        sb_free(&axioms);
        sb_free(&below);
    }
}

static void print_servers(const struct page *p)
{
    fputc('\n', p->out);
    print_heading(p, "Levels of databases, as measured", " (no chain)");
    for (size_t i = 0; model_server(i); i++) {
        const struct model *m = model_server(i);
        fprintf(p->out, "  %s%-6s%s %-28s ", page_ink(p, PAGE_BOLD), m->name,
                page_ink(p, PAGE_PLAIN), m->title);
        page_continue(p, 38, m->gives);
    }
}

static void print_axiom(const struct page *p, const char *name, const char *formula)
{
    fprintf(p->out, "  %-12s ", name);
    page_continue(p, 15, formula);
}

static void print_axioms(const struct page *p)
{
    fputc('\n', p->out);
    print_heading(p, "Axioms", " (besides INT, EXT and vis ⊆ ar)");
    for (int a = 0; a < AXIOM_COUNT; a++) {
        const struct model_axiom_info *info = model_axiom_info((enum model_axiom)a);
        print_axiom(p, info->name, info->formula);
    }
    print_axiom(p, "SESSION", "so ⊆ vis (rc: so ⊆ ar; ec: no order); off with --no-session-order");
}

static void print_databases(const struct page *p)
{
    fputc('\n', p->out);
    print_heading(p, "What databases call them", "");
    for (size_t i = 0; i < model_profile_count; i++) {
        const struct model_profile *d = &model_profiles[i];
        struct strbuf b = {0};
        sb_printf(&b, "%s%s%s%s%s", d->exact ? "" : "about ", model_get(d->model)->name,
                  *d->note ? " (" : "", d->note, *d->note ? ")" : "");
        fprintf(p->out, "  %-17s %-21s ", d->database, d->level);
        page_continue(p, 42, sb_str(&b));
        sb_free(&b);
    }
}

void report_models_text(const struct page *p, bool quiet)
{
    print_table(p);
    print_servers(p);
    if (quiet)
        return;
    print_axioms(p);
    print_databases(p);
}

static json_t *model_json(const struct model *m)
{
    static const char *const snapshot[] = {"transaction", "statement", "read", "any read"};
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
    json_t *models = json_array(), *databases = json_array(), *servers = json_array();
    for (size_t i = 0; model_server(i); i++) {
        const struct model *m = model_server(i);
        json_t *j = model_json(m);
        json_object_set_new(j, "level", json_string(m->server_level));
        json_object_set_new(j, "within", json_string(model_get(m->within)->name));
        json_array_append_new(servers, j);
    }
    for (int i = 0; i < MODEL_COUNT; i++)
        json_array_append_new(models, model_json(&model_table[i]));
    for (size_t i = 0; i < model_profile_count; i++) {
        const struct model_profile *p = &model_profiles[i];
        json_array_append_new(databases,
                              json_pack("{s:s, s:s, s:s, s:b, s:s}", "database", p->database,
                                        "level", p->level, "model", model_get(p->model)->name,
                                        "exact", p->exact, "note", p->note));
        json_object_set_new(json_array_get(databases, i), "measured",
                            json_boolean(p->measured != MODEL_NONE));
    }
    json_t *all =
        json_pack("{s:s, s:s, s:o, s:o, s:o}", "schema", REPORT_SCHEMA, "command", "models",
                  "models", models, "server_levels", servers, "databases", databases);
    report_dump_json(all, out);
}
