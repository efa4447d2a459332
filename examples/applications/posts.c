/* Posts with cascading deletes: a post is deleted together with all comments on it that the deletion
 * sees.  A comment that is written beside it is a row of its own and reads the post without writing
 * it: nothing conflicts, and it stays behind without a post.  Only serializability prevents that (or
 * a foreign key in the database, or a comment that writes the post's row, such as a counter).  Any
 * number of posts and comments.
 *
 * expect: ser=holds si=violated psi=violated pc=violated cc=violated ra=violated rcs=violated rc=violated ec=violated
 */
#include <visar.h>

DATABASE struct { bool present; int author; } post[ANY];
DATABASE struct { bool present; int post, author; } comment[ANY];

TRANSACTION void write_post(int author)
{
    int p = fresh(post);
    post[p].present = true;
    post[p].author = author;
}

TRANSACTION void write_comment(int p, int author)
{
    assume(p >= 0 && p < ANY);
    if (!post[p].present)
        rollback();
    int c = fresh(comment);
    comment[c].present = true;
    comment[c].post = p;
    comment[c].author = author;
}

TRANSACTION void delete_comment(int c)
{
    assume(c >= 0 && c < ANY);
    comment[c].present = false;
}

TRANSACTION void delete_post(int p)
{
    assume(p >= 0 && p < ANY);
    post[p].present = false;
    for (int c = 0; c < ANY; c++)
        if (comment[c].present && comment[c].post == p)
            comment[c].present = false;
}

INITIAL void one_post(void)
{
    post[0].present = true;
}

INVARIANT bool comments_have_posts(int c, int p)
{
    return !comment[c].present || comment[c].post != p || post[p].present;
}

SCENARIO void comment_beside_delete(void)
{
    write_comment(0, 1);
    delete_post(0);
}

SCENARIO void a_busy_thread(void)
{
    SESSION {
        write_post(1);
        write_comment(1, 1);
    }
    delete_post(1);
    delete_comment(0);
}
