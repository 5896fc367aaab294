/* A stand-in for a suite: only the rows are read. */
    {"guard.registered", registered},
    {"guard.exchange", exchange},
    {"guard.scope", scope},
