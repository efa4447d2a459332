/* Post and comment: Bob comments on a post that he sees; Carol, who sees the comment, must see the
 * post.  That is causality: read atomicity lacks it, causal consistency is named after it.  Carol
 * looks at the comment first, so statement snapshots, which only grow, are enough too.
 *
 * expect: ser=holds si=holds psi=holds pc=holds cc=holds ra=violated rcs=holds rc=violated ec=violated
 * robust: ser=proved si=robust psi=robust pc=robust cc=robust ra=not rcs=robust rc=not ec=not */
#include <visar.h>

DATABASE struct { bool there; } post, comment;

TRANSACTION void write_post(void)
{
    post.there = true;
}

TRANSACTION void write_comment(void)
{
    if (post.there)
        comment.there = true;
}

TRANSACTION void read_thread(void)
{
    if (comment.there)
        assert(post.there);
}

INVARIANT bool comments_have_posts(void)
{
    return !comment.there || post.there;
}

SCENARIO void thread(void)
{
    write_post();
    write_comment();
    read_thread();
}
