# SPDX-License-Identifier: BSD-3-Clause
"""assay bench --compare BEFORE AFTER: medians of two runs and how sure their ratio is. It judges nothing: exit status 0.

    python -m assay.bench.compare bench compare "" -- BEFORE AFTER

Of each median an interval is known from ranks alone, whatever the times are distributed like: of two that each hold
with 97.5 % both hold with 95 %.
"""

import math
import statistics

from assay import files
from assay.main import OK, Refused, run

DOUBT = 0.025  # of one median
HIGHER_IS_BETTER = ("bandwidth", "throughput")
UNITS = {"latency_us": "us", "bandwidth_gb_per_s": "GB/s", "throughput_gflop_per_s": "GFLOP/s"}


def interval(samples, doubt=DOUBT):
    """Between which samples the median lies but for the doubt; all of them where they are few."""
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
    """Samples by what was timed."""
    records = files.read_json(path)
    try:
        found = {(record["model"]["name"], record["metric"]["name"]): record["metric"]["benchmark_values"]
                 for record in records if record["benchmark"]["mode"] == "bench"}
        is_whole = all(isinstance(word, str) for key in found for word in key) and all(
            values and all(isinstance(value, (int, float)) and 0 < value < math.inf for value in values) for values in found.values())
    except (KeyError, TypeError):
        is_whole = False
    if not is_whole:
        raise Refused(f"{path}: is no output of assay bench --format json")
    return found


def words_of(metric, low, high):
    """A difference is seen where the interval of the ratio leaves out 1."""
    if low <= 1 <= high:
        return "no difference seen"
    return "faster" if (low > 1) == metric.startswith(HIGHER_IS_BETTER) else "slower"


def compare(before, after):
    """A line for each thing that both have timed: name, metric, both medians, ratio and its interval."""
    for key in before.keys() & after.keys():
        old, new = statistics.median(before[key]), statistics.median(after[key])
        (old_low, old_high), (new_low, new_high) = interval(before[key]), interval(after[key])
        yield *key, old, new, new / old, new_low / old_high, new_high / old_low


def main(words):
    before_path, after_path = words[words.index("--") + 1 :]
    before, after = read(before_path), read(after_path)
    order = list(before)
    for name, metric, old, new, ratio, low, high in sorted(compare(before, after), key=lambda row: order.index(row[:2])):
        unit = UNITS.get(metric, metric)
        print(f"{name:36} {old:10.4g} -> {new:10.4g} {unit:8} x {ratio:.3f} ({low:.3f} to {high:.3f})  "
              f"{words_of(metric, low, high)}")
    for key in before.keys() ^ after.keys():
        print(f"{key[0]:36} only in {before_path if key in before else after_path}")
    return OK


if __name__ == "__main__":
    run(main)
