#!/usr/bin/env python3
"""Runs every sample at its big constants (about 100,000 tasks) on both platforms.

usage: big_samples.py DEPSCOPE [SAMPLE ...]

Prints tasks, edges, processor time and most memory of each run; exit status 1 if one fails.
The sample names its big constants under "Scale"; this is the list of them.
"""

import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

SAMPLES = pathlib.Path(__file__).resolve().parent.parent / "samples"

# sample -> (constants, least number of tasks)
BIG = {
    "01_vector_add": ({"CHUNKS": 100000}, 100000),
    "02_softmax_tiles": ({"TILES": 33334}, 100002),
    "03_matmul_ksplit": ({"KSPLIT": 390, "BANDS": 128}, 99968),
    "04_paged_attention_decode": ({"BATCH": 64, "GROUPS": 4, "MAX_BLOCKS": 96, "POOL_BLOCKS": 6144}, 98816),
    "05_decoder_layer": ({"N_LAYERS": 64, "GROUPS": 64}, 94272),
    "06_moe_dispatch": ({"N_LAYERS": 60, "TILES": 256, "EXPERTS": 208}, 98940),
    "07_manual_pipeline": ({"STEPS": 10000, "PHASES": 1090, "WIDTH": 64}, 99824),
    "08_fused_mlp_war": ({"TILES": 25000}, 100000),
    "09_scopes_and_lifetimes": ({"SEGMENTS": 64, "BLOCKS": 46, "STEPS": 10}, 97344),
    "10_fallbacks": ({"REPEAT": 50000}, 100034),
    "11_retained_diamond": ({"ROUNDS": 33000}, 99000),
}


# What `depscope check` suggests where the default rings stop the run.
OPTIONS = {
    "06_moe_dispatch": ["--ring-dep-pool", "0,0,0,65851"],
    "07_manual_pipeline": ["--ring-task-window", "0,0,131072,0", "--ring-dep-pool", "0,0,169518,0"],
    "10_fallbacks": ["--ring-task-window", "0,131072,0,0", "--ring-dep-pool", "0,149999,0,0"],
}


def data_of(name):
    """Contents of the tensors that steer a program, for its big constants."""
    if name == "04_paged_attention_decode":
        batch, blocks, block = 64, 96, 64
        return {"seq_lens": [blocks * block] * batch, "block_table": list(range(batch * blocks))}
    if name == "06_moe_dispatch":
        tokens, experts = 256 * 16, 208
        return {"starts": [e * tokens // experts for e in range(experts)]}
    if name == "10_fallbacks":
        return {"cfg": [1, 2, 0, 0]}
    return {}


def with_constants(text, constants):
    for constant, value in constants.items():
        text, count = re.subn(rf"^{constant} = \d+", f"{constant} = {value}", text, flags=re.MULTILINE)
        if count != 1:
            raise SystemExit(f"{constant} is set {count} times")
    return text


def run(depscope, program, data, platform, recording):
    command = [depscope, "run", program, "--events", "summary", "--platform", platform, "-o", recording]
    command += OPTIONS.get(program.stem, [])
    if data:
        command += ["--data", data]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["/usr/bin/time", "-f", "%M"] + command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done, seconds, int(done.stderr.strip().splitlines()[-1]) / 1024


def main():
    depscope = sys.argv[1]
    wanted = sys.argv[2:] or sorted(BIG)
    failed = False
    print(f"{'sample':28} {'platform':8} {'tasks':>8} {'edges':>9} {'seconds':>8} {'MB':>6}")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name in wanted:
            constants, least = BIG[name]
            program = folder / f"{name}.py"
            program.write_text(with_constants((SAMPLES / f"{name}.py").read_text(), constants))
            data = folder / "data.json"
            data.write_text(json.dumps(data_of(name)))
            for platform in ("a2a3", "a5"):
                recording = folder / "run.depscope"
                done, seconds, megabytes = run(depscope, program, data if data_of(name) else None, platform, recording)
                tasks, edges = (int((re.search(rf"^{what}: (\d+)", done.stdout, re.MULTILINE) or [0, 0])[1]) for what in ("Tasks", "Edges"))
                wrong = done.returncode != 0 or tasks < least or "runtime_error" in done.stdout or "deadlock" in done.stdout
                failed |= wrong
                print(f"{name:28} {platform:8} {tasks:8} {edges:9} {seconds:8.2f} {megabytes:6.0f}{'  FAILED' if wrong else ''}", flush=True)
                if wrong:
                    print("\n".join((done.stdout + done.stderr).splitlines()[-12:]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
