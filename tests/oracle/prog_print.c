/* Oracle programs as C in the verifier's language, so that both can judge the same program.  Every
 * oracle statement becomes one C statement with one full expression.  A parameter is assumed to be
 * one of its values; the scenario passes the only one as a constant, else a nondeterministic value,
 * one of its own or one that several calls share. */
#include "tests/oracle/oracle.h"

static void print_expr(FILE *out, const struct orc_prog *p, int number);

static void print_place(FILE *out, const struct orc_prog *p, int table, int index, int second,
                        int field)
{
    const struct orc_table *t = &p->tables[table];
    fputs(t->name, out);
    for (int d = 0; d < t->n_dims; d++) {
        fputc('[', out);
        print_expr(out, p, d ? second : index);
        fputc(']', out);
    }
    if (t->fields > 1 && field >= 0)
        fprintf(out, ".%c", "fgh"[field]);
}

/* Without parentheses around it. */
static void print_bare(FILE *out, const struct orc_prog *p, int number)
{
    static const char *const ops[] = {
        [ORC_ADD] = "+", [ORC_SUB] = "-", [ORC_MUL] = "*", [ORC_XOR] = "^",  [ORC_EQ] = "==",
        [ORC_NE] = "!=", [ORC_LT] = "<",  [ORC_LE] = "<=", [ORC_AND] = "&&", [ORC_OR] = "||"};
    const struct orc_expr *e = &p->exprs[number];
    switch (e->kind) {
    case ORC_CONST:
        fprintf(out, e->a < 0 ? "(%d)" : "%d", e->a);
        break;
    case ORC_REG:
        fprintf(out, "r%d", e->a);
        break;
    case ORC_PARAM:
        fprintf(out, "p%d", e->a);
        break;
    case ORC_CELL:
        print_place(out, p, e->a, e->b, e->d, e->c);
        break;
    case ORC_LOCAL:
        fprintf(out, "l.%c", "fgh"[e->a]);
        break;
    case ORC_LOOP:
        fprintf(out, "i%d", e->a);
        break;
    case ORC_SIZE:
        fputs("ANY", out);
        break;
    case ORC_FRESH:
        fprintf(out, "fresh(%s", p->tables[e->a].name);
        if (p->tables[e->a].n_dims > 1) {
            fputc('[', out);
            print_expr(out, p, e->b);
            fputc(']', out);
        }
        fputc(')', out);
        break;
    case ORC_NOT:
        fputs("!(", out);
        print_bare(out, p, e->a);
        fputc(')', out);
        break;
    case ORC_COND:
        print_expr(out, p, e->a);
        fputs(" ? ", out);
        print_expr(out, p, e->b);
        fputs(" : ", out);
        print_expr(out, p, e->c);
        break;
    default:
        print_expr(out, p, e->a);
        fprintf(out, " %s ", ops[e->kind]);
        print_expr(out, p, e->b);
    }
}

static void print_expr(FILE *out, const struct orc_prog *p, int number)
{
    enum orc_expr_kind kind = p->exprs[number].kind;
    bool simple = kind == ORC_CONST || kind == ORC_REG || kind == ORC_PARAM || kind == ORC_CELL ||
                  kind == ORC_LOCAL || kind == ORC_NOT || kind == ORC_LOOP || kind == ORC_SIZE ||
                  kind == ORC_FRESH;
    fputs(simple ? "" : "(", out);
    print_bare(out, p, number);
    fputs(simple ? "" : ")", out);
}

static void print_list(FILE *out, const struct orc_prog *p, int s, int indent);

static void print_call(FILE *out, const struct orc_prog *p, const char *word, int e)
{
    fprintf(out, "%s(", word);
    print_bare(out, p, e);
    fputs(");\n", out);
}

static void print_if(FILE *out, const struct orc_prog *p, const struct orc_stmt *s, int indent)
{
    fputs("if (", out);
    print_bare(out, p, s->e);
    fputs(") {\n", out);
    print_list(out, p, s->yes, indent + 4);
    if (s->no >= 0) {
        fprintf(out, "%*s} else {\n", indent, "");
        print_list(out, p, s->no, indent + 4);
    }
    fprintf(out, "%*s}\n", indent, "");
}

/* r = r + e in its short form, every other time that a program has one. */
static bool print_sum(FILE *out, const struct orc_prog *p, const struct orc_stmt *s)
{
    const struct orc_expr *e = &p->exprs[s->e];
    if (s->kind != ORC_SET || e->kind != ORC_ADD || p->exprs[e->a].kind != ORC_REG ||
        p->exprs[e->a].a != s->reg || s->e % 2)
        return false;
    if (p->exprs[e->b].kind == ORC_CONST && p->exprs[e->b].a == 1) {
        fprintf(out, "r%d++;\n", s->reg);
        return true;
    }
    fprintf(out, "r%d += ", s->reg);
    print_bare(out, p, e->b);
    fputs(";\n", out);
    return true;
}

static void print_assign(FILE *out, const struct orc_prog *p, const struct orc_stmt *s)
{
    if (print_sum(out, p, s))
        return;
    if (s->kind == ORC_SET)
        fprintf(out, "r%d", s->reg);
    else
        print_place(out, p, s->table, s->index, s->second, s->field);
    fputs(" = ", out);
    print_bare(out, p, s->e);
    fputs(";\n", out);
}

static void print_compound(FILE *out, const struct orc_prog *p, const struct orc_stmt *s)
{
    const char *op = s->op == ORC_ADD ? "+" : s->op == ORC_SUB ? "-" : "^";
    int fields = p->tables[s->table].fields;
    if (s->pointer) {
        fprintf(out, fields > 1 ? "{ struct row%d *p = &" : "{ int *p = &", fields);
        print_place(out, p, s->table, s->index, s->second, -1);
        if (fields > 1)
            fprintf(out, "; p->%c", "fgh"[s->field]);
        else
            fputs("; *p", out);
    } else {
        print_place(out, p, s->table, s->index, s->second, s->field);
    }
    fprintf(out, " %s= ", op);
    print_bare(out, p, s->e);
    fputs(s->pointer ? "; }\n" : ";\n", out);
}

static void print_copy(FILE *out, const struct orc_prog *p, const struct orc_stmt *s)
{
    if (s->kind == ORC_TAKE)
        fputs("l = ", out);
    print_place(out, p, s->table, s->index, s->second, -1);
    if (s->kind == ORC_PUT)
        fputs(" = l", out);
    if (s->kind == ORC_COPY) {
        fputs(" = ", out);
        print_place(out, p, s->table, s->from, s->second, -1);
    }
    fputs(";\n", out);
}

/* "ANY" or the number. */
static void print_extent(FILE *out, int dim)
{
    if (dim)
        fprintf(out, "%d", dim);
    else
        fputs("ANY", out);
}

static void print_for(FILE *out, const struct orc_prog *p, const struct orc_stmt *s, int indent)
{
    const struct orc_stmt *only = s->yes < 0 ? NULL : &p->stmts[s->yes];
    fprintf(out, "for (int i%d = ", s->reg);
    print_bare(out, p, s->e);
    fprintf(out, "; i%d < ", s->reg);
    print_extent(out, s->dim);
    fprintf(out, "; i%d++) {\n", s->reg);
    if (s->skips && only && only->kind == ORC_IF && only->no < 0 && only->next < 0) {
        fprintf(out, "%*sif (!(", indent + 4, "");
        print_bare(out, p, only->e);
        fprintf(out, "))\n%*scontinue;\n", indent + 8, "");
        print_list(out, p, only->yes, indent + 4);
    } else {
        print_list(out, p, s->yes, indent + 4);
    }
    fprintf(out, "%*s}\n", indent, "");
}

static void print_atomic(FILE *out, const struct orc_prog *p, const struct orc_stmt *s, int indent)
{
    fputs("ATOMIC ", out);
    if (s->many)
        fprintf(out, "for (int i%d = 0; i%d < %d; i%d++) ", s->reg, s->reg,
                p->tables[s->table].rows, s->reg);
    if (s->e >= 0) {
        print_if(out, p, s, indent);
    } else {
        fputs("{\n", out);
        print_list(out, p, s->yes, indent + 4);
        fprintf(out, "%*s}\n", indent, "");
    }
}

static void print_list(FILE *out, const struct orc_prog *p, int s, int indent)
{
    for (; s >= 0; s = p->stmts[s].next) {
        const struct orc_stmt *stmt = &p->stmts[s];
        fprintf(out, "%*s", indent, "");
        switch (stmt->kind) {
        case ORC_SET:
        case ORC_WRITE:
            print_assign(out, p, stmt);
            break;
        case ORC_IF:
            print_if(out, p, stmt, indent);
            break;
        case ORC_ROLLBACK:
            fputs("rollback();\n", out);
            break;
        case ORC_RETURN:
            fputs("return;\n", out);
            break;
        case ORC_ASSUME:
            print_call(out, p, "assume", stmt->e);
            break;
        case ORC_ASSERT:
            print_call(out, p, "assert", stmt->e);
            break;
        case ORC_ATOMIC:
            print_atomic(out, p, stmt, indent);
            break;
        case ORC_FOR_UPDATE:
        case ORC_FOR_SHARE:
            fputs(stmt->kind == ORC_FOR_SHARE ? "for_share(" : "for_update(", out);
            print_place(out, p, stmt->table, stmt->index, stmt->second, -1);
            fputs(");\n", out);
            break;
        case ORC_COMPOUND:
            print_compound(out, p, stmt);
            break;
        case ORC_TAKE:
        case ORC_PUT:
        case ORC_COPY:
            print_copy(out, p, stmt);
            break;
        case ORC_FOR:
            print_for(out, p, stmt, indent);
            break;
        case ORC_BREAK:
            fputs("break;\n", out);
            break;
        case ORC_GIVE:
            fputs("return ", out);
            print_bare(out, p, stmt->e);
            fputs(";\n", out);
            break;
        }
    }
}

static const char *field_type(const struct orc_table *t, int field)
{
    return t->bools >> field & 1 ? "bool" : "int";
}

/* Rows of ints have a type per number of fields, others one of their own. */
static void print_types(FILE *out, const struct orc_prog *p)
{
    for (int fields = 2; fields <= ORC_FIELDS; fields++)
        for (int i = 0; i < p->n_tables; i++)
            if (p->tables[i].fields == fields && !p->tables[i].bools) {
                fprintf(out, "struct row%d { int f; int g;%s };\n", fields,
                        fields > 2 ? " int h;" : "");
                break;
            }
}

static void print_row_type(FILE *out, const struct orc_table *t)
{
    if (t->fields == 1) {
        fprintf(out, "DATABASE %s %s", field_type(t, 0), t->name);
    } else if (!t->bools) {
        fprintf(out, "DATABASE struct row%d %s", t->fields, t->name);
    } else {
        fputs("DATABASE struct {", out);
        for (int f = 0; f < t->fields; f++)
            fprintf(out, " %s %c;", field_type(t, f), "fgh"[f]);
        fprintf(out, " } %s", t->name);
    }
}

static void print_tables(FILE *out, const struct orc_prog *p)
{
    print_types(out, p);
    for (int i = 0; i < p->n_tables; i++) {
        const struct orc_table *t = &p->tables[i];
        print_row_type(out, t);
        for (int d = 0; d < t->n_dims; d++) {
            fputc('[', out);
            print_extent(out, t->dim[d]);
            fputc(']', out);
        }
        fputs(";\n", out);
    }
}

/* Every cell's value, or the statements that give it. */
static void print_initial(FILE *out, const struct orc_prog *p)
{
    fputs("\nINITIAL void opening(void)\n{\n", out);
    for (int i = 0; i < p->n_tables && !p->has_initial; i++)
        for (int row = 0; row < p->tables[i].rows; row++)
            for (int f = 0; f < p->tables[i].fields; f++) {
                const struct orc_table *t = &p->tables[i];
                fprintf(out, "    %s", t->name);
                if (t->array)
                    fprintf(out, "[%d]", row);
                if (t->fields > 1)
                    fprintf(out, ".%c", "fgh"[f]);
                fprintf(out, " = %d;\n", p->init[t->base + row * t->fields + f]);
            }
    if (p->has_initial)
        print_list(out, p, p->initial, 4);
    fputs("}\n", out);
}

/* The registers that expression e or statement list s mentions, as a set. */
static unsigned expr_regs(const struct orc_prog *p, int number)
{
    const struct orc_expr *e = &p->exprs[number];
    switch (e->kind) {
    case ORC_CONST:
    case ORC_PARAM:
    case ORC_LOCAL:
    case ORC_LOOP:
    case ORC_SIZE:
        return 0;
    case ORC_FRESH:
        return p->tables[e->a].n_dims > 1 ? expr_regs(p, e->b) : 0;
    case ORC_REG:
        return 1u << e->a;
    case ORC_CELL:
        return expr_regs(p, e->b) | (p->tables[e->a].n_dims > 1 ? expr_regs(p, e->d) : 0);
    case ORC_NOT:
        return expr_regs(p, e->a);
    case ORC_COND:
        return expr_regs(p, e->a) | expr_regs(p, e->b) | expr_regs(p, e->c);
    default:
        return expr_regs(p, e->a) | expr_regs(p, e->b);
    }
}

static bool has_value(enum orc_stmt_kind kind)
{
    return kind != ORC_ROLLBACK && kind != ORC_RETURN && kind != ORC_FOR_UPDATE &&
           kind != ORC_FOR_SHARE && kind != ORC_TAKE && kind != ORC_PUT && kind != ORC_COPY &&
           kind != ORC_BREAK;
}

static bool has_place(enum orc_stmt_kind kind)
{
    return kind == ORC_WRITE || kind == ORC_FOR_UPDATE || kind == ORC_FOR_SHARE ||
           kind == ORC_ATOMIC || kind == ORC_COMPOUND || kind == ORC_TAKE || kind == ORC_PUT ||
           kind == ORC_COPY;
}

/* The fields of the local struct of a list, or 0: it has none. */
static int list_local(const struct orc_prog *p, int s)
{
    int fields = 0;
    for (; s >= 0 && !fields; s = p->stmts[s].next) {
        const struct orc_stmt *stmt = &p->stmts[s];
        if (stmt->kind == ORC_TAKE || stmt->kind == ORC_PUT)
            fields = p->tables[stmt->table].fields;
        if (stmt->kind == ORC_IF)
            fields = list_local(p, stmt->yes);
        if (stmt->kind == ORC_IF && !fields)
            fields = list_local(p, stmt->no);
    }
    return fields;
}

static unsigned list_regs(const struct orc_prog *p, int s)
{
    unsigned regs = 0;
    for (; s >= 0; s = p->stmts[s].next) {
        const struct orc_stmt *stmt = &p->stmts[s];
        if (stmt->kind == ORC_SET)
            regs |= 1u << stmt->reg;
        if (has_place(stmt->kind))
            regs |= expr_regs(p, stmt->index);
        if (has_place(stmt->kind) && p->tables[stmt->table].n_dims > 1)
            regs |= expr_regs(p, stmt->second);
        if (stmt->kind == ORC_COPY)
            regs |= expr_regs(p, stmt->from);
        if (stmt->kind == ORC_IF || stmt->kind == ORC_ATOMIC)
            regs |= list_regs(p, stmt->yes) | list_regs(p, stmt->no);
        if (stmt->kind == ORC_FOR)
            regs |= list_regs(p, stmt->yes);
        if (has_value(stmt->kind) && stmt->e >= 0)
            regs |= expr_regs(p, stmt->e);
    }
    return regs;
}

static void print_param_choices(FILE *out, const struct orc_ptxn *t, int param)
{
    fputs("    assume(", out);
    if (t->is_index[param]) {
        fprintf(out, "0 <= p%d && p%d < ", param, param);
        print_extent(out, t->dim[param]);
    }
    for (int i = 0; i < t->n_choices[param] && !t->is_index[param]; i++)
        fprintf(out, "%sp%d == %d", i ? " || " : "", param, t->choices[param][i]);
    fputs(");\n", out);
}

static void print_txn(FILE *out, const struct orc_prog *p, int t)
{
    const struct orc_ptxn *txn = &p->txns[t];
    unsigned regs = list_regs(p, txn->body);
    if (txn->returns)
        regs |= expr_regs(p, txn->returned);
    fprintf(out, "\nTRANSACTION %s t%d(", txn->returns ? "int" : "void", t);
    for (int i = 0; i < txn->n_params; i++)
        fprintf(out, "%sint p%d", i ? ", " : "", i);
    fprintf(out, "%s)\n{\n", txn->n_params ? "" : "void");
    for (int i = 0; i < txn->n_params; i++)
        print_param_choices(out, txn, i);
    for (int r = 0; r < ORC_REGS; r++)
        if (regs >> r & 1)
            fprintf(out, "    int r%d = 0;\n", r);
    if (list_local(p, txn->body))
        fprintf(out, "    struct row%d l = {0};\n", list_local(p, txn->body));
    print_list(out, p, txn->body, 4);
    if (txn->returns) {
        fputs("    return ", out);
        print_bare(out, p, txn->returned);
        fputs(";\n", out);
    }
    fputs("}\n", out);
}

static void print_glue(FILE *out, const struct orc_prog *p, int t)
{
    const struct orc_glue *g = &p->txns[t].glue;
    if (g->assume)
        fprintf(out, "assume(v%d != %d); ", g->assume - 1, g->assume_not);
    if (g->add)
        fprintf(out, "junk = v%d + 1; ", g->add - 1);
    if (g->divide)
        fprintf(out, "junk = 7 / (v%d - %d); ", g->divide - 1, g->divide_not);
    if (g->guard)
        fprintf(out, "if (v%d == %d) ", g->guard - 1, g->guard_is);
    if (p->txns[t].returns)
        fprintf(out, "v%d = ", t);
}

static void print_scenario_call(FILE *out, const struct orc_prog *p, int t)
{
    const struct orc_ptxn *txn = &p->txns[t];
    if (p->results)
        print_glue(out, p, t);
    fprintf(out, "t%d(", orc_callee(p, t));
    for (int i = 0; i < txn->n_params; i++) {
        fputs(i ? ", " : "", out);
        if (txn->glue.arg[i])
            fprintf(out, "v%d + %d", txn->glue.arg[i] - 1, txn->glue.arg_add[i]);
        else if (txn->shared[i])
            fputs("shared", out);
        else if (txn->n_choices[i] == 1)
            fprintf(out, "%d", txn->choices[i][0]);
        else
            fputs("nondet_int()", out);
    }
    fputs(");", out);
}

/* Sessions of one call stand alone; others become SESSION blocks. */
static void print_session(FILE *out, const struct orc_prog *p, int first)
{
    int calls = 0;
    for (int t = 0; t < p->n_txns; t++)
        if (p->txns[t].session == p->txns[first].session) {
            if (t < first)
                return;
            calls++;
        }
    fputs(calls > 1 ? "    SESSION {" : "   ", out);
    for (int t = first; t < p->n_txns; t++)
        if (p->txns[t].session == p->txns[first].session) {
            fputc(' ', out);
            print_scenario_call(out, p, t);
        }
    fputs(calls > 1 ? " }\n" : "\n", out);
}

static bool shares(const struct orc_prog *p)
{
    for (int t = 0; t < p->n_txns; t++)
        for (int i = 0; i < p->txns[t].n_params; i++)
            if (p->txns[t].shared[i])
                return true;
    return false;
}

static void print_pred(FILE *out, const struct orc_prog *p, int i, const char *word)
{
    const struct orc_pred *q = &p->preds[i];
    unsigned regs = list_regs(p, q->body) | expr_regs(p, q->e);
    fprintf(out, "\n%s bool good%d(", word, i);
    for (int k = 0; k < q->n_params; k++)
        fprintf(out, "%sint p%d", k ? ", " : "", k);
    fprintf(out, "%s)\n{\n", q->n_params ? "" : "void");
    for (int r = 0; r < ORC_REGS; r++)
        if (regs >> r & 1)
            fprintf(out, "    %s r%d = 0;\n", q->wide ? "long" : "int", r);
    print_list(out, p, q->body, 4);
    fputs("    return ", out);
    print_bare(out, p, q->e);
    fputs(";\n}\n", out);
}

static void print_scenario(FILE *out, const struct orc_prog *p)
{
    fputs("\nSCENARIO void all(void)\n{\n", out);
    if (shares(p))
        fputs("    int shared = nondet_int();\n", out);
    if (p->results)
        fputs("    int junk = 0;\n", out);
    for (int t = 0; t < p->n_txns; t++)
        if (p->txns[t].returns)
            fprintf(out, "    int v%d = 0;\n", t);
    for (int t = 0; t < p->n_txns; t++)
        print_session(out, p, t);
    if (p->assert_first && p->assert_second)
        fprintf(out, "    assert(!(v%d == %d && v%d == %d));\n", p->assert_first - 1,
                p->assert_is[0], p->assert_second - 1, p->assert_is[1]);
    else if (p->assert_first)
        fprintf(out, "    assert(v%d != %d);\n", p->assert_first - 1, p->assert_is[0]);
    fputs("}\n", out);
}

void orc_prog_print(FILE *out, const struct orc_prog *p, const char *word)
{
    fputs("#include <visar.h>\n\n", out);
    print_tables(out, p);
    print_initial(out, p);
    for (int t = 0; t < p->n_txns; t++)
        if (!p->txns[t].same_as)
            print_txn(out, p, t);
    for (int i = 0; i < p->n_preds; i++)
        print_pred(out, p, i, word);
    if (p->constraint) {
        fputs("\nCONSTRAINT bool enforced(void)\n{\n    return ", out);
        print_bare(out, p, p->constraint - 1);
        fputs(";\n}\n", out);
    }
    if (p->invariant >= 0) {
        fprintf(out, "\n%s bool good(void)\n{\n    return ", word);
        print_bare(out, p, p->invariant);
        fputs(";\n}\n", out);
    }
    if (!p->no_scenario)
        print_scenario(out, p);
}
