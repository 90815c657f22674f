"""full_queue: hazard H6, a task that does not fit into its ready queue is lost.

What it shows
    The loop submits 65,600 tasks that wait for nothing.  Each is ready at once and goes into the queue of the vector cores,
    which has 65,536 entries.  With the default windows of 16,384 slots there are never so many tasks at a time; with a
    window of 131,072 there are, as soon as the orchestration is ahead of the cores.  The runtime pushes, and does not look
    whether the push succeeded.

What to look for
    * fixed: the queue grows, and a warning names the task that would have been lost first.  All tasks complete.
    * faithful: 64 tasks are ready, stand in no queue, and never run: error 100, ready-but-idle.

Commands
    depscope check samples/hazards/H06_full_queue.py --ring-task-window 131072 --hazards fixed
    depscope check samples/hazards/H06_full_queue.py --ring-task-window 131072 --hazards fixed,H6=faithful
"""

import pypto.language as pl

TASKS = 65600  # 64 more than a ready queue holds


@pl.program
class FullQueue:
    @pl.function(type=pl.FunctionType.InCore)
    def prefetch(self, x: pl.Tensor[[16, 16], pl.FP32]):
        _t = pl.load(x, [0, 0], [16, 16])

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[16, 16], pl.FP32]):
        for _ in pl.range(TASKS):
            self.prefetch(x)  # writes nothing: there is no entry of the TensorMap that could run out first
