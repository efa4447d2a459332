#include "cli/write_reproducer.h"

#include "base/io.h"
#include "cli/paths.h"
#include "report/page/messages.h"
#include "report/verify/reproducer.h"

int reproducer_save(struct cli *c, struct ast_program *ast, const struct verify_result *r,
                    const struct verify_verdict *d)
{
    const char *path = c->opt.reproducer;
    struct io_out out;
    struct reproducer p = {
        .ast = ast,
        .files = &c->diags,
        .result = r,
        .verdict = d,
        .include = reproducer_include(&c->arena, ast->file, path),
        .command = reproducer_command(&c->arena, path_include(&c->arena), c->extra.data,
                                      c->extra.len, d->execution->program->options.rows, path),
    };
    const char *error = io_create(path, &c->arena, &out);
    if (!error) {
        const char *why = report_reproducer(&p, &c->arena, out.file);
        if (why) {
            io_discard(&out);
            message_error("no reproducer for this counterexample: %s", why);
            return EXIT_HOLDS;
        }
        error = io_commit(&out, &c->arena);
    }
    if (!error)
        return EXIT_HOLDS;
    message_error("%s: %s", path, error);
    return EXIT_BAD_INPUT;
}
