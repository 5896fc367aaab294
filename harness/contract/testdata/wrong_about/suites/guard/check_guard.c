/* A stand-in for a suite: only the rows are read. */
const struct assay_check_row guard_checks[] = {
    {"guard.registered", registered},
    {"guard.exchange", exchange},
};
