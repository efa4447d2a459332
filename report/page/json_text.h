/* JSON as every command writes it; docs/json.md describes it. */
#ifndef REPORT_PAGE_JSON_TEXT_H
#define REPORT_PAGE_JSON_TEXT_H

#include <jansson.h>
#include <stdio.h>

#define REPORT_SCHEMA "visar/1"

/* A text from elsewhere as valid UTF-8; NULL becomes null. */
json_t *report_text_json(const char *text);
/* Print and free; of NULL only the end of the line is printed. */
void report_dump_json(json_t *j, FILE *out);

#endif
