# SPDX-License-Identifier: BSD-3-Clause
"""assay bench --compare BEFORE AFTER: compares the medians of two runs and prints a confidence interval of each ratio.
The program does not judge the ratios; its exit status is always 0.

    python -m assay.bench.compare bench compare "" -- BEFORE AFTER

The interval of each median is computed from ranks, so it is valid for every distribution. If each of two intervals has
a confidence of 97.5 %, both are right with a confidence of 95 %.
"""

import math
import statistics

from assay import files
from assay.command import Refused, serve

DOUBT = 0.025  # for one median
HIGHER_IS_BETTER = ("bandwidth", "throughput")
UNITS = {"latency_us": "us", "bandwidth_gb_per_s": "GB/s", "throughput_gflop_per_s": "GFLOP/s"}


def interval(samples, doubt=DOUBT):
    """Returns the two samples between which the median lies with this confidence. If there are few samples, returns the
    smallest and the largest sample."""
    ordered, count = sorted(samples), len(samples)
    rank, below = 0, 0.0
    while rank < count // 2:
        below += math.comb(count, rank) * 0.5**count
        if below > doubt / 2:
            break
        rank += 1
    outer = max(rank - 1, 0)
    return ordered[outer], ordered[count - 1 - outer]


def read(path):
    """The samples of a file, by task and metric."""
    records = files.read_json(path)
    try:
        found = {(record["model"]["name"], record["metric"]["name"]): record["metric"]["benchmark_values"]
                 for record in records if record["benchmark"]["mode"] == "bench"}
        is_whole = all(isinstance(word, str) for key in found for word in key) and all(
            values and all(isinstance(value, (int, float)) and 0 < value < math.inf for value in values) for values in found.values())
    except (KeyError, TypeError):
        is_whole = False
    if not is_whole:
        raise Refused(f"{path}: is not output of assay bench --format json")
    return found


def words_of(metric, low, high):
    """The change in words. A change is reported only if the interval of the ratio does not contain 1."""
    if low <= 1 <= high:
        return "no difference seen"
    return "faster" if (low > 1) == metric.startswith(HIGHER_IS_BETTER) else "slower"


def compare(before, after):
    """One line for each task in both files: name, metric, both medians, ratio and its interval."""
    for key in before.keys() & after.keys():
        old, new = statistics.median(before[key]), statistics.median(after[key])
        (old_low, old_high), (new_low, new_high) = interval(before[key]), interval(after[key])
        yield *key, old, new, new / old, new_low / old_high, new_high / old_low


def main(command):
    before_path, after_path = command.words
    before, after = read(before_path), read(after_path)
    order = list(before)
    for name, metric, old, new, ratio, low, high in sorted(compare(before, after), key=lambda row: order.index(row[:2])):
        unit = UNITS.get(metric, metric)
        print(f"{name:36} {old:10.4g} -> {new:10.4g} {unit:8} x {ratio:.3f} ({low:.3f} to {high:.3f})  "
              f"{words_of(metric, low, high)}")
    for key in before.keys() ^ after.keys():
        print(f"{key[0]:36} only in {before_path if key in before else after_path}")


if __name__ == "__main__":
    serve(main)
