# SPDX-License-Identifier: BSD-3-Clause
"""Engines that run tasks on other machines. An engine starts all tasks of a submission, lists the tasks that have not
ended, and can cancel them."""

import re
import subprocess

from assay.command import SYSTEM, USAGE, Refused


class EngineError(Refused):
    """The engine rejected the request or cannot be reached. The message comes from the engine."""

    def __init__(self, words):
        super().__init__(words, SYSTEM)


def ask(*words):
    try:
        done = subprocess.run(words, capture_output=True, text=True, errors="backslashreplace", check=False, timeout=120)
    except FileNotFoundError:
        raise EngineError(f"{words[0]} was not found: --engine slurm needs Slurm's commands on this machine") from None
    except subprocess.TimeoutExpired:
        raise EngineError(f"{words[0]} did not answer within two minutes") from None
    if done.returncode:
        raise EngineError(f"{words[0]}: {(done.stderr or done.stdout).strip() or 'exit status ' + str(done.returncode)}")
    return done.stdout


class Slurm:
    """One Slurm job array. If a node is lost, Slurm restarts its task (--requeue)."""

    def start(self, folder, count, options):
        words = ["sbatch", "--parsable", f"--array=1-{count}" + (f"%{options['at-once']}" if "at-once" in options else ""),
                 "--requeue", "--job-name=assay", f"--output={folder}/engine-%a.log", "--open-mode=append"]
        if "minutes" in options:
            words.append(f"--time={options['minutes']}")
        words += options.get("resources", "").split()
        return ask(*words, f"{folder}/task.sh").strip().partition(";")[0]

    def left(self, job):
        """Returns {number of a task that has not ended: the engine's name of its state}."""
        try:
            lines = ask("squeue", "--noheader", "--array", f"--jobs={job}", "--format=%K %T").splitlines()
        except EngineError as error:
            if "Invalid job id" in str(error):  # Slurm forgets jobs that have ended
                return {}
            raise
        return dict(map(self.state_of, lines))

    def state_of(self, line):
        """The state in a line such as "1 PENDING (Priority)". Raises an error if a line cannot be parsed, because its
        task may still run."""
        found = re.fullmatch(r"\s*([0-9]{1,9})\s+(\S.*?)\s*", line)
        if not found:
            raise EngineError(f"squeue printed a line that is not NUMBER STATE: {line[:200]}")
        return int(found[1]), found[2].lower()

    def cancel(self, job):
        ask("scancel", job)


class Command:
    """Prints command lines for any other engine. Each command line runs one task on a machine that can access the
    folder. The state of such tasks cannot be queried."""

    def start(self, folder, count, _options):
        print("\n".join(f"{folder}/task.sh {number}" for number in range(1, count + 1)))
        return ""

    def left(self, _job):
        return {}

    def cancel(self, _job):
        raise Refused("these tasks were started by hand: stop them where they run")


ENGINES = {"slurm": Slurm, "command": Command}


def engine_of(name):
    if name not in ENGINES:
        raise Refused(f"--engine takes slurm or command, not {name}")
    return ENGINES[name]()


def check_options(options):
    """Numbers that are passed to the engine unchanged."""
    for name in ("minutes", "at-once"):
        if not re.fullmatch(r"[1-9][0-9]{0,5}", options.get(name, "1")):
            raise Refused(f'--{name} takes a number from 1 to 999999, not "{options[name]}"', USAGE)
