/* A stand-in for a suite: only the rows are read. */
    {"streams.refused", refused},
    {"streams.order", order},
    {"streams.priority", priority},
