/* Rows with enums, truth values, negative numbers, and fields whose names mean something in the
 * history format; enumerators that share a value, values that no enumerator has. */
#include <visar.h>

enum status { FREE, OPEN = FREE, HELD = 5, SOLD = -3 };
typedef enum { LOW = -1, HIGH = 1 } grade;

DATABASE struct {
    enum status status;
    int value;
    int value_;
    bool key;
} seat[2];
DATABASE struct {
    struct { grade g; int low; } in[2];
    unsigned long long big;
} place;
DATABASE int total;

TRANSACTION void hold(int s)
{
    assume(s >= 0 && s < 2);
    if (seat[1 - s].status == FREE) {
        seat[s].status = HELD;
        seat[s].key = true;
        place.big = 18446744073709551615ull;
    }
}

TRANSACTION void discount(int s, grade g)
{
    assume(s >= 0 && s < 2 && (g == LOW || g == HIGH));
    seat[s].value -= 7;
    seat[s].value_ = -1;
    place.in[s].g = g;
    place.in[s].low--;
    total -= 7;
}

TRANSACTION void strange(void) { seat[0].status = (enum status)4; }

INVARIANT bool one_held(void) { return !(seat[0].status == HELD && seat[1].status == HELD); }
FINAL bool counted(void) { return total == seat[0].value + seat[1].value; }

SCENARIO void holders(void) { hold(0); hold(1); }
SCENARIO void discounts(void)
{
    discount(0, LOW);
    discount(1, HIGH);
    discount(0, HIGH);
}
SCENARIO void odd(void) { strange(); hold(1); discount(0, LOW); }
