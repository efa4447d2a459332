#!/bin/sh
# A transaction of LINES lines with BRANCHES branches and a loop of ITERATIONS over a table of ROWS
# rows, on standard output: what `visar summary` must do in under 2 s and 500 MB.
lines=${1:-2000} branches=${2:-200} iterations=${3:-100} rows=${4:-1000}
exec awk -v lines="$lines" -v branches="$branches" -v iterations="$iterations" -v rows="$rows" '
function say(text) { print text; written++ }
BEGIN {
    print "#include <visar.h>"
    printf "DATABASE struct item { int price; int stock; unsigned flags; } item[%d];\n", rows
    print "DATABASE long total[8];"
    say("TRANSACTION long big(int who, int amount, unsigned mask)")
    say("{")
    say("    long sum = 0, most = 0;")
    say("    int a = amount, b = 0, c = 1;")
    printf "    assume(who >= 0 && who < %d);\n", rows; written++
    say("    assume(amount >= 0 && amount <= 1000);")
    printf "    for (int i = 0; i < %d; i++) {\n", iterations; written++
    printf "        struct item *it = &item[i * %d];\n", int(rows / iterations); written++
    say("        if (it->stock > 0 && it->price < a) {")
    say("            sum += it->price;")
    say("            it->stock--;")
    say("        } else if (it->flags & mask) {")
    say("            continue;")
    say("        }")
    say("        if (sum > most)")
    say("            most = sum;")
    say("    }")
    filler = lines - written - 5 - branches * 4
    each = int(filler / branches)
    for (i = 0; i < branches; i++) {
        row = (i * 37) % rows
        if (i % 4 == 0) {
            printf "    if (item[%d].stock > a) {\n        a += %d;\n        item[%d].price = a;\n    }\n", row, i % 7, row
        } else if (i % 4 == 1) {
            printf "    if (total[%d] > sum)\n        sum++;\n    else\n        total[%d] = sum;\n", i % 8, i % 8
        } else if (i % 4 == 2) {
            printf "    if (item[who].price == %d)\n        item[who].stock = b;\n    else\n        b = c;\n", i
        } else {
            printf "    if (a > %d)\n        c = b;\n    else\n        c = (c ^ %d) & 255;\n", i, i
        }
        written += 4
        for (k = 0; k < each; k++) {
            if (k % 3 == 0)
                printf "    b = (b + %d) %% 100;\n", k + i % 5
            else if (k % 3 == 1)
                printf "    c = c < b ? b : c + 1;\n"
            else
                printf "    sum += b - c;\n"
            written++
        }
    }
    while (written < lines - 5)
        say("    sum++;")
    say("    if (sum < 0)")
    say("        rollback();")
    say("    total[who % 8] += sum;")
    say("    return most;")
    say("}")
}'
