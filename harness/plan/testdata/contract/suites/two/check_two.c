/* A stand-in for a suite: only the rows are read. */
    {"two.needs_two", needs_two},
