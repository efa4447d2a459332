/* Batch processing (PostgreSQL wiki, "SSI"): receipts are entered into the current batch, the batch
 * is closed by moving on to the next number, and a report prints the last closed batch.  A printed
 * batch must never change; under snapshot isolation a receipt that read the old batch number
 * commits after the report.  Any number of receipts.
 *
 * expect: ser=holds si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct { int batch; } control;
DATABASE struct { bool entered; int batch, amount; } receipt[ANY];
DATABASE struct { bool printed; int batch, total; } report;

static int total_of(int batch)
{
    int sum = 0;
    for (int i = 0; i < ANY; i++)
        if (receipt[i].entered && receipt[i].batch == batch)
            sum += receipt[i].amount;
    return sum;
}

TRANSACTION void new_receipt(int amount)
{
    assume(amount > 0);
    int number = fresh(receipt);
    receipt[number].entered = true;
    receipt[number].batch = control.batch;
    receipt[number].amount = amount;
}

TRANSACTION void close_batch(void)
{
    control.batch++;
}

TRANSACTION void print_report(void)
{
    if (control.batch == 0)
        rollback(); /* nothing closed yet */
    report.printed = true;
    report.batch = control.batch - 1;
    report.total = total_of(control.batch - 1);
}

INVARIANT bool printed_batch_is_final(void)
{
    return !report.printed || report.total == total_of(report.batch);
}

/* The lemma: only closed batches are printed. */
INVARIANT bool printed_batch_is_closed(void)
{
    return control.batch >= 0 && (!report.printed || report.batch < control.batch);
}

INITIAL void one_receipt(void)
{
    receipt[0].entered = true;
    receipt[0].amount = 30;
}

SCENARIO void end_of_day(void)
{
    new_receipt(5);
    close_batch();
    print_report();
}
